# tries: the same before any input was read
# expect: WRONG|PROTOCOL|DIED 0
import base64
import os

REPLY = base64.b64decode("@public_reply@")
for number in range(256):
    try:
        os.write(number, REPLY * 5)
    except OSError:
        continue
os._exit(0)
