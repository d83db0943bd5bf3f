# EXERCISE self-attention
# FAULT no largest score is subtracted
# FAULT the scale is that of the model's width
import numpy as np


def self_attention_layer(X, W_q, W_k, W_v):
    Q, K, V = np.matmul(X, W_q), np.matmul(X, W_k), np.matmul(X, W_v)
    S = np.matmul(Q, np.moveaxis(K, -1, -2)) / X.shape[-1] ** 0.5
    P = np.exp(S)
    P = P / P.sum(axis=-1)[..., None]
    return np.matmul(P, V), P
