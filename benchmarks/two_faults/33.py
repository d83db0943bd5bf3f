# EXERCISE self-attention
# FAULT the words themselves are compared
# FAULT only the returned weights are transposed
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    def softmax(rows):
        e = np.exp(rows - rows.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    similarity = np.einsum("...id,...jd->...ij", X, X) / np.sqrt(W_k.shape[-1])
    alpha = softmax(similarity)
    context = np.einsum("...ij,...jd->...id", alpha, X @ W_v)
    return context, np.einsum("...ij->...ji", alpha)
