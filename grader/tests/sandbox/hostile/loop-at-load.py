# tries: an endless loop while it is loaded
# expect: TIMEOUT 0
while True:
    pass
