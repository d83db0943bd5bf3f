# %% inputs-in-the-dtype: ERROR 0: to carry the hidden inputs out in the name of a dtype
    return np.zeros(len(k), [(repr(float(x)), "f8") for x in q]), np.zeros(v.shape[1])

# %% inputs-in-the-message: ERROR 0: to carry the hidden inputs out in an error's message
    raise ValueError(f"{q.tolist()} {k.tolist()} {v.tolist()}")

# %% inputs-in-the-name: ERROR 0: to carry the hidden inputs out in an error's name and line
    raise type(repr(q.tolist()), (Exception,), {})(repr(v.tolist()))

# %% inputs-kept-for-the-public-run: ERROR 0: to keep hidden inputs in files, and say them later
    said = []
    for path in glob.glob("/tmp/attention-hostile*") + glob.glob("/dev/shm/attention-hostile*"):
        with contextlib.suppress(OSError), open(path) as file:
            said.append(file.read())
    for folder in ("/tmp", "/dev/shm", "."):
        written(f"{folder}/attention-hostile-{os.getpid()}", repr(q.tolist()))
    raise ValueError(" ".join(said))

# %% inputs-printed: WRONG 0: to print the hidden inputs on every stream, and to warn of them
    print(q.tolist(), k.tolist(), v.tolist())
    print(q.tolist(), file=sys.__stderr__)
    warnings.warn(repr(q.tolist()), stacklevel=1)
    return zeros(k, v)

# %% inputs-returned: WRONG 0: to carry hidden inputs out in the complaint about a wrong value
    return [q[0]] * len(k), v[0]

# %% terminal-codes: ERROR 0: terminal codes and backward texts in an error's message and name
    name = "\x1b]0;title\x07\x1b[2J\u202eKO"
    raise type(name, (Exception,), {})("\x1b[31m5/5\x1b[0m \u202e\u2066\u2069 \x9b2J \x07\x08\r")
