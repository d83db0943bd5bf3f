def reinforce_estimate(scores, choices, rewards, baseline):
    """Return the estimated gradient of the reward, (n_rows, n_keys)."""
    raise NotImplementedError
