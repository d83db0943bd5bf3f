# EXERCISE self-attention
# FAULT the scores are divided by d_k
# FAULT the weights come first
import numpy as np


def softmax(x):
    x = x - x.max(-1, keepdims=True)
    e = np.exp(x)
    return e / e.sum(-1, keepdims=True)


def self_attention_layer(X, W_q, W_k, W_v):
    d_k = W_k.shape[1]
    A = softmax((X @ W_q) @ (X @ W_k).swapaxes(-2, -1) / d_k)
    return A, A @ (X @ W_v)
