# %% self-attention: the scale is missing | the softmax runs over the queries
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    queries = np.einsum("...nd,dk->...nk", X, W_q)
    keys = np.einsum("...nd,dk->...nk", X, W_k)
    values = np.einsum("...nd,dv->...nv", X, W_v)
    table = np.einsum("...ik,...jk->...ij", queries, keys)
    table = table - np.max(table, axis=-2, keepdims=True)
    e = np.exp(table)
    alpha = e / np.sum(e, axis=-2, keepdims=True)
    return np.einsum("...ij,...jv->...iv", alpha, values), alpha


# %% self-attention: the scores are divided by d_k | the weights come first
import numpy as np


def softmax(x):
    x = x - x.max(-1, keepdims=True)
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def self_attention_layer(X, W_q, W_k, W_v):
    d_k = W_k.shape[1]
    A = softmax((X @ W_q) @ (X @ W_k).swapaxes(-2, -1) / d_k)
    return A, A @ (X @ W_v)


# %% self-attention: no largest score is subtracted | the scale is that of the model's width
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    Q, K, V = np.matmul(X, W_q), np.matmul(X, W_k), np.matmul(X, W_v)
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) / X.shape[-1] ** 0.5
    P = np.exp(S)
    P = P / P.sum(axis=-1)[..., None]
    return np.matmul(P, V), P


# %% self-attention: the queries are used as keys | a word may not attend to itself
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    n = X.shape[-2]
    d_k = W_q.shape[-1]
    q = X @ W_q
    scores = q @ np.swapaxes(q, -1, -2) / np.sqrt(d_k)
    scores = np.where(np.eye(n, dtype=bool), -1e30, scores)
    scores = scores - scores.max(axis=-1, keepdims=True)
    w = np.exp(scores)
    w = w / w.sum(axis=-1, keepdims=True)
    return w @ (X @ W_v), w


# %% scaled-dot-product-attention: nothing divides the scores | the table is aligned at the top left
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    s = np.einsum("...id,...jd->...ij", q, k)
    n, m = s.shape[-2], s.shape[-1]
    allowed = np.broadcast_to(True, s.shape)
    if mask is not None:
        allowed = np.logical_and(allowed, mask)
    if causal:
        allowed = np.logical_and(allowed, np.arange(m)[None] <= np.arange(n)[:, None])
    s = np.where(allowed, s, -np.inf)
    biggest = np.max(s, axis=-1, keepdims=True)
    biggest = np.where(np.isfinite(biggest), biggest, 0)
    e = np.exp(s - biggest)
    z = e.sum(-1, keepdims=True)
    w = np.divide(e, z, out=np.zeros_like(e), where=z > 0)
    return np.einsum("...ij,...jv->...iv", w, v), w


# %% scaled-dot-product-attention: the mask is turned over | the weights come first
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    logits = (q / np.sqrt(k.shape[-1])) @ k.swapaxes(-1, -2)
    blocked = np.zeros(logits.shape, dtype=bool)
    if mask is not None:
        blocked = blocked | mask
    if causal:
        late = np.triu(np.ones(logits.shape[-2:], dtype=bool), k=1 + k.shape[-2] - q.shape[-2])
        blocked = blocked | late
    logits = np.where(blocked, -np.inf, logits)
    m = logits.max(-1, keepdims=True)
    m[np.isinf(m)] = 0
    p = np.exp(logits - m)
    total = p.sum(-1, keepdims=True)
    total[total == 0] = 1
    p = p / total
    return p, p @ v


# %% scaled-dot-product-attention: queries that see nothing come out as NaN | a query does not see its own key
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    d = q.shape[-1]
    scores = q @ np.swapaxes(k, -2, -1) * d**-0.5
    nq, nk = scores.shape[-2:]
    if causal:
        i = np.arange(nq).reshape(-1, 1) + nk - nq
        j = np.arange(nk).reshape(1, -1)
        scores = np.where(j < i, scores, -np.inf)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        scores = scores - scores.max(axis=-1, keepdims=True)
        w = np.exp(scores)
        w = w / w.sum(axis=-1, keepdims=True)
    return w @ v, w


# %% scaled-dot-product-attention: nothing is subtracted before the exponential | causal is ignored
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    numerators = np.exp(scores)
    if mask is not None:
        numerators = numerators * mask
    sums = numerators.sum(-1, keepdims=True)
    weights = numerators / np.where(sums == 0, 1, sums)
    return weights @ v, weights


# %% scaled-dot-product-attention: the softmax runs over the queries | a query sees one key too many
import numpy as np


def softmax(x, axis):
    top = x.max(axis=axis, keepdims=True)
    top = np.where(top == -np.inf, 0, top)
    e = np.exp(x - top)
    s = e.sum(axis=axis, keepdims=True)
    return e / np.where(s == 0, 1, s)


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    x = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    if mask is not None:
        x = np.where(mask, x, -np.inf)
    if causal:
        n_q, n_k = x.shape[-2:]
        see = np.tril(np.ones((n_q, n_k)), n_k - n_q + 1) == 1
        x = np.where(see, x, -np.inf)
    w = softmax(x, -2)
    return w @ v, w


# %% stable-softmax: the largest score is not taken away | the mask is ignored
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    powers = np.exp(x)
    return powers / np.sum(powers, axis=axis, keepdims=True)


# %% stable-softmax: the weights are masked after the softmax | the largest score of the whole array is taken away
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    e = np.exp(x - np.max(x))
    p = e / e.sum(axis=axis, keepdims=True)
    if mask is not None:
        p = np.where(mask, p, 0.0)
    return p


# %% stable-softmax: the mask is read the other way round | a row in which all is masked gives nan
import numpy as np


def stable_softmax(x, axis=-1, mask=None):
    scores = np.array(x, dtype=float)
    if mask is not None:
        scores[np.broadcast_to(mask, scores.shape)] = -np.inf
    scores -= scores.max(axis=axis, keepdims=True)
    w = np.exp(scores)
    w /= w.sum(axis=axis, keepdims=True)
    return w


# %% window-mask: the window is one key too wide | the first tokens are seen even by those before them
import numpy as np


def long_mask(n_q, n_k, width, first):
    out = np.zeros((n_q, n_k), dtype=bool)
    for row in range(n_q):
        me = n_k - n_q + row
        for col in range(n_k):
            if col < first:
                out[row, col] = True
            elif col <= me and me - col <= width:
                out[row, col] = True
    return out


# %% window-mask: the first tokens are forgotten | the mask is turned over
import numpy as np


def long_mask(n_q, n_k, width, first):
    offset = n_k - n_q
    i = np.arange(offset, n_k)[:, None]
    j = np.arange(n_k)[None, :]
    too_late = j > i
    too_old = i - j >= width
    return too_late | too_old


# %% sinusoidal-positions: the base is 1000 | the offset is ignored
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    pe = np.zeros((n, d_model))
    for pos in range(n):
        for i in range(0, d_model, 2):
            angle = pos / (1000 ** (i / d_model))
            pe[pos, i] = np.sin(angle)
            pe[pos, i + 1] = np.cos(angle)
    return pe


# %% sinusoidal-positions: all sines come first and all cosines behind them | positions are counted from 1
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    position = offset + 1 + np.arange(n)
    rate = np.exp(-np.log(10000) * np.arange(0, d_model, 2) / d_model)
    phase = np.outer(position, rate)
    return np.concatenate([np.sin(phase), np.cos(phase)], axis=1)


# %% rotary-positions: the pairs turn the other way round | the scores are not divided
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


# %% rotary-positions: feature i is paired with feature i + d_k/2 | the offset is ignored
import numpy as np


def rotate_half(x):
    half = x.shape[-1] // 2
    return np.concatenate([-x[..., half:], x[..., :half]], axis=-1)


def rotary_attention(q, k, v, offset=0):
    d = q.shape[-1]
    inv = 1.0 / 10000 ** (np.arange(0, d, 2) / d)

    def rope(x):
        ang = np.outer(np.arange(x.shape[-2]), inv)
        ang = np.concatenate([ang, ang], axis=-1)
        return x * np.cos(ang) + rotate_half(x) * np.sin(ang)

    q, k = rope(q), rope(k)
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) / np.sqrt(d)
    w = np.exp(scores - scores.max(axis=-1, keepdims=True))
    w = w / w.sum(axis=-1, keepdims=True)
    return k, scores, np.matmul(w, v)


# %% rotary-positions: the values are turned as well | the weights are returned in the place of the scores
import numpy as np


def rope(x, first=0):
    pos = np.arange(x.shape[-2]) + first
    d = x.shape[-1]
    out = np.zeros_like(x)
    for p in range(0, d, 2):
        phi = pos / 10000 ** (p / d)
        out[..., p] = x[..., p] * np.cos(phi) - x[..., p + 1] * np.sin(phi)
        out[..., p + 1] = x[..., p] * np.sin(phi) + x[..., p + 1] * np.cos(phi)
    return out


def rotary_attention(q, k, v, offset=0):
    d = q.shape[-1]
    q, k, v = rope(q, offset), rope(k), rope(v)
    scores = q @ np.swapaxes(k, -1, -2) / d**0.5
    w = np.exp(scores - scores.max(-1, keepdims=True))
    w /= w.sum(-1, keepdims=True)
    return k, w, w @ v


# %% bahdanau-step: the update gate keeps the old state | the bias is left out
import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d = s.shape[0]
    e = np.array([v_a @ np.tanh(W_a @ s + U_a @ h_j) for h_j in h])
    e = np.exp(e - e.max())
    alpha = e / e.sum()
    c = alpha @ h
    a = W @ y + C @ c
    z = sigmoid(a[d : 2 * d] + U[d : 2 * d] @ s)
    r = sigmoid(a[2 * d :] + U[2 * d :] @ s)
    new = np.tanh(a[:d] + U[:d] @ (r * s))
    return z * s + (1 - z) * new, c, alpha


# %% bahdanau-step: update and reset gate change places | context and weights change places
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    energy = np.tanh((W_a @ s)[None] + h @ U_a.T).dot(v_a)
    energy = energy - energy.max()
    alpha = np.exp(energy) / np.exp(energy).sum()
    context = (alpha[:, None] * h).sum(0)
    W_h, W_r, W_z = np.split(W, 3)
    C_h, C_r, C_z = np.split(C, 3)
    b_h, b_r, b_z = np.split(b, 3)
    U_h, U_r, U_z = np.split(U, 3)
    r = 1 / (1 + np.exp(-(W_r @ y + C_r @ context + b_r + U_r @ s)))
    z = 1 / (1 + np.exp(-(W_z @ y + C_z @ context + b_z + U_z @ s)))
    s_hat = np.tanh(W_h @ y + C_h @ context + b_h + U_h @ (r * s))
    return (1 - z) * s + z * s_hat, alpha, context


# %% bahdanau-step: the reset gate acts after the matrix | the scores have no tanh
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    n = len(s)
    scores = (W_a @ s + h @ U_a.T) @ v_a
    w = np.exp(scores - np.max(scores))
    w = w / np.sum(w)
    c = w @ h
    x = W @ y + C @ c + b
    hh = U @ s
    gate = lambda lo, hi: 1 / (1 + np.exp(-(x[lo:hi] + hh[lo:hi])))
    z, r = gate(n, 2 * n), gate(2 * n, 3 * n)
    cand = np.tanh(x[:n] + r * hh[:n])
    return s + z * (cand - s), c, w


# %% bahdanau-step: the largest score is not taken away | the context reaches the candidate alone
import numpy as np


def bahdanau_step(s, y, h, W_a, U_a, v_a, W, C, b, U):
    d = len(s)
    scores = np.tanh(s @ W_a.T + h @ U_a.T) @ v_a
    weights = np.exp(scores) / np.exp(scores).sum()
    context = h.T @ weights
    pre = W @ y + b
    z = 1 / (1 + np.exp(-(pre[d : 2 * d] + U[d : 2 * d] @ s)))
    r = 1 / (1 + np.exp(-(pre[2 * d :] + U[2 * d :] @ s)))
    cand = np.tanh(pre[:d] + C[:d] @ context + U[:d] @ (s * r))
    return z * cand + (1 - z) * s, context, weights


# %% local-p: sigma is D | the window's edges are left out
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    S = scores.shape[-1]
    p = S / (1 + np.exp(-(np.tanh(h @ W_p.T) @ v_p)))
    weights = np.zeros(scores.shape)
    for t in range(len(p)):
        s = np.arange(S)
        near = s[abs(s - p[t]) < D]
        e = scores[t, near]
        e = np.exp(e - e.max())
        e = e / e.sum()
        weights[t, near] = e * np.exp(-((near - p[t]) ** 2) / (2 * D**2))
    return p, weights


# %% local-p: the tanh is missing | the softmax runs over all positions, and the window is cut out afterwards
import numpy as np


def local_p_weights(scores, h, W_p, v_p, D):
    n_q, n_k = scores.shape
    p = n_k * 1 / (1 + np.exp(-(h @ W_p.T @ v_p)))
    a = np.exp(scores - scores.max(axis=1)[:, None])
    a = a / a.sum(axis=1)[:, None]
    delta = np.arange(n_k) - p[:, None]
    a = a * np.exp(-2 * delta**2 / D**2)
    a[np.abs(delta) > D] = 0
    return p, a


# %% input-feeding: the vector is fed in before the word | scores are returned in the place of weights
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    state = np.array(h_0)
    att = np.zeros(W_c.shape[0])
    outs = np.zeros((len(y), W_c.shape[0]))
    table = np.zeros((len(y), len(states)))
    for t in range(len(y)):
        state = np.tanh(W @ np.r_[att, y[t]] + U @ state)
        s = states @ state
        e = np.exp(s - s.max())
        c = (e / e.sum()) @ states
        att = np.tanh(W_c @ np.r_[c, state])
        outs[t], table[t] = att, s
    return outs, table


# %% input-feeding: nothing is fed in | the scores are divided by the square root of the width
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    d_y = y.shape[1]
    d = states.shape[1]
    h = h_0
    res, alphas = [], []
    for t in range(y.shape[0]):
        h = np.tanh(W[:, :d_y] @ y[t] + U @ h)
        s = states @ h / np.sqrt(d)
        s = s - s.max()
        alpha = np.exp(s) / np.exp(s).sum()
        c = alpha @ states
        res.append(np.tanh(W_c @ np.hstack((c, h))))
        alphas.append(alpha)
    return np.vstack(res), np.vstack(alphas)


# %% cosine-attention: only the keys are brought to length 1 | the strength is left out
import numpy as np


def cosine_attention(q, k, v, beta):
    norm = np.sqrt((k**2).sum(1, keepdims=True))
    norm[norm == 0] = 1
    s = q @ (k / norm).T
    w = np.exp(s - s.max(1, keepdims=True))
    w = w / w.sum(1, keepdims=True)
    return w @ v, w


# %% cosine-attention: the softmax runs over the queries | vectors of zeros give nan
import numpy as np


def cosine_attention(q, k, v, beta):
    with np.errstate(all="ignore"):
        dots = np.einsum("id,jd->ij", q, k)
        lengths = np.linalg.norm(q, axis=1)[:, None] * np.linalg.norm(k, axis=1)[None]
        s = dots / lengths * beta[:, None]
        e = np.exp(s - s.max(axis=0))
        w = e / e.sum(axis=0)
    return w @ v, w


# %% online-softmax: the scale is missing | the log of the sum misses the largest score
import numpy as np


def attend_blockwise(q, blocks):
    m = np.full((len(q), 1), -np.inf)
    l = np.zeros((len(q), 1))
    o = 0
    for k, v in blocks:
        if k.shape[0] == 0:
            continue
        s = q @ k.T
        m_new = np.maximum(m, s.max(axis=1, keepdims=True))
        p = np.exp(s - m_new)
        correction = np.exp(m - m_new)
        l = l * correction + p.sum(axis=1, keepdims=True)
        o = o * correction + p @ v
        m = m_new
    return o / l, np.log(l[:, 0])


# %% online-softmax: the summed values are not rescaled | the scores are divided by d_k
import numpy as np


def attend_blockwise(q, blocks):
    n, d = q.shape
    top = np.full(n, -np.inf)
    denominator = np.zeros(n)
    numerator = np.zeros((n, blocks[0][1].shape[1]))
    for keys, values in blocks:
        if len(keys):
            s = q @ keys.T / d
            old = top
            top = np.maximum(old, s.max(1))
            e = np.exp(s - top[:, None])
            denominator = denominator * np.exp(old - top) + e.sum(1)
            numerator = numerator + e @ values
    return numerator / denominator[:, None], top + np.log(denominator)


# %% self-attention: the softmax runs over axis 1 | the weights are scaled instead of the scores
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    Q = X @ W_q
    K = X @ W_k
    V = X @ W_v
    scores = Q @ np.swapaxes(K, -2, -1)
    scores = scores - scores.max(axis=1, keepdims=True)
    attention = np.exp(scores)
    attention = attention / attention.sum(axis=1, keepdims=True)
    attention = attention / np.sqrt(K.shape[-1])
    return attention @ V, attention


# %% self-attention: the words themselves are compared | only the returned weights are transposed
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    def softmax(rows):
        e = np.exp(rows - rows.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    similarity = np.einsum("...id,...jd->...ij", X, X) / np.sqrt(W_k.shape[-1])
    alpha = softmax(similarity)
    context = np.einsum("...ij,...jd->...id", alpha, X @ W_v)
    return context, np.einsum("...ij->...ji", alpha)


# %% scaled-dot-product-attention: forbidden scores are set to 0 | the scores are divided by d_k
import numpy as np


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    n_q, d_k = q.shape[-2:]
    n_k = k.shape[-2]
    scores = q @ k.swapaxes(-1, -2) / d_k
    ok = np.ones((n_q, n_k), bool) if mask is None else np.asarray(mask)
    if causal:
        ok = ok & np.tri(n_q, n_k, n_k - n_q, dtype=bool)
    scores = scores * ok
    e = np.exp(scores - scores.max(-1, keepdims=True))
    weights = e / e.sum(-1, keepdims=True)
    return weights @ v, weights


# %% multi-head-attention: the root is of d_model | the weights are returned after dropout
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x_q, x_kv=None, mask=None):
        if x_kv is None:
            x_kv = x_q
        B, n_q, d_model = x_q.shape
        n_k = x_kv.shape[1]
        q = self.W_q(x_q).reshape(B, n_q, self.h, self.d_k)
        k = self.W_k(x_kv).reshape(B, n_k, self.h, self.d_k)
        v = self.W_v(x_kv).reshape(B, n_k, self.h, self.d_k)
        s = torch.einsum("bqhd,bkhd->bhqk", q, k) / math.sqrt(d_model)
        if mask is not None:
            s = s.masked_fill(~mask, -1e9)
        w = torch.softmax(s, dim=-1)
        if mask is not None:
            w = w * mask
        w = self.drop(w)
        c = torch.einsum("bhqk,bkhd->bqhd", w, v).reshape(B, n_q, d_model)
        return self.W_o(c), w


# %% multi-head-attention: nothing divides the scores | heads are joined with one view, without moving an axis back
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        b, n, _ = x.size()
        return x.reshape(b, n, self.h, self.d_k).permute(0, 2, 1, 3)

    def forward(self, x_q, x_kv=None, mask=None):
        source = x_q if x_kv is None else x_kv
        q, k, v = (
            self.heads(self.W_q(x_q)),
            self.heads(self.W_k(source)),
            self.heads(self.W_v(source)),
        )
        att = torch.matmul(q, k.transpose(-1, -2))
        if mask is not None:
            att = att.masked_fill(mask.logical_not(), torch.finfo(att.dtype).min)
        att = att.softmax(-1)
        if mask is not None:
            att = att.masked_fill(mask.logical_not(), 0)
        out = torch.matmul(self.drop(att), v)
        return self.W_o(out.contiguous().view(x_q.shape)), att


# %% multi-head-attention: the mask is turned over | the weights come first
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x_q, x_kv=None, mask=None):
        x_kv = x_q if x_kv is None else x_kv
        shape = lambda t: t.unflatten(-1, (self.h, self.d_k)).transpose(1, 2)
        q, k, v = shape(self.W_q(x_q)), shape(self.W_k(x_kv)), shape(self.W_v(x_kv))
        logits = (q * self.d_k**-0.5) @ k.mT
        if mask is not None:
            logits = torch.where(mask, torch.full_like(logits, -1e30), logits)
        p = torch.softmax(logits, -1)
        if mask is not None:
            p = torch.where(mask, torch.zeros_like(p), p)
        z = (self.drop(p) @ v).transpose(1, 2).flatten(2)
        return p, self.W_o(z)


# %% multi-head-attention: heads take every n-th number | dropout is ignored
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def cut(self, x):
        # (batch, n, d_model) -> (batch, heads, n, d_k)
        return x.view(x.shape[0], x.shape[1], self.d_k, self.h).permute(0, 3, 1, 2)

    def forward(self, x_q, x_kv=None, mask=None):
        if x_kv is None:
            x_kv = x_q
        q, k, v = self.cut(self.W_q(x_q)), self.cut(self.W_k(x_kv)), self.cut(self.W_v(x_kv))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9)
        weights = scores.softmax(dim=3)
        if mask is not None:
            weights = weights.masked_fill(~mask, 0.0)
        context = weights @ v
        joined = context.transpose(1, 2).reshape(x_q.shape)
        return self.W_o(joined), weights


# %% multi-head-attention: the softmax runs over the queries | the values come from x_q
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x_q, x_kv=None, mask=None):
        mem = x_q if x_kv is None else x_kv
        b = x_q.shape[0]
        Q = self.W_q(x_q).view(b, -1, self.h, self.d_k).transpose(1, 2)
        K = self.W_k(mem).view(b, -1, self.h, self.d_k).transpose(1, 2)
        V = self.W_v(x_q).view(b, -1, self.h, self.d_k).transpose(1, 2)
        S = Q @ K.transpose(-2, -1) / self.d_k**0.5
        if mask is not None:
            S = S.masked_fill(mask == 0, -1e9)
        P = S.softmax(dim=-2)
        if mask is not None:
            P = P.masked_fill(mask == 0, 0)
        O = self.drop(P) @ V
        O = O.transpose(1, 2).contiguous().view(b, -1, self.h * self.d_k)
        return self.W_o(O), P


# %% multi-head-attention: W_k and W_v change places | queries that see nothing look everywhere alike
import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.h = n_heads
        self.d_k = d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x_q, x_kv=None, mask=None):
        x = x_q if x_kv is None else x_kv
        b, n, D = x_q.shape
        m = x.shape[1]
        q = self.W_q(x_q).reshape(b, n, self.h, -1).swapaxes(1, 2)
        k = self.W_v(x).reshape(b, m, self.h, -1).swapaxes(1, 2)
        v = self.W_k(x).reshape(b, m, self.h, -1).swapaxes(1, 2)
        outs, ws = [], []
        for i in range(self.h):
            s = q[:, i] @ k[:, i].swapaxes(1, 2) / math.sqrt(self.d_k)
            if mask is not None:
                allowed = mask.expand(b, self.h, n, m)[:, i]
                s = s.masked_fill(~allowed, -1e9)
            w = s.softmax(-1)
            ws.append(w)
            outs.append(self.drop(w) @ v[:, i])
        return self.W_o(torch.cat(outs, -1)), torch.stack(ws, 1)
