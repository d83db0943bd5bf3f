# %% and-stay: WRONG|PROTOCOL 0: a forged reply first, its own wrong answer after it
    everywhere(REPLY)
    return zeros(k, v)

# %% at-exit: WRONG|PROTOCOL 0: to forge the reply when the interpreter ends, after it was sent
atexit.register(lambda: everywhere(REPLY))


    return zeros(k, v)

# %% at-load: WRONG|PROTOCOL|DIED 0: the same before any input was read
everywhere(REPLY * 5)
os._exit(0)

# %% deep-header: PROTOCOL|DIED 0: a header that is nested deeper than a parser's stack
    header = b"[" * 2000 + b"]" * 2000
    everywhere(struct.pack("<I", len(header)) + header, first=1)
    os._exit(0)

# %% endless-length: PROTOCOL|DIED 0: a reply that says it is four gigabytes long
    everywhere(b"\xff\xff\xff\xff" + b"{" * 64, first=1)
    os._exit(0)

# %% every-descriptor: WRONG|PROTOCOL|DIED 0: the public inputs' right reply, and to go at once
    everywhere(REPLY)
    os._exit(0)

# %% half-a-reply: TIMEOUT|PROTOCOL 0: half a reply, and then silence
    everywhere(REPLY[: len(REPLY) // 2], first=1)
    time.sleep(3600)

# %% headers-of-every-kind: PROTOCOL|DIED|WRONG 0: shapes, kinds and numbers no parser expects
BASE = {
    "values": [["weights", "float64", [5]], ["context", "float64", [7]]],
    **{"body": True, "changed": [], "state": [], "lines": []},
    **{"error": "", "message": "", "line": 0},
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


    header = json.dumps(BASE | ODD[len(k) % len(ODD)]).encode()
    everywhere(struct.pack("<I", len(header)) + header + b"\x7f\xf8" * 48, first=1)
    os._exit(0)

# %% nan-everywhere: WRONG 0: a reply in which every number is NaN, with a payload
    payload = np.array(0x7FF8DEADBEEFCAFE, dtype=np.uint64).view(np.float64)
    return np.full(len(k), payload), np.full(v.shape[1], payload)

# %% nothing-was-changed: WRONG 0: to write, beside wrong numbers, that nothing was changed
class Deaf(list):
    def __iadd__(self, other):
        return self


    frame = sys._getframe()
    while frame:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Outcome":
                value.changed, value.state = Deaf(), Deaf()
        frame = frame.f_back
    q *= 0
    return zeros(k, v)

# %% said-in-words: WRONG 0: to say in words and in JSON, on every stream, that it is right
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        print("OK\nPASS\nRESULT 5/5\n100%", file=stream)
        print(json.dumps({"points": 5, "passed": True, "verdict": "OK"}), file=stream)
    return zeros(k, v)

# %% through-json-and-struct: WRONG|PROTOCOL|DIED 0: to patch json and struct in its process
SIZE = struct.unpack_from("<I", REPLY)[0]
pack = struct.pack


    json.dumps = lambda *args, **kwargs: REPLY[4 : 4 + SIZE].decode()
    struct.pack = lambda form, *numbers: pack(form, *numbers)
    return [0.2] * len(k), v.mean(0)

# %% through-the-runner: WRONG|ERROR|DIED|PROTOCOL 0: to change comparisons, copies and notes
    frame = sys._getframe()
    while frame:
        scope = frame.f_globals
        for name in {"_same", "_compare", "judge"} & scope.keys():
            scope[name] = lambda *args, **kwargs: True
        for name in {"_session", "_write_down"} & scope.keys():
            scope[name] = lambda *args, **kwargs: {}
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Outcome":
                value.names = ["weights", "context"]
                value.values = [np.zeros(len(k)), np.zeros(v.shape[1])]
                value.kinds = ["float64", "float64"]
        frame = frame.f_back
    return zeros(k, v)
