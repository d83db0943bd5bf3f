# tries: a source of a megabyte, all of it one list
# expect: ERROR|MALFORMED|WRONG|TIMEOUT|MEMORY 0
# builds: megabyte
four_steps = None
