"""Multi-head latent attention: one small vector a token, from which all heads' keys come."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention
from attention_course.reference.softmax import softmax


@checked(non_empty_axes="k")
def latent_attention(
    q: Float[np.ndarray, "*batch heads q d_k"],
    q_rotated: Float[np.ndarray, "*batch heads q d_r"],
    c: Float[np.ndarray, "*batch k r"],
    k_rotated: Float[np.ndarray, "*batch k d_r"],
    W_k: Float[np.ndarray, "heads r d_k"],
    W_v: Float[np.ndarray, "heads r d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch heads q d_v"], Float[np.ndarray, "*batch heads q k"]]:
    r"""Make every head's keys and values of the latents, then attend as usual.

    .. math:: k^h_j = [c_j W_k^h ;\, k^R_j], \qquad v^h_j = c_j W_v^h

    Args:
        q: the part of the queries that is not turned.
        q_rotated: the part that positions have turned.
        c: the latents, one for each token.
        k_rotated: the turned part of the keys, which all heads share.
        W_k: makes keys of latents, one matrix a head.
        W_v: makes values of latents.
        mask: True = may attend; broadcasts to the weights.

    Returns:
        The contexts and the weights of every head.

    Source:
        DeepSeek-AI (2024), section 2.1 and appendix C.

    >>> q, c, k_rotated = np.ones((3, 5, 4)), np.ones((6, 7)), np.ones((6, 2))
    >>> W = np.ones((3, 7, 4))
    >>> latent_attention(q, q[..., :2], c, k_rotated, W, W)[0].shape
    (3, 5, 4)
    """
    c, k_rotated = c[..., None, :, :], k_rotated[..., None, :, :]
    k, v = c @ W_k, c @ W_v  # each head's own
    shape = (*k.shape[:-1], k_rotated.shape[-1])
    k = np.concatenate([k, np.broadcast_to(k_rotated, shape)], axis=-1)
    q = np.concatenate([q, q_rotated], axis=-1)
    return scaled_dot_product_attention(q, k, v, mask)


@checked(non_empty_axes="k")
def absorbed_latent_attention(
    q: Float[np.ndarray, "*batch heads q d_k"],
    q_rotated: Float[np.ndarray, "*batch heads q d_r"],
    c: Float[np.ndarray, "*batch k r"],
    k_rotated: Float[np.ndarray, "*batch k d_r"],
    W_k: Float[np.ndarray, "heads r d_k"],
    W_v: Float[np.ndarray, "heads r d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "*batch heads q d_v"], Float[np.ndarray, "*batch heads q k"]]:
    r"""Compute the same without a key or a value: queries go to the latents instead.

    .. math:: q^h_i \cdot (c_j W_k^h) = (q^h_i {W_k^h}^\top) \cdot c_j, \qquad
       \sum_j \alpha^h_{ij}\, (c_j W_v^h) = \Bigl(\sum_j \alpha^h_{ij}\, c_j\Bigr) W_v^h

    Args:
        q: the part of the queries that is not turned.
        q_rotated: the part that positions have turned.
        c: the latents, one for each token.
        k_rotated: the turned part of the keys, which all heads share.
        W_k: makes keys of latents, one matrix a head.
        W_v: makes values of latents.
        mask: True = may attend; broadcasts to the weights.

    Returns:
        The contexts and the weights of every head: those of :func:`latent_attention`.

    Source:
        DeepSeek-AI (2024), section 2.1.2, which says that the matrices can be absorbed.

    >>> q, c, k_rotated = np.ones((3, 5, 4)), np.ones((6, 7)), np.ones((6, 2))
    >>> W = np.ones((3, 7, 4))
    >>> absorbed_latent_attention(q, q[..., :2], c, k_rotated, W, W)[0].shape
    (3, 5, 4)
    """
    c, k_rotated = c[..., None, :, :], k_rotated[..., None, :, :]
    asked = q @ np.swapaxes(W_k, -1, -2)  # as wide as a latent
    scores = asked @ np.swapaxes(c, -1, -2)
    scores = scores + q_rotated @ np.swapaxes(k_rotated, -1, -2)
    scale = (q.shape[-1] + q_rotated.shape[-1]) ** -0.5
    weights = softmax(scale * scores, mask=mask)
    return (weights @ c) @ W_v, weights
