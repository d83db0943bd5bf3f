# tries: a NUL in the source
# expect: ERROR|MALFORMED 0
# builds: null
four_steps = None
