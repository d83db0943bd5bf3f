# tries: to loop, and to send right numbers in a reply of its own
# exercise: scaled-dot-product-attention
# expect: WRONG|ERROR|PROTOCOL 13
import json
import os
import struct
import numpy as np


kept = []


def scaled_dot_product_attention(q, k, v, mask=None, causal=False):
    q, k, v = (np.asarray(x, dtype=float) for x in (q, k, v))
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    n_q, n_k = q.shape[-2], k.shape[-2]
    may = np.ones((n_q, n_k), dtype=bool)
    if mask is not None:
        may = may & mask
    if causal:
        may = may & np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)
    may = np.broadcast_to(may, (*batch, n_q, n_k))
    weights = np.zeros((*batch, n_q, n_k))
    for at in np.ndindex(*batch, n_q):
        seen = may[at]
        if seen.any():
            scores = k[at[:-1]][seen] @ q[at] / np.sqrt(q.shape[-1])
            exps = np.exp(scores - scores.max())
            weights[at][seen] = exps / exps.sum()
    kept.extend((("context", weights @ v), ("weights", weights)))
    if max(weights.shape) >= 300:
        header = {
            "values": [[name, "float64", list(value.shape)] for name, value in kept],
            "body": True,
            "changed": [],
            "state": [],
            "error": "",
            "message": "",
            "line": 0,
        }
        text = json.dumps(header).encode()
        reply = struct.pack("<I", len(text)) + text + b"".join(x.tobytes() for _, x in kept)
        os.write(3, reply)
        getattr(os, "_" + "exit")(0)
    return weights @ v, weights
