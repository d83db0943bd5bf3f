# %% key-by-key of online-softmax: 7: nothing: it goes from key to key
    top, total, acc = np.full(len(q), -np.inf), 0.0, 0.0
    for keys, values in blocks:
        for key, value in zip(keys, values):
            score = q @ key / np.sqrt(q.shape[1])
            most = np.maximum(top, score)
            old, new = np.exp(top - most), np.exp(score - most)
            total, acc, top = old * total + new, old[:, None] * acc + np.outer(new, value), most
    return acc / total[:, None], top + np.log(total)

# %% joined-rows of online-softmax: at most 0: an array of the rows of all blocks
    return at_once(q, *(np.array([row for b in blocks for row in b[i]]) for i in (0, 1)))

# %% joined-lists of online-softmax: at most 0: lists of numbers, put together
    return at_once(q, *(np.array(sum((b[i].tolist() for b in blocks), [])) for i in (0, 1)))

# %% joined-bytes of online-softmax: at most 0: bytes, put together
    both = (b"".join(b[i].tobytes() for b in blocks) for i in (0, 1))
    widths = blocks[0][0].shape[1], blocks[0][1].shape[1]
    return at_once(q, *(np.frombuffer(x).reshape(-1, n) for x, n in zip(both, widths)))

# %% joined-in-one-made-before of online-softmax: at most 0: an array that the blocks fill
    sizes = [len(k) for k, _ in blocks]
    keys = np.empty((sum(sizes), q.shape[1]))
    values = np.empty((sum(sizes), blocks[0][1].shape[1]))
    for end, (k, v) in zip(np.cumsum(sizes), blocks):
        keys[end - len(k) : end], values[end - len(k) : end] = k, v
    return at_once(q, keys, values)

# %% joined-by-getattr of online-softmax: at most 0: NumPy's own way, fetched by a text
    join = getattr(np, "concat" + "enate")
    return at_once(q, join([k for k, _ in blocks]), join([v for _, v in blocks]))

# %% joined-by-dictionary of online-softmax: at most 0: NumPy's own way, out of a dictionary
    join = vars(np)["v" + "stack"]
    return at_once(q, join([k for k, _ in blocks]), join([v for _, v in blocks]))

# %% joined-scores of online-softmax: at most 0: the scores of all blocks in one array
    scores = np.array([row for k, _ in blocks for row in (q @ k.T).T]).T / np.sqrt(q.shape[1])
    values = np.array([row for _, v in blocks for row in v])
    return at_once(scores, np.eye(scores.shape[1]) * np.sqrt(scores.shape[1]), values)

# %% single of half-attention: 8: nothing: float32 by another of its names
    return halved(lambda x: x.astype(np.single), q, k, v, mask)

# %% single-by-text of half-attention: 8: nothing: float32 by a text
    return halved(lambda x: np.array(x, dtype="f4"), q, k, v, mask)

# %% double-float of half-attention: at most 0: Python's own float
    return halved(lambda x: x.astype(float), q, k, v, mask)

# %% double-by-text of half-attention: at most 0: a text
    return halved(lambda x: x.astype("f8"), q, k, v, mask)

# %% double-by-letter of half-attention: at most 0: a letter
    return halved(lambda x: np.array(x, "d"), q, k, v, mask)

# %% double-by-getattr of half-attention: at most 0: its name in two pieces
    return halved(lambda x: x.astype(getattr(np, "float" + "64")), q, k, v, mask)

# %% double-by-ones of half-attention: at most 0: an array of ones
    return halved(lambda x: x * np.ones(1), q, k, v, mask)

# %% double-by-lists of half-attention: at most 0: lists of numbers
    return halved(lambda x: np.array(x.tolist()), q, k, v, mask)

# %% double-by-ufunc of half-attention: at most 0: a sum in another type
    return halved(lambda x: np.add(x, 0, dtype=float), q, k, v, mask)

# %% double-in-the-scores of half-attention: at most 0: only the product
    return halved(lambda x: np.matmul(x, np.eye(x.shape[1])), q, k, v, mask)

# %% longer-still of half-attention: at most 0: the longest there is
    return halved(lambda x: x.astype("g"), q, k, v, mask)

# %% double-by-fsum of half-attention: at most 0: sums of Python's own, number by number
    return halved(lambda x: np.array([[math.fsum(row * one) for one in np.eye(len(row))] for row in x]), q, k, v, mask)
