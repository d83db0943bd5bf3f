"""Drawings of networks: what they show, they also say."""

import xml.etree.ElementTree as ET

import pytest

from attention_course.drawing.diagrams import (
    aligned_network,
    fixed_vector_network,
    heads_network,
)


def words(diagram):
    return [
        text.text for text in ET.fromstring(diagram.svg).iter() if text.tag.endswith("text")
    ]


def test_every_word_is_drawn_and_said():
    drawn = fixed_vector_network(["red", "dress"], ["robe", "rouge", "."])
    for word in ("red", "dress", "robe", "rouge", "."):
        assert word in words(drawn)
        assert word in drawn.alt
    assert words(drawn).count("c") == 1


def test_the_drawing_is_well_formed_and_named_for_those_who_do_not_see_it():
    drawn = aligned_network(["<a>", "b & c"], ['"', "ß"])
    root = ET.fromstring(drawn.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == drawn.alt
    assert {"<a>", "b & c", '"', "ß"} <= set(words(drawn))


def test_all_that_is_drawn_lies_inside_the_picture():
    drawn = fixed_vector_network(["a"] * 3, ["b"] * 7)
    root = ET.fromstring(drawn.svg)
    width, height = float(root.get("width")), float(root.get("height"))
    for box in root.iter("rect"):
        assert 0 <= float(box.get("x")) <= width - float(box.get("width"))
        assert 0 <= float(box.get("y")) <= height - float(box.get("height"))


def test_colours_come_from_the_page():
    svg = fixed_vector_network(["a"], ["b"]).svg
    assert "var(--ac-value," in svg
    assert "currentColor" in svg


def test_two_drawings_on_a_page_share_no_ids():
    assert " id=" not in aligned_network(["a"], ["b"]).svg


def test_without_a_browser_it_is_its_sentence():
    assert repr(aligned_network(["a"], ["b"])).startswith("Design (a): 1 step")


@pytest.mark.parametrize(("source", "target"), [([], []), (["a"], ["b", "c"])])
def test_the_aligned_network_refuses_unequal_numbers(source, target):
    with pytest.raises(ValueError, match="aligned_network: source and target must be as many"):
        aligned_network(source, target)


@pytest.mark.parametrize(("source", "target"), [([], ["a"]), (["a"], [])])
def test_the_fixed_vector_network_refuses_emptiness(source, target):
    with pytest.raises(ValueError, match="fixed_vector_network: source and target must not be"):
        fixed_vector_network(source, target)


def test_heads_that_share_keys_are_drawn_with_fewer_boxes():
    drawn = [heads_network(4, shared) for shared in (None, 2, 1)]
    assert [words(d).count("k, v") for d in drawn] == [4, 2, 1]
    assert [words(d).count("q") for d in drawn] == [4, 4, 4]
    assert "2 at a time sharing keys and values" in drawn[1].alt
    for d in drawn:
        root = ET.fromstring(d.svg)
        wide = float(root.get("width"))
        boxes = list(root.iter("rect"))
        assert all(float(b.get("x")) + float(b.get("width")) <= wide for b in boxes)
    with pytest.raises(ValueError, match="heads_network: n_heads must be at most 8"):
        heads_network(4, 3)
