# tries: the parser, with brackets deeper than it goes
# expect: ERROR|DIED|MEMORY 0
# builds: brackets
four_steps = None
