"""What one layer of multi-head attention guesses under a covered letter."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_course._shapes import Bool, Float, Int
from attention_course.reference._check import Call, broadcasts_to, whole
from attention_course.reference._checked import checked
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.multi_head import multi_head_attention

_NAMES = {"letters", "places", "W_q", "W_k", "W_v", "W_o", "W_1", "b_1", "W_2", "b_2"}


def _named_arrays(call: Call, argument: str, p: Mapping[str, np.ndarray]) -> Any:
    if missing := sorted(_NAMES - set(p)):
        raise call.fail(argument, f"arrays named {sorted(_NAMES)}", f"no {missing}")
    return p


def _places_for_all(call: Call) -> None:
    if call["length"] > len(call["p"]["places"]):
        raise call.fail("tokens", f"rows of at most {len(call['p']['places'])}")


@checked(_places_for_all, n_heads=whole(1), p=_named_arrays, keep=broadcasts_to("n_heads"))
def guess_covered(
    tokens: Int[np.ndarray, "batch length"],
    positions: Int[np.ndarray, " batch"],
    p: Mapping[str, np.ndarray],
    n_heads: int,
    n_kv_heads: int | None = None,
    keep: Bool[np.ndarray, " heads"] | None = None,
) -> tuple[Float[np.ndarray, "batch 26"], Float[np.ndarray, "batch heads length"]]:
    r"""The probability of each letter, from one question asked at the covered place.

    .. math:: \mathbf x_t = E_{\text{letter } t} + P_t, \qquad
       \mathbf r = \mathbf x_c + \mathrm{MultiHead}(\mathbf x_c, X), \qquad
       \mathbf p = \mathrm{softmax}\bigl(\mathrm{relu}(\mathbf r W_1 + \mathbf b_1) W_2
       + \mathbf b_2\bigr)

    Args:
        tokens: marks and letters as numbers, padded with 0; the cover is a letter too.
        positions: the covered place c of each row.
        p: the arrays ``letters`` (E), ``places`` (P), ``W_q``, ``W_k``, ``W_v``, ``W_o``,
            ``W_1``, ``b_1``, ``W_2`` and ``b_2``.
        n_heads: how many heads.
        n_kv_heads: how many of them have keys and values of their own; all unless given.
        keep: False silences a head.

    Returns:
        One probability for each letter a to z, and the weights of every head.

    Source:
        Written for this course; covering and guessing after Devlin et al. (2019).

    >>> draw = np.random.RandomState(0).standard_normal
    >>> p = {"letters": draw((30, 4)), "places": draw((6, 4)), "W_1": draw((4, 5)),
    ...      "b_1": draw(5), "W_2": draw((5, 26)), "b_2": draw(26)}
    >>> p |= {name: draw((4, 4)) for name in ("W_q", "W_k", "W_v", "W_o")}
    >>> chances, weights = guess_covered(np.array([[1, 3, 5, 2]]), np.array([1]), p, n_heads=2)
    >>> chances.shape, weights.shape
    ((1, 26), (1, 2, 4))
    """
    x = p["letters"][tokens] + p["places"][: tokens.shape[-1]]
    asked = x[np.arange(len(x)), positions][:, None]
    W_q, W_k, W_v, W_o = (p[name] for name in ("W_q", "W_k", "W_v", "W_o"))
    seen = (tokens != 0)[:, None, None, :]
    output, weights = multi_head_attention(
        asked, x, W_q, W_k, W_v, W_o, n_heads, n_kv_heads, mask=seen, keep=keep
    )
    r = (asked + output)[:, 0]
    hidden = np.maximum(r @ p["W_1"] + p["b_1"], 0.0)
    return softmax(hidden @ p["W_2"] + p["b_2"]), weights[:, :, 0]
