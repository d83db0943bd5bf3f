"""Tables of who sees whom: every square is drawn where it is, and counted in words."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from attention_course.drawing import patterns
from attention_course.reference import causal_mask, window_mask

SIDE = 150


def squares(svg: ET.Element) -> set[tuple[int, int]]:
    """Read the squares back from the path of a table of five."""
    found, cell = set(), SIDE / 5
    path = next(e for e in svg.iter() if e.tag.endswith("path")).get("d")
    for x, y, long in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)", path):
        row, start = round((float(y) - 24) / cell), round((float(x) - 1) / cell)
        found |= {(row, start + i) for i in range(round(float(long) / cell))}
    return found


def test_every_pair_has_its_square():
    mask = np.random.RandomState(0).random_sample((5, 5)) < 0.5
    drawn = patterns({"some": mask, "all": np.ones((5, 5), bool)})
    one, two = list(ET.fromstring(drawn.svg))
    assert squares(one) == {tuple(pair) for pair in np.argwhere(mask).tolist()}
    assert len(squares(two)) == 25


def test_numbers_are_written_and_negative_ones_left_out():
    table = np.array([[0, -1], [3, 2]])
    texts = [e.text for e in ET.fromstring(patterns({"steps": table}).svg).iter() if e.text]
    assert texts == ["steps", "0", "3", "2"]


def test_it_says_what_it_shows():
    drawn = patterns({"full": causal_mask(4), "a & b": window_mask(2, 4)})
    assert repr(drawn) == (
        "Queries down, keys across. full: 10 of 16 pairs; a & b: 7 of 16 pairs."
    )
    assert ET.fromstring(drawn.svg).get("aria-label") == drawn.alt
    assert drawn.alt.replace("&", "&amp;") in drawn._repr_html_()


@pytest.mark.parametrize("tables", [{}, {"x": np.ones((2, 2))}, {"x": np.ones(2, bool)}])
def test_other_tables_are_refused(tables):
    with pytest.raises(ValueError, match=r"^patterns: "):
        patterns(tables)
