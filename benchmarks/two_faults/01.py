# EXERCISE self-attention
# FAULT the scale is missing
# FAULT the softmax runs over the queries
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
