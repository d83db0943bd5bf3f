# tries: the compiler's stack, with a chain of a hundred thousand attributes
# expect: ERROR|DIED|MEMORY|TIMEOUT 0
# builds: attributes
four_steps = None
