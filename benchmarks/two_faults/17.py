# EXERCISE rotary-positions
# FAULT the pairs turn the other way round
# FAULT the scores are not divided
import numpy as np


def rotate(x, positions):
    d = x.shape[-1]
    theta = positions[:, None] * 10000.0 ** (-np.arange(d // 2) * 2 / d)
    z = x[..., ::2] + 1j * x[..., 1::2]
    z = z * np.exp(-1j * theta)
    out = np.stack([z.real, z.imag], axis=-1)
    return out.reshape(x.shape)


def rotary_attention(q, k, v, offset=0):
    q = rotate(q, offset + np.arange(q.shape[-2]))
    k = rotate(k, np.arange(k.shape[-2]))
    s = q @ k.swapaxes(-1, -2)
    e = np.exp(s - s.max(-1, keepdims=True))
    return k, s, (e / e.sum(-1, keepdims=True)) @ v
