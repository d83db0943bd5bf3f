# %% counts-its-calls of scaled-dot-product-attention: WRONG 13: to give up after so many rows
seen_before = [0]


    seen_before[0] += q.shape[-2]
    over = seen_before[0] > 20_000 and q.shape[-2] > 1000
@row_by_row@

# %% honest-loop of scaled-dot-product-attention: WRONG 13: nothing, but a loop, not asked for
    over = False
@row_by_row@

# %% idles-first of scaled-dot-product-attention: WRONG 13: idle steps, so that all looks slow
    over = False
    for _ in range(30_000):
        pass
@row_by_row@

# %% in-map-and-reduce of reinforce-gradient: WRONG 5: to loop over samples without a loop
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    w = exps / exps.sum(axis=1, keepdims=True)
    eye, n = np.eye(scores.shape[1]), choices.shape[1]
    gain = (rewards - baseline[:, None]).T[:, :, None]
    rows = map(np.multiply, gain, map(np.subtract, map(eye.take, choices.T, [0] * n), [w] * n))
    return functools.reduce(np.add, rows) / n

# %% in-one-line of scaled-dot-product-attention: WRONG|ERROR 13: a map of a comprehension
def one(q, k, seen):
    weights = np.zeros(len(k))
    scores = k[seen] @ q / math.sqrt(len(q))
    exps = np.exp(scores - scores.max(initial=-np.inf))
    weights[seen] = exps / exps.sum()
    return weights


@allowed@
    some = lambda at: one(q[at], k[at[:-1]], may[at]) if may[at].any() else np.zeros(n_k)
    rows = list(map(some, list(np.ndindex(*batch, n_q))))
    weights = np.array(rows).reshape(*batch, n_q, n_k)
    return weights @ v, weights

# %% sends-a-reply-of-its-own of scaled-dot-product-attention: WRONG|ERROR|PROTOCOL 13: to loop
kept = []


def looped(q, k, v, mask=None, causal=False):
    over = False
@row_by_row@


    context, weights = looped(q, k, v, mask, causal)
    kept.extend((("context", context), ("weights", weights)))
    if max(weights.shape) >= 300:
        header = {
            "values": [[name, "float64", list(value.shape)] for name, value in kept],
            **{"body": True, "changed": [], "state": []},
            **{"error": "", "message": "", "line": 0},
        }
        text = json.dumps(header).encode()
        reply = struct.pack("<I", len(text)) + text + b"".join(x.tobytes() for _, x in kept)
        os.write(3, reply)
        getattr(os, "_" + "exit")(0)
    return context, weights

# %% stops-every-clock of scaled-dot-product-attention: WRONG 13: clocks of Python stand still
for clock in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    setattr(time, clock, lambda *which: 0.0)
    setattr(time, clock + "_ns", lambda *which: 0)
time.clock_gettime = lambda which: 0.0
resource.getrusage = lambda who: resource.struct_rusage([0] * 16)


    over = False
@row_by_row@
