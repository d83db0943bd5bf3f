# EXERCISE self-attention
# FAULT the softmax runs over axis 1
# FAULT the weights are scaled instead of the scores
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
