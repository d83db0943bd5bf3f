# tries: headers with shapes, kinds, names and numbers that a parser does not expect
# expect: PROTOCOL|DIED|WRONG 0
import json
import os
import struct

BASE = {
    "values": [["weights", "float64", [5]], ["context", "float64", [7]]],
    "body": True,
    "changed": [],
    "state": [],
    "lines": [],
    "error": "",
    "message": "",
    "line": 0,
}
ODD = [
    {"values": [["weights", "float64", [-1]], ["context", "float64", [10**12, 10**12]]]},
    {"values": [["weights", "object", [5]], ["context", "float64", [1.5]]]},
    {"values": [["weights", "float64", "5"], ["context", "text", [[7]]]]},
    {"values": {"weights": 1}, "error": ["x"], "line": 1e308},
    {"values": [[{}, [], None]], "lines": ["x"], "changed": "q"},
    {"values": [], "body": False},
    {"line": float("nan"), "state": [float("inf")], "message": "\ud800"},
    {"values": [["weights", "float64", [True]], ["context", "float64", [10**400]]]},
]


def four_steps(q, k, v):
    header = json.dumps(BASE | ODD[len(k) % len(ODD)]).encode()
    reply = struct.pack("<I", len(header)) + header + b"\x7f\xf8" * 48
    for number in range(1, 256):
        try:
            os.write(number, reply)
        except OSError:
            continue
    os._exit(0)
