# tries: terminal codes and texts that run backwards in the message and the error's name
# expect: ERROR 0
def four_steps(q, k, v):
    name = "\x1b]0;title\x07\x1b[2J\u202eKO"
    raise type(name, (Exception,), {})("\x1b[31m5/5\x1b[0m \u202e\u2066\u2069 \x9b2J \x07\x08\r")
