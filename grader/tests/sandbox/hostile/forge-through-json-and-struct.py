# tries: to patch json and struct in its own process, so that the reply says something else
# expect: WRONG|PROTOCOL|DIED 0
import base64
import json
import struct

REPLY = base64.b64decode("@public_reply@")
SIZE = struct.unpack_from("<I", REPLY)[0]
pack = struct.pack


def four_steps(q, k, v):
    json.dumps = lambda *args, **kwargs: REPLY[4 : 4 + SIZE].decode()
    struct.pack = lambda form, *numbers: pack(form, *numbers)
    return [0.2] * len(k), v.mean(0)
