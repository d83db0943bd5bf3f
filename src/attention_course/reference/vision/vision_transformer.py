"""Pictures as rows of patches, where a patch lies, and attention followed through layers."""

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, even, sums_to_one, whole
from attention_course.reference._checked import checked
from attention_course.reference.positions import sinusoidal_positions


def _tiled(call: Call) -> None:
    if call["height"] % call["side"] or call["width"] % call["side"]:
        expected = f"pictures whose sides are multiples of {call['side']}"
        raise call.fail("images", expected)


@checked(_tiled, side=whole(1), non_empty_axes="height width")
def patchify(
    images: Float[np.ndarray, "n height width"],
    side: int,
) -> Float[np.ndarray, "n patches pixels"]:
    r"""Cut pictures into square patches, and write each patch as a row of pixels.

    .. math:: P_{(ab),(ij)} = X_{a p + i,\; b p + j}

    for the patch in row a and column b of the grid, with patches of p by p pixels.

    Args:
        images: one grey picture after the other.
        side: p, the pixels along a side of a patch.

    Returns:
        The patches row by row of the grid, each row by row of its pixels.

    Source:
        Dosovitskiy et al. (2021), section 3.1.

    >>> patchify(np.arange(16.0).reshape(1, 4, 4), 2)[0, 1].tolist()
    [2.0, 3.0, 6.0, 7.0]
    """
    n, height, width = images.shape
    cut = images.reshape(n, height // side, side, width // side, side)
    return cut.swapaxes(2, 3).reshape(n, -1, side * side)


def _whole_grid(call: Call) -> None:
    side, rows = call["side"], call["rows"]
    if call["pixels"] != side * side:
        raise call.fail("patches", f"rows of {side * side} pixels")
    if call["count"] % rows:
        raise call.fail("patches", f"a grid of {rows} rows")


@checked(_whole_grid, side=whole(1), rows=whole(1), non_empty_axes="count pixels")
def unpatchify(
    patches: Float[np.ndarray, "n count pixels"],
    side: int,
    rows: int,
) -> Float[np.ndarray, "n height width"]:
    r"""Put the patches back: what :func:`patchify` has cut.

    .. math:: X_{a p + i,\; b p + j} = P_{(ab),(ij)}

    Args:
        patches: as :func:`patchify` returns them.
        side: p, the pixels along a side of a patch.
        rows: of the grid of patches.

    Returns:
        The pictures.

    Source:
        Dosovitskiy et al. (2021), section 3.1, backwards.

    >>> picture = np.arange(24.0).reshape(1, 4, 6)
    >>> bool(np.all(unpatchify(patchify(picture, 2), 2, rows=2) == picture))
    True
    """
    n, count, _ = patches.shape
    grid = patches.reshape(n, rows, count // rows, side, side)
    return grid.swapaxes(2, 3).reshape(n, rows * side, -1)


@checked(rows=whole(1), columns=whole(1), d_model=(whole(1), even))
def plane_positions(
    rows: int,
    columns: int,
    d_model: int,
) -> Float[np.ndarray, "places d_model"]:
    r"""Sinusoids in two dimensions: half the width says the row, half the column.

    .. math:: p_{(ab)} = [\, s_a,\; s_b \,]

    with the sinusoidal positions s of half the width.

    Args:
        rows: of the grid.
        columns: of the grid.
        d_model: width, even.

    Returns:
        One row for each place, row by row of the grid.

    Source:
        Dosovitskiy et al. (2021), appendix D.4, for positions in two dimensions; Vaswani et
        al. (2017), section 3.5, for the sinusoids.

    >>> plane_positions(2, 3, 4)[3].round(2).tolist()
    [0.84, 0.54, 0.0, 1.0]
    """
    down = sinusoidal_positions(rows, d_model // 2)
    across = sinusoidal_positions(columns, d_model // 2)
    pair = np.repeat(down, columns, axis=0), np.tile(across, (rows, 1))
    return np.concatenate(pair, axis=1)


def _square(call: Call) -> None:
    if call["n"] != call["k"]:
        raise call.fail("weights", "square: as many queries as keys")


@checked(_square, weights=sums_to_one, non_empty_axes="layers heads n k", upcast_float16=True)
def attention_rollout(
    weights: Float[np.ndarray, "layers heads n k"],
) -> Float[np.ndarray, "n k"]:
    r"""Follow attention through the layers, as if it were all that carried information.

    .. math:: R = \tilde A^L \cdots \tilde A^1, \qquad
       \tilde A^l = \tfrac12 \Bigl(I + \tfrac1h \sum_i A^{l,i}\Bigr)

    The heads are averaged, and the residual stream counts as much as the attention.

    Args:
        weights: of every layer and head, the first layer first; each row sums to 1.

    Returns:
        How much of each first token is in each last one; each row sums to 1.

    Source:
        Abnar and Zuidema (2020), section 3.

    >>> attention_rollout(np.full((2, 3, 2, 2), 0.5)).tolist()
    [[0.625, 0.375], [0.375, 0.625]]
    """
    mixed = stay = np.eye(weights.shape[-1], dtype=weights.dtype)
    for A in weights.mean(axis=1):
        mixed = (A + stay) / 2 @ mixed
    return mixed
