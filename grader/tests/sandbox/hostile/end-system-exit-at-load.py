# tries: to leave by SystemExit while it is loaded
# expect: ERROR 0
raise SystemExit(0)
