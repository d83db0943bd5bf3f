# tries: to end the process with status 0 before anything is asked
# expect: DIED 0
import os

os._exit(0)
