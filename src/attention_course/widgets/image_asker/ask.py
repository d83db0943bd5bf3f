"""The model of the image asker, in NumPy: what the page computes."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from attention_course.data.asked import ANSWERS, GARMENTS, PLACES, RELATIONS
from attention_course.data.packed import pack_asker, unpack_translator
from attention_course.reference.attention import scaled_dot_product_attention
from attention_course.reference.transformer.transformer_block import layer_norm

NOTHING, LOOKS, PHOTOGRAPHS = len(GARMENTS), 2, 4


@cache
def load() -> dict[str, np.ndarray]:
    """Return the weights that travel to a page, at their sizes, and its photographs."""
    arrays, _ = unpack_translator(pack_asker())
    return {name: array.astype(float) for name, array in arrays.items()}


def lay_out(contents: Sequence[int], photograph: int) -> np.ndarray:
    """Return the pixels of the nine places.

    Args:
        contents: what lies at each place: a number of ``GARMENTS``, or 8 for nothing.
        photograph: which of a garment's photographs, from 1 to 4.

    Returns:
        Pixels from 0 to 1, (9, 196).

    >>> lay_out([8] * 9, 1).any(), lay_out([6] + [8] * 8, 1).any(axis=1).sum()
    (np.False_, np.int64(1))
    """
    cells = np.zeros((len(contents), 196))
    for place, kind in enumerate(contents):
        if kind != NOTHING:
            cells[place] = load()["garments"][PHOTOGRAPHS * kind + photograph - 1] / 127
    return cells


def ask(
    cells: np.ndarray,
    numbers: np.ndarray,
    forced: Sequence[int] = (0, 0),
) -> tuple[np.ndarray, np.ndarray]:
    r"""Answer a question, and return the logits and the weights of both looks.

    .. math:: \mathbf u_t = \mathbf u_{t-1} + \sum_i \alpha_{ti} W_v \mathbf a_i

    Args:
        cells: pixels of the nine places.
        numbers: of the question's words.
        forced: for each look 0, or the place from 1 that gets all its weight.

    Returns:
        Logits, and weights (2, 9).

    Source:
        Yang et al. (2016), section 3.3.

    >>> logits, looks = ask(lay_out([6] + [8] * 8, 1), np.array([21, 0, 23]))
    >>> ANSWERS[logits.argmax()], looks.shape
    ('bag', (2, 9))
    """
    p = load()

    def layers(name: str, x: np.ndarray, first: str = "0", second: str = "2") -> np.ndarray:
        hidden = x @ p[f"{name}.{first}.weight"].T + p[f"{name}.{first}.bias"]
        W, b = p[f"{name}.{second}.weight"], p[f"{name}.{second}.bias"]
        return np.maximum(hidden, 0) @ W.T + b

    def normal(x: np.ndarray) -> np.ndarray:
        return layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))

    f = np.maximum(layers("encoder", cells, "first", "second"), 0)
    a = np.maximum(f @ p["W_a.weight"].T + p["W_a.bias"] + p["place"], 0)
    keys, values = a @ p["W_k.weight"].T, a @ p["W_v.weight"].T
    u, looks = p["E.weight"][numbers].sum(axis=0), []
    for t, place in enumerate(forced):
        q = layers(f"g.{t}", normal(u))
        _, alpha = scaled_dot_product_attention(q[None], keys, values)
        alpha = np.eye(len(keys))[place - 1] if place else alpha[0]
        u = u + alpha @ values
        looks.append(alpha)
    return layers("answer", normal(u)), np.stack(looks)


def right_answer(contents: Sequence[int], numbers: np.ndarray) -> str:
    """Return the right answer; empty where no answer is right.

    Args:
        contents: what lies at each place.
        numbers: of the question's words.

    Returns:
        One of ``ANSWERS``, or "": the place is empty, or the garment that is named does not
        lie there once, or has nothing on that side.

    >>> right_answer([6, 4] + [8] * 7, np.array([21, 10, 19]))  # right of the bag
    'sandal'
    """
    first, second, third = numbers
    if first == len(PLACES) + len(RELATIONS) + len(GARMENTS) + 1:  # is there
        return "yes" if second - 13 in contents else "no"
    if second < len(PLACES):
        return [*GARMENTS, ""][contents[second]]
    if list(contents).count(third - 13) != 1:
        return ""
    down, across = [*RELATIONS.values()][second - len(PLACES)]
    row, column = np.divmod(list(contents).index(third - 13), 3)
    row, column = row + down, column + across
    inside = 0 <= row < 3 and 0 <= column < 3
    return [*GARMENTS, ""][contents[3 * row + column]] if inside else ""
