"""Linear attention in torch: at once without a direction, in chunks where it is causal."""

import torch
from torch import Tensor

from attention_course._shapes import Float
from attention_course.layers.recurrent.score_functions import positive
from attention_course.layers.scores import upcast_half
from attention_course.reference._check import enough_keys, one_format
from attention_course.reference._checked import checked

CHUNK = 64  # queries whose products with each other are computed as a table


@checked(enough_keys, one_format("q", "k"))
def linear_attention(
    q: Float[Tensor, "*batch q d_k"],
    k: Float[Tensor, "*batch k d_k"],
    v: Float[Tensor, "*batch k d_v"],
    causal: bool = False,
) -> Float[Tensor, "*batch q d_v"]:
    r"""Mix the values by products of positive features, without a table of weights.

    .. math:: \mathbf c_i = \frac{S_i^\top \varphi(\mathbf q_i)}
       {\mathbf z_i \cdot \varphi(\mathbf q_i)}, \qquad
       S_i = \sum_{j \le i} \varphi(\mathbf k_j)\, \mathbf v_j^\top, \qquad
       \mathbf z_i = \sum_{j \le i} \varphi(\mathbf k_j)

    with :math:`\varphi(x) = \operatorname{elu}(x) + 1`. The causal form goes through the
    sequence in chunks: S and z hold what came before, a small table what is in the chunk.

    Args:
        q: queries.
        k: keys.
        v: values, one for each key.
        causal: whether each query sees only the keys up to its own place. The last query
            is beside the last key.

    Returns:
        The context vectors.

    Source:
        Katharopoulos et al. (2020), equations 7 and 16 to 20; in chunks: Hua et al. (2022),
        section 3.2.

    >>> x = torch.ones(2, 5, 4)
    >>> linear_attention(x, x, x, causal=True).shape
    torch.Size([2, 5, 4])
    """
    phi_q, phi_k, values = positive(upcast_half(q)), positive(upcast_half(k)), upcast_half(v)
    ones = torch.ones_like(values[..., :1])
    values = torch.cat([values, ones], dim=-1)  # their sum is the divisor
    if causal:
        weighted_sums = linear_in_chunks(phi_q, phi_k, values)
    else:
        weighted_sums = phi_q @ (phi_k.mT @ values)
    return (weighted_sums[..., :-1] / weighted_sums[..., -1:]).to(v.dtype)


def linear_in_chunks(
    phi_q: Float[Tensor, "*batch q d_k"],
    phi_k: Float[Tensor, "*batch k d_k"],
    values: Float[Tensor, "*batch k d"],
) -> Float[Tensor, "*batch q d"]:
    r"""Return the causal sums, before they are divided.

    .. math:: \mathbf a_i = S^\top \varphi(\mathbf q_i)
       + \sum_{j\ \text{in the chunk},\ j \le i}
       \bigl(\varphi(\mathbf q_i) \cdot \varphi(\mathbf k_j)\bigr)\, \mathbf v_j

    Args:
        phi_q: features of the queries.
        phi_k: features of the keys, at least as many.
        values: one for each key.

    Returns:
        One sum for each query.

    Source:
        Hua et al. (2022), section 3.2.

    >>> linear_in_chunks(torch.ones(3, 1), torch.ones(3, 1), torch.ones(3, 1)).flatten()
    tensor([1., 2., 3.])
    """
    past = phi_k.shape[-2] - phi_q.shape[-2]  # keys that every query sees
    S = phi_k[..., :past, :].mT @ values[..., :past, :]
    parts = (phi_q, phi_k[..., past:, :], values[..., past:, :])
    pieces = [x.split(CHUNK, dim=-2) for x in parts]
    found = []
    for q, k, v in zip(*pieces, strict=True):
        found.append(q @ S + (q @ k.mT).tril() @ v)
        S = S + k.mT @ v
    return torch.cat(found, dim=-2)
