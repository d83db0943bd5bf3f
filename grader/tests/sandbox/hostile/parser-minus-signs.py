# tries: the compiler's stack, with a hundred thousand minus signs
# expect: ERROR|DIED|MEMORY 0
# builds: minus-signs
four_steps = None
