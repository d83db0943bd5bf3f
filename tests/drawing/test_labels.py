"""A drawing with its labels hidden: each is asked by a number, and told in its place."""

import xml.etree.ElementTree as ET

import pytest

from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._sketch import Node, Sketch, in_html
from attention_course.drawing.labels import ASKED, hidden


def texts(element, told):
    """Return what is to be read while the labels are told, or are not."""
    if "data-asked" in element.attrib and told:
        return []
    if element.get("display") == "none" and not told:
        return []
    if element.tag == "text":
        return ["".join(element.itertext())]
    return [text for child in element for text in texts(child, told)]


@pytest.mark.parametrize("name", ASKED)
def test_what_is_asked_is_not_to_be_read_and_stands_there_when_told(name):
    drawing, labels = hidden(name)
    root = ET.fromstring(drawing)
    before, after = texts(root, told=False), texts(root, told=True)
    whole = ET.fromstring(DRAWINGS[name]().svg())
    assert sorted(after) == sorted(texts(whole, told=True))
    for number, label in enumerate(labels, 1):
        assert f"({number})" in before
        assert f"({number})" not in after
        for one in ASKED[name][number - 1], label:
            assert one not in before
    assert 3 <= len(labels) <= 10
    assert root.get("aria-label") == f"A drawing whose {len(labels)} labels are hidden."


def test_a_label_that_is_not_there_is_named():
    sketch = Sketch(100, 100, [Node("a", 50, 50, "softmax")], [], "One box.")
    assert "(1)" in sketch.asking(["soft*"])
    with pytest.raises(ValueError, match="expected the texts of nodes, got 'weights'"):
        sketch.asking(["softmax", "weights"])


def test_a_label_in_html_has_its_indices():
    assert in_html("x^1 < e_{ij}") == "x<sup>1</sup> &lt; e<sub>ij</sub>"
