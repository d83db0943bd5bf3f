"""Drawn scenes: the caption, the cells and the picture say the same."""

import numpy as np
import pytest

from attention_course.data.scenes import (
    COLOURS,
    GRID,
    NAMES,
    SHAPES,
    WORDS,
    draw_scenes,
    held_out_kinds,
)

SCENES = draw_scenes(np.random.RandomState(3), 300)


def middles(cells):
    """Row and column of the middle of some cells, a row for each picture."""
    grid = np.stack(np.mgrid[:GRID, :GRID], -1).reshape(-1, 2)
    return (cells[..., None] * grid).sum(1) / cells.sum(1)[:, None]


def test_a_caption_names_colour_and_shape_of_both_objects():
    for caption, kinds in zip(SCENES.captions, SCENES.kinds, strict=True):
        words = [WORDS.symbols[number] for number in caption]
        for (colour, shape), kind in zip(NAMES, kinds, strict=True):
            assert words[colour] == list(COLOURS)[kind // 4]
            assert words[shape] == SHAPES[kind % 4]


def test_the_first_object_lies_left_and_the_relation_is_true():
    one, two = (middles(SCENES.cells[:, n]) for n in range(2))
    above = SCENES.captions[:, 3] == WORDS.encode(["above"])[0]
    far = np.abs(one - two).min(1) > 1  # the cells are coarser than the pixels
    assert far.sum() > 50
    assert (one[far, 1] < two[far, 1]).all()
    assert ((one[far, 0] < two[far, 0]) == above[far]).all()


def test_an_objects_cells_have_its_colour():
    blocks = SCENES.pictures.reshape(-1, 3, GRID, 4, GRID, 4).mean((3, 5)).reshape(-1, 3, 36)
    for n in range(2):
        weights = SCENES.cells[:, n] / SCENES.cells[:, n].sum(1, keepdims=True)
        seen = np.einsum("nci,ni->nc", blocks, weights)
        wanted = np.array([*COLOURS.values()])[SCENES.kinds[:, n] // 4]
        for colour in range(3):
            assert np.corrcoef(seen[:, colour], wanted[:, colour])[0, 1] > 0.8


def test_held_out_kinds_are_never_drawn_unless_asked_for_and_then_once():
    rare = held_out_kinds()
    assert len({kind // 4 for kind in rare}) == len({kind % 4 for kind in rare}) == 4
    assert not np.isin(SCENES.kinds, rare).any()
    others = draw_scenes(np.random.RandomState(3), 300, held_out=True)
    assert (np.isin(others.kinds, rare).sum(1) == 1).all()


@pytest.mark.parametrize("size", [0, -1, 2.0, True])
def test_the_size_is_a_positive_whole_number(size):
    with pytest.raises(ValueError, match="draw_scenes: size must be a positive whole"):
        draw_scenes(np.random.RandomState(0), size)
