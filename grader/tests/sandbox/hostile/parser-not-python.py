# tries: a notebook's magic and a shell line instead of Python
# expect: ERROR|MALFORMED 0
%%bash
!touch /tmp/attention-hostile
