# tries: torch's own softmax, in an exercise that is to be solved in NumPy
# expect: ERROR 0
def four_steps(q, k, v):
    import torch

    q, k, v = map(torch.from_numpy, (q, k, v))
    weights = torch.softmax(k @ q, 0)
    return weights.numpy(), (weights @ v).numpy()
