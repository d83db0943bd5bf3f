"""A mask put on in the right way and in several wrong ones, and what each lets through.

The wrong ones are here on purpose: the chapter and the widget show what each of them does.
"""

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.reference._check import below, broadcasts_to, one_of, whole
from attention_course.reference._checked import checked
from attention_course.reference.number_formats import round_to

RULES = ("right", "after", "zero", "infinite", "large", "half", "inverted")


@checked(mask=broadcasts_to("q k"), rule=one_of(*RULES))
def weights_by_rule(
    scores: Float[np.ndarray, "q k"], mask: Bool[np.ndarray, "q k"], rule: str = "right"
) -> Float[np.ndarray, "q k"]:
    r"""Weights under a mask, put on by one of several rules.

    .. math:: \alpha = o \odot \operatorname{softmax}(\operatorname{fill}(e))

    =========== =================================================================
    rule        what it does with a score that may not be seen
    =========== =================================================================
    "right"     leaves it out; a row with nothing to see gets zeros
    "after"     keeps it, and sets its weight to zero after the softmax
    "zero"      sets the score to 0
    "infinite"  sets it to minus infinity, and forgets the row with nothing to see
    "large"     sets it to -1e9
    "half"      sets it to -1e9 in float16, which has no such number
    "inverted"  takes True for "may not"
    =========== =================================================================

    Args:
        scores: before the softmax.
        mask: True where query i may see key j.
        rule: one of the names above.

    Returns:
        The weights, some rows of which are not weights at all if the rule is wrong.

    Source:
        The right rule as in Vaswani et al. (2017), section 3.2.3; the others are common slips.

    >>> may = np.array([[True, False]])
    >>> for rule in ("right", "after", "zero"):
    ...     print(rule, weights_by_rule(np.array([[0.0, np.log(3.0)]]), may, rule)[0])
    right [1. 0.]
    after [0.25 0.  ]
    zero [0.5 0.5]
    """
    p, _, kept = _parts(scores, mask, rule)
    return kept * p


@checked(mask=broadcasts_to("n n"), token=(whole(0), below("n")), rule=one_of(*RULES))
def moved_outputs(
    x: Float[np.ndarray, "n d_model"],
    W_q: Float[np.ndarray, "d_model d_k"],
    W_k: Float[np.ndarray, "d_model d_k"],
    W_v: Float[np.ndarray, "d_model d_v"],
    mask: Bool[np.ndarray, "n n"],
    token: int,
    rule: str = "right",
) -> Float[np.ndarray, " n"]:
    r"""The leak test: how far each output moves when one token is changed.

    .. math:: \Delta_i = \max_c |z_{ic}(x + \delta_t) - z_{ic}(x)|

    where :math:`\delta_t` adds 1 to every component of token t.

    Args:
        x: one vector for each token.
        W_q: makes queries.
        W_k: makes keys.
        W_v: makes values.
        mask: True where token i may see token j.
        token: which token is changed, from 0.
        rule: how the mask is put on, see :func:`weights_by_rule`.

    Returns:
        The largest change in each output, 0 where nothing arrives.

    Source:
        A metamorphic test: causality means that earlier outputs do not move.

    >>> W = np.eye(2)
    >>> moved_outputs(np.ones((3, 2)), W, W, W, np.tri(3, dtype=bool), 1).round(2).tolist()
    [0.0, 0.94, 0.67]
    """
    before = _outputs(x, W_q, W_k, W_v, mask, rule)
    changed = x.copy()
    changed[token] += 1.0
    after = _outputs(changed, W_q, W_k, W_v, mask, rule)
    return np.abs(after - before).max(axis=1)


@checked(mask=broadcasts_to("n n"), rule=one_of(*RULES))
def input_reach(
    x: Float[np.ndarray, "n d_model"],
    W_q: Float[np.ndarray, "d_model d_k"],
    W_k: Float[np.ndarray, "d_model d_k"],
    W_v: Float[np.ndarray, "d_model d_v"],
    mask: Bool[np.ndarray, "n n"],
    rule: str = "right",
) -> Float[np.ndarray, "n n"]:
    r"""The gradient test: how much of the gradient of each output reaches each input.

    .. math:: R_{ij} = \Bigl\lVert \frac{\partial z_i}{\partial x_j} \Bigr\rVert_F, \qquad
       \frac{\partial z_i}{\partial x_j} = \alpha_{ij} W_v^\top
       + \tfrac{p_{ij} u_{ij}}{\sqrt{d_k}} (o_{ij} v_j - z_i)^\top q_i W_k^\top
       + \delta_{ij} \sum_l \tfrac{p_{il} u_{il}}{\sqrt{d_k}}
       (o_{il} v_l - z_i)^\top k_l W_q^\top

    with p the softmax, o the mask that is put on after it and u the scores that keep their
    gradient (for the right rule o = 1 and u is the mask).

    Args:
        x: one vector for each token.
        W_q: makes queries.
        W_k: makes keys.
        W_v: makes values.
        mask: True where token i may see token j.
        rule: how the mask is put on, see :func:`weights_by_rule`.

    Returns:
        One norm for each output (row) and input (column).

    Source:
        Chain rule on Vaswani et al. (2017), equation 1.

    >>> W = np.eye(2)
    >>> input_reach(np.ones((2, 2)), W, W, W, np.tri(2, dtype=bool)).round(2).tolist()
    [[1.41, 0.0], [0.71, 0.71]]
    """
    z = _outputs(x, W_q, W_k, W_v, mask, rule)
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    factor = W_q.shape[1] ** -0.5
    p, passes, kept = _parts(factor * q @ k.T, mask, rule)
    reach = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        apart = kept[i][:, None] * v - z[i]
        by_score = factor * (p[i] * passes[i])[:, None, None] * apart[:, :, None]
        for j in range(len(x)):
            J = kept[i, j] * p[i, j] * W_v.T + by_score[j] * (W_k @ q[i])
            if i == j:
                J = J + (by_score * (k @ W_q.T)[:, None, :]).sum(axis=0)
            reach[i, j] = np.sqrt((J**2).sum())
    return reach


def _outputs(
    x: np.ndarray,
    W_q: np.ndarray,
    W_k: np.ndarray,
    W_v: np.ndarray,
    mask: np.ndarray,
    rule: str,
) -> np.ndarray:
    scores = (x @ W_q) @ (x @ W_k).T * W_q.shape[1] ** -0.5
    p, _, kept = _parts(scores, mask, rule)
    return (kept * p) @ (x @ W_v)


def _parts(
    scores: np.ndarray, mask: np.ndarray, rule: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Softmax p, which scores keep their gradient, and what is put on after the softmax."""
    mask = np.broadcast_to(mask, scores.shape)
    kept, passes = np.ones(scores.shape), mask.astype(float)
    if rule == "inverted":
        mask, passes = ~mask, 1 - passes
    elif rule == "after":
        return _softmax(scores), kept, mask.astype(float)
    elif rule == "half":
        scores = round_to(scores, "float16")
    fill = {"zero": 0.0, "large": -1e9}.get(rule, -np.inf)
    p = _softmax(np.where(mask, scores, fill))
    if rule in ("right", "inverted"):
        p = np.where(mask.any(axis=1, keepdims=True), p, 0.0)
    return p, passes, kept


def _softmax(x: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):  # a row of nothing but -inf: NaN, as in torch
        exps = np.exp(x - x.max(axis=1, keepdims=True))
        return exps / exps.sum(axis=1, keepdims=True)
