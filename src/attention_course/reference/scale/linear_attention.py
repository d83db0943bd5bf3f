"""Linear attention: a kernel in the place of the exponential, and a running sum of the past."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import enough_keys
from attention_course.reference._checked import checked
from attention_course.reference._core import positive


@checked(enough_keys, non_empty_axes="d_k k", upcast_float16=True)
def linear_attention(
    q: Float[np.ndarray, "*batch q d_k"],
    k: Float[np.ndarray, "*batch k d_k"],
    v: Float[np.ndarray, "*batch k d_v"],
    causal: bool = False,
) -> Float[np.ndarray, "*batch q d_v"]:
    r"""Mix the values by products of positive features, without a table of weights.

    .. math:: S_i = S_{i-1} + \varphi(\mathbf k_i)\, \mathbf v_i^\top, \qquad
       \mathbf z_i = \mathbf z_{i-1} + \varphi(\mathbf k_i), \qquad
       \mathbf c_i = \frac{S_i^\top \varphi(\mathbf q_i)}
       {\mathbf z_i \cdot \varphi(\mathbf q_i)}

    with :math:`\varphi(x) = \operatorname{elu}(x) + 1`. The past is a matrix S and a vector z,
    however long it was: a recurrent network. Without ``causal`` every query uses the last S
    and z, and the result is that of :func:`~attention_course.reference.kernel_attention`.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        causal: whether each query sees only the keys up to its own place. The last query
            is beside the last key.

    Returns:
        The context vectors.

    Source:
        Katharopoulos et al. (2020), equations 7 and 16 to 20.

    >>> x, v = np.zeros((3, 2)), np.array([[0.0], [2.0], [4.0]])
    >>> linear_attention(x, x, v, causal=True)
    array([[0.],
           [1.],
           [2.]])
    """
    n_q, n_k = q.shape[-2], k.shape[-2]
    phi_q, phi_k = positive(q), positive(k)
    S, z = v[..., :1, :] * phi_k[..., 0, :, None] * 0, phi_k[..., 0, :] * 0
    context = np.empty((*q.shape[:-1], v.shape[-1]), np.result_type(q, k, v))
    done = 0
    for i in range(n_q):
        last = n_k - n_q + i + 1 if causal else n_k
        for j in range(done, last):
            S = S + phi_k[..., j, :, None] * v[..., j, None, :]
            z = z + phi_k[..., j, :]
        done = last
        above = (phi_q[..., i, None, :] @ S)[..., 0, :]
        context[..., i, :] = above / (phi_q[..., i, :] * z).sum(-1, keepdims=True)
    return context
