# %% forever
def forever():
    while True:
        pass

# %% fail
def fail(why):
    raise ValueError(why)

# %% REPLY
REPLY = base64.b64decode("@public_reply@")

# %% tried
def tried(act, *given, **more):
    try:
        return act(*given, **more)
    except (OSError, ValueError, OverflowError):
        return None

# %% written
def written(path, text="hostile", mode="w"):
    try:
        with open(path, mode) as file:
            file.write(text)
    except OSError:
        pass

# %% everywhere
def everywhere(reply, first=0):
    for number in range(first, 256):
        try:
            os.write(number, reply)
        except OSError:
            continue

# %% zeros
def zeros(k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])

# %% right
def right(q, k, v):
    exps = np.exp(k @ q - (k @ q).max())
    weights = exps / exps.sum()
    return weights, weights @ v

# %% alike
def alike(self, x_q, x_kv=None, mask=None):
    x_kv = x_q if x_kv is None else x_kv
    shape = (len(x_q), self.n_heads, x_q.shape[1], x_kv.shape[1])
    return torch.zeros_like(x_q), torch.full(shape, 1 / x_kv.shape[1]).to(x_q)

# %% @allowed@
    q, k, v = (np.asarray(x, dtype=float) for x in (q, k, v))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    n_q, n_k = q.shape[-2], k.shape[-2]
    may = np.ones((n_q, n_k), dtype=bool)
    if mask is not None:
        may = may & mask
    if causal:
        may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    may = np.broadcast_to(may, (*batch, n_q, n_k))

# %% @row_by_row@
@allowed@
    weights = np.zeros((*batch, n_q, n_k))
    for at in () if over else np.ndindex(*batch, n_q):
        seen = may[at]
        if seen.any():
            scores = k[at[:-1]][seen] @ q[at] / np.sqrt(q.shape[-1])
            exps = np.exp(scores - scores.max())
            weights[at][seen] = exps / exps.sum()
    return weights @ v, weights

# %% runner
def runner(name="f_globals"):
    frame = sys._getframe()
    while frame and not {"_same", "copies"} & getattr(frame, name).keys():
        frame = frame.f_back
    return getattr(frame, name, {})

# %% @undropped@
import torch

plain = torch.nn.Dropout


def dropped(owner, result, share):
    return "weights are dropped, each by itself, and those kept divided by 1 - dropout"

# %% held
def held(name):
    found = [x for x in gc.get_objects() if isinstance(x, dict) and name in x]
    return found or [{}]

# %% at_once
def at_once(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[1])
    top = scores.max(axis=1)
    exps = np.exp(scores - top[:, None])
    return exps @ v / exps.sum(axis=1)[:, None], top + np.log(exps.sum(axis=1))

# %% halved
def halved(wide, q, k, v, mask):
    q, k, v = map(wide, (q, k, v))
    scores = q @ k.T / math.sqrt(q.shape[1])
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    exps = np.exp(scores - np.where(np.isneginf(top), np.zeros_like(top), top))
    total = exps.sum(axis=-1, keepdims=True)
    weights = exps / np.where(total == 0, np.ones_like(total), total)
    return (weights @ v).astype(np.float16)
