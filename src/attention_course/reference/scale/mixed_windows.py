"""Stacks where some layers see a window and some everything: what is kept, and the reach."""

from collections.abc import Sequence

import numpy as np

from attention_course._shapes import Bool
from attention_course.reference._check import Call, whole
from attention_course.reference._checked import checked
from attention_course.reference.masks import causal_mask, window_mask

Windows = Sequence[int | None]  # of each layer, the lowest first; None sees everything


def _windows(call: Call, argument: str, windows: Windows) -> Windows:
    sizes = [w for w in windows if w is not None] if isinstance(windows, (list, tuple)) else [0]
    fine = all(isinstance(w, int) and not isinstance(w, bool) and w > 0 for w in sizes)
    if not fine or not windows:
        raise call.fail(argument, "a list of positive whole numbers, or None", repr(windows))
    return windows


@checked(n_tokens=whole(1), windows=_windows, numbers=whole(1), bytes_per_number=whole(1))
def stack_cache_bytes(
    n_tokens: int, windows: Windows, numbers: int, bytes_per_number: int = 2
) -> int:
    r"""Bytes that a stack keeps for one text, where layers have windows.

    .. math:: \text{bytes} \cdot \text{numbers} \cdot \sum_l \min(n, w_l)

    Args:
        n_tokens: n, how many tokens have been read or written.
        windows: of each layer; None for one that sees everything.
        numbers: kept for a token and a layer: heads with keys of their own, times the width of
            a key and a value together.
        bytes_per_number: 2 for float16 and bfloat16.

    Returns:
        The number of bytes.

    Source:
        Gemma Team (2025), section 5.2, whose figures show it.

    >>> stack_cache_bytes(5000, [1024] * 5 + [None], numbers=2048)
    41451520
    """
    kept = [min(n_tokens, w or n_tokens) for w in windows]
    return bytes_per_number * numbers * sum(kept)


@checked(n=whole(1), windows=_windows)
def stack_reach(n: int, windows: Windows) -> Bool[np.ndarray, "n n"]:
    r"""Say which inputs can reach which outputs through layers with windows of their own.

    .. math:: R_0 = I, \qquad R_{l} = (M_l R_{l-1}) > 0

    Args:
        n: length of the text.
        windows: of each layer, the lowest first; None for one that sees everything.

    Returns:
        True where output i can depend on input j.

    Source:
        Follows from the masks, as :func:`receptive_field` for one mask.

    >>> stack_reach(5, [2, 2])[4], stack_reach(5, [2, None])[4]
    (array([False, False,  True,  True,  True]), array([ True,  True,  True,  True,  True]))
    """
    reach = np.eye(n, dtype=np.float32)
    for w in windows:
        mask = causal_mask(n) if w is None else window_mask(w, n)
        reach = (mask.astype(np.float32) @ reach > 0).astype(np.float32)
    return reach > 0
