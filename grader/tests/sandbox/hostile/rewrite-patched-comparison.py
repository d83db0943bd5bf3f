# tries: to make every comparison of NumPy say yes
# expect: WRONG 0
import numpy as np

for name in ("allclose", "isclose", "array_equal"):
    setattr(np, name, lambda *args, **kwargs: np.True_)
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None
np.all = np.any = lambda *args, **kwargs: True


def four_steps(q, k, v):
    return np.zeros(len(k)), np.zeros(v.shape[1])
