"""Data-flow graphs: what they draw, they also say."""

import re
import xml.etree.ElementTree as ET

import pytest

from attention_course.drawing.flow_graphs import flow_graph

NEEDS = {"a_t": ["h_t", "keys"], "c_t": ["a_t", "keys"]}
PLACES = {"h_t": (0, 1), "keys": (0, 0), "a_t": (1, 0.5), "c_t": (2, 0)}


def draw(**changed):
    return flow_graph(NEEDS, PLACES, {"c_t": "context"}, **changed)


def test_every_quantity_is_drawn_once_and_every_need_is_an_arrow():
    root = ET.fromstring(draw().svg)
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("rect") == 4
    assert tags.count("path") == tags.count("polygon") == 4


def test_it_says_what_needs_what():
    assert repr(draw(title="A step")) == "A step: a_t needs h_t, keys; c_t needs a_t, keys."
    assert ET.fromstring(draw().svg).get("aria-label") == draw().alt


def test_arrows_end_at_rims_and_not_inside_boxes():
    root = ET.fromstring(draw().svg)
    boxes = [
        tuple(float(r.get(k)) for k in ("x", "y", "width", "height")) for r in root.iter("rect")
    ]
    for path in root.iter("path"):
        points = re.findall(r"[ML]([\d.]+) ([\d.]+)", path.get("d"))
        for x, y in (map(float, point) for point in points):
            inside = [
                bx + 1 < x < bx + w - 1 and by + 1 < y < by + h - 1 for bx, by, w, h in boxes
            ]
            assert not any(inside)


def test_an_arrow_may_have_a_role_too():
    roles = {("keys", "a_t"): "key", ("keys", "c_t"): "value"}
    drawn = flow_graph(NEEDS, PLACES, roles).svg
    assert "var(--ac-key," in drawn
    assert "var(--ac-value," in drawn


@pytest.mark.parametrize(
    "places", [{"h_t": (0, 1)}, PLACES | {"c_t": (0, 1)}], ids=["missing", "shared"]
)
def test_every_quantity_needs_a_place_of_its_own(places):
    with pytest.raises(ValueError, match="flow_graph: places must give every quantity a place"):
        flow_graph(NEEDS, places)
