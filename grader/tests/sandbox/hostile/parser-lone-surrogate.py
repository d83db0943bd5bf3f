# tries: a source that is not text: half of a pair of surrogates
# expect: ERROR|MALFORMED|DIED 0
# builds: surrogate
four_steps = None
