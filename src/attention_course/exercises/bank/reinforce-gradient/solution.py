import numpy as np


def reinforce_estimate(scores, choices, rewards, baseline):
    """Return the estimated gradient of the reward, (n_rows, n_keys)."""
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    w = exps / exps.sum(axis=1, keepdims=True)
    chosen = np.eye(scores.shape[1])[choices]
    slopes = chosen - w[:, None, :]
    advantages = rewards - baseline[:, None]
    return (advantages[:, :, None] * slopes).mean(axis=1)
