"""Drawings of a cache and of pages show what there is, and say it."""

import xml.etree.ElementTree as ET

import pytest

from attention_course.drawing import growing_cache, shared_pages


def words(drawn):
    return [
        "".join(t.itertext()) for t in ET.fromstring(drawn.svg).iter() if t.tag.endswith("text")
    ]


def test_a_step_writes_one_and_reads_all():
    drawn = growing_cache()
    assert "4 written, 4 there to be read" in drawn.alt
    assert "1 written, 6 there to be read" in drawn.alt
    keys = [w for w in words(drawn) if w.startswith("k")]
    assert len(keys) == 4 + 5 + 6


def test_tables_and_blocks_are_those_that_are_given():
    drawn = shared_pages({0: [0, 1, 2], 1: [0, 1, 3]}, {0: 10, 1: 11}, 4, 5)
    assert "Both name 0, 1." in drawn.alt
    shown = words(drawn)
    for text in ("block 0: 4 of 4", "block 2: 2 of 4", "block 3: 3 of 4", "block 4: free"):
        assert text in shown
    assert shown.count("9 to 10") == 1
    assert ET.fromstring(drawn.svg).get("aria-label") == drawn.alt


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(
        ValueError, match="shared_pages: expected the tables of two texts, got 1"
    ):
        shared_pages({0: [0]}, {0: 1}, 4, 2)
