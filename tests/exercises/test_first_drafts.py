"""First drafts, written otherwise than our solutions, are called by their mistake's name."""

import pytest

from attention_course.exercises import diagnose, examine_source, exercise_named

COSINE = """
import numpy as np
def cosine_attention(q, k, v, beta):
    q, k = (x / (np.sqrt((x * x).sum(1, keepdims=True)) + 1e-300) for x in (q, k))
    s = beta[:, None] * ({product})
    e = np.exp(s - s.max(1, keepdims=True))
    w = e / e.sum(1, keepdims=True)
    return w @ v, w
"""
HALF = """
import numpy as np
def half_attention(q, k, v, mask=None):
    q, k, v = np.float32(q), np.float32(k), np.float32(v)
    s = ({product}) / np.float32(q.shape[1]) ** np.float32(0.5)
    if mask is not None:
        s = np.where(mask, s, np.float32(-np.inf))
    top = s.max(1, keepdims=True)
    e = np.exp(s - np.where(np.isfinite(top), top, np.float32(0)))
    z = e.sum(1, keepdims=True)
    return (e / np.where(z > 0, z, np.float32(1)) @ v).astype(np.float16)
"""
ONLINE = """
import numpy as np
def attend_blockwise(q, blocks):
    total, acc = 0.0, 0.0
    for k, v in blocks:
        e = np.exp(q @ k.T / q.shape[1] ** 0.5)
        total, acc = total + e.sum(1), acc + e @ v
    return acc / total[:, None], np.log(total)
"""
TILED = """
import numpy as np
def attend_in_tiles(q, k, v, block_q, block_k, causal):
    (n, d), more = q.shape, len(k) - len(q)
    context, logs, tiles = np.zeros((n, v.shape[1])), np.full(n, -np.inf), 0
    for i in range(0, n, block_q):
        Q, total, acc = q[i : i + block_q], 0.0, 0.0
        row = np.arange(i, i + len(Q))[:, None]
        for j in range(0, i + len(Q) + more if causal else len(k), block_k):
            K, tiles = k[j : j + block_k], tiles + 1
            later = np.arange(j, j + len(K)) > row + more if causal else False
            e = np.exp(np.where(later, -np.inf, Q @ K.T / d**0.5))
            total, acc = total + e.sum(1), acc + e @ v[j : j + block_k]
        for r in range(len(Q)):
            if np.ndim(total) and total[r] > 0:
                context[i + r], logs[i + r] = acc[r] / total[r], np.log(total[r])
    return context, logs, tiles
"""
LOCAL = """
import numpy as np
def local_p_weights(scores, h, W_p, v_p, D):
    S = scores.shape[1]
    p = S / (1 + np.exp(-np.tanh(h @ W_p.T) @ v_p))
    weights = np.zeros_like(scores)
    for t, centre in enumerate(p):
        best = max((s for s in range(S) if abs(s - centre) <= D), key=lambda s: scores[t, s])
        weights[t, best] = np.exp(-2 * ((best - centre) / D) ** 2)
    return p, weights
"""
DRAFTS = {
    "cosine, exchanged": (COSINE, "k @ q.T", "queries and keys change places"),
    "cosine, reshaped": (
        COSINE,
        "q @ k.reshape(k.shape[::-1])",
        "the keys are reshaped instead of transposed",
    ),
    "half, exchanged": (HALF, "k @ q.T", "queries and keys change places"),
    "half, reshaped": (
        HALF,
        "q @ k.reshape(k.shape[::-1])",
        "the keys are reshaped instead of transposed",
    ),
    "online, no shift": (ONLINE, "", "no largest score is subtracted"),
    "tiled, no shift": (TILED, "", "no largest score is subtracted"),
    "local-p, argmax": (LOCAL, "", "all the weight goes to the best key"),
}
OF = {
    COSINE: "cosine-attention",
    HALF: "half-attention",
    ONLINE: "online-softmax",
    TILED: "tiled-forward",
    LOCAL: "local-p",
}


@pytest.mark.parametrize("draft", DRAFTS)
def test_a_first_draft_is_called_by_its_mistake_alone(draft):
    source, product, name = DRAFTS[draft]
    report = examine_source(exercise_named(OF[source]), source.replace("{product}", product))
    assert [wrong.name for wrong in diagnose(report).mistakes] == [name]
