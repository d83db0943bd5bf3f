import numpy as np


def transposed(x):
    return np.swapaxes(x, -1, -2)


def attention_backward(q, k, v, g):
    """Return the gradients of q, k and v, given g, that of the context."""
    scale = q.shape[-1] ** -0.5
    scores = scale * q @ transposed(k)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    dv = transposed(weights) @ g
    dw = g @ transposed(v)
    ds = weights * (dw - (dw * weights).sum(axis=-1, keepdims=True))
    dq = scale * ds @ k
    dk = scale * transposed(ds) @ q
    return dq, dk, dv
