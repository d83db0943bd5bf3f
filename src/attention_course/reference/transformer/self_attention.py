"""Self-attention: a sequence asks itself. As loops, as matrices, and what a layer costs."""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import broadcasts_to, finite, one_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.attention import scaled_dot_product_attention

LAYERS = ("self-attention", "rnn", "lstm")


@checked(non_empty_axes="d_k n")
def self_attention_by_loops(
    x: Float[np.ndarray, "n d_model"],
    W_q: Float[np.ndarray, "d_model d_k"],
    W_k: Float[np.ndarray, "d_model d_k"],
    W_v: Float[np.ndarray, "d_model d_v"],
    mask: Bool[np.ndarray, "n n"] | None = None,
) -> tuple[Float[np.ndarray, "n d_v"], Float[np.ndarray, "n n"]]:
    r"""Self-attention as its definition reads, one number at a time.

    .. math:: \mathbf c_i = \sum_j \alpha_{ij}\, \mathbf x_j W_v, \qquad
       \alpha_{ij} = \operatorname{softmax}_j\!\left(
       \frac{(\mathbf x_i W_q) \cdot (\mathbf x_j W_k)}{\sqrt{d_k}}\right)

    Slow on purpose. It is the specification that the other versions are checked against.

    Args:
        x: one row for each word.
        W_q: makes queries.
        W_k: makes keys, as wide as the queries.
        W_v: makes values, of any width.
        mask: True = may attend; a word that may attend to nothing gets a context of zeros.

    Returns:
        One context vector for each word, and the weights.

    Source:
        Vaswani et al. (2017), section 3.2.

    >>> x, W = np.eye(2), np.zeros((2, 3))
    >>> self_attention_by_loops(x, W, W, np.array([[2.0], [4.0]]))[0]
    array([[3.],
           [3.]])
    """
    n, d_k = len(x), W_q.shape[1]
    q, k, v = ([_row_times(row, W) for row in x] for W in (W_q, W_k, W_v))
    weights = np.zeros((n, n))
    context = np.zeros((n, W_v.shape[1]))
    for i in range(n):
        seen = [j for j in range(n) if mask is None or mask[i, j]]
        dots = {j: sum(q[i][c] * k[j][c] for c in range(d_k)) for j in seen}
        e = {j: dot / d_k**0.5 for j, dot in dots.items()}
        exps = {j: np.exp(e[j] - max(e.values())) for j in seen}
        for j in seen:
            weights[i, j] = exps[j] / sum(exps.values())
            for c in range(W_v.shape[1]):
                context[i, c] += weights[i, j] * v[j][c]
    return context, weights


@checked(
    non_empty_axes="d_k n", upcast_float16=True, mask=broadcasts_to("*batch n n"), scale=finite
)
def self_attention(
    x: Float[np.ndarray, "*batch n d_model"],
    W_q: Float[np.ndarray, "d_model d_k"],
    W_k: Float[np.ndarray, "d_model d_k"],
    W_v: Float[np.ndarray, "d_model d_v"],
    mask: Bool[np.ndarray, "..."] | None = None,
    scale: float | None = None,
) -> tuple[
    Float[np.ndarray, "*batch n d_v"],
    Float[np.ndarray, "*batch n n"],
]:
    r"""Let every row of ``x`` ask all rows of ``x``.

    .. math:: C = \operatorname{softmax}\!\left(
       \frac{X W_q (X W_k)^\top}{\sqrt{d_k}}\right) X W_v

    Args:
        x: one row for each word.
        W_q: makes queries.
        W_k: makes keys, as wide as the queries.
        W_v: makes values, of any width.
        mask: True = may attend; broadcasts to the scores.
        scale: what the dot products are multiplied by; ``1 / sqrt(d_k)`` unless given.

    Returns:
        The context vectors and the weights.

    Source:
        Vaswani et al. (2017), section 3.2.

    >>> x, W_q, W_v = np.ones((5, 4)), np.ones((4, 2)), np.ones((4, 7))
    >>> context, weights = self_attention(x, W_q, W_q, W_v)
    >>> context.shape, weights.shape
    ((5, 7), (5, 5))
    """
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    return scaled_dot_product_attention(q, k, v, mask, scale=scale)


@checked(layer=one_of(*LAYERS), n=whole(1), d=whole(1))
def layer_cost(layer: str, n: int, d: int) -> dict[str, int]:
    r"""Count what one layer of width d does with n words.

    .. math:: F_\text{attention} = 8 n d^2 + 4 n^2 d, \qquad F_\text{rnn} = 4 n d^2, \qquad
       F_\text{lstm} = 16 n d^2

    Floating-point operations of the matrix products only, a multiplication and an addition
    being two. Attention is counted with its four projections (queries, keys, values, output),
    each d by d; one head or several cost the same.

    Args:
        layer: "self-attention", "rnn" or "lstm".
        n: how many words.
        d: width of the layer, in and out.

    Returns:
        ``flops``; ``steps``, how many of them must wait for one another; ``path``, how many
        steps lie between the first word and the last output.

    Source:
        Vaswani et al. (2017), table 1, which counts without the projections.

    >>> layer_cost("self-attention", 512, 512)["flops"] / layer_cost("rnn", 512, 512)["flops"]
    3.0
    """
    if layer == "self-attention":
        return {"flops": 8 * n * d**2 + 4 * n**2 * d, "steps": 1, "path": 1}
    return {"flops": (4 if layer == "rnn" else 16) * n * d**2, "steps": n, "path": n}


def _row_times(row: np.ndarray, W: np.ndarray) -> list[float]:
    return [sum(row[i] * W[i, c] for i in range(len(row))) for c in range(W.shape[1])]
