# tries: to fill the reply's header with names, texts and errors
# expect: ERROR|PROTOCOL|OUTPUT 0
def four_steps(q, k, v):
    raise type("E" * 10**6, (Exception,), {})("\N{GRINNING FACE}\0\\" * 10**6)
