"""Pictures with captions, and what a captioner sees of them."""

import base64
import re
import struct
import xml.etree.ElementTree as ET
import zlib

import numpy as np
import pytest

from attention_course.drawing.pictures import (
    boxes_beside,
    looking_rows,
    maps_beside,
    picture_row,
)

PICTURE = np.random.RandomState(0).random_sample((3, 5, 7))


def test_the_picture_that_is_stored_is_the_one_that_was_given():
    svg = picture_row(PICTURE[None], ["noise"]).svg
    data = base64.b64decode(re.search(r"base64,([^\"]+)", svg)[1])
    wide, high = struct.unpack(">II", data[16:24])
    assert (high, wide) == (5, 7)
    at = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[at - 4 : at])
    lines = zlib.decompress(data[at + 4 : at + 4 + length])
    rows = np.frombuffer(lines, np.uint8).reshape(5, 1 + 3 * 7)
    assert not rows[:, 0].any()
    found = np.moveaxis(rows[:, 1:].reshape(5, 7, 3) / 255, -1, 0)
    assert np.abs(found - PICTURE).max() <= 0.5 / 15 + 1e-9


def test_the_heaviest_cell_is_bright_and_is_said():
    alpha = np.full((1, 5, 7), 0.01)
    alpha[0, 1, 2] = 0.66
    drawn = looking_rows(PICTURE, ["red"], {"soft": alpha})
    assert repr(drawn) == "soft: red (row 2, column 3: 0.66)."
    assert drawn.svg.count('fill="#000"') == 34
    shapes = [*ET.fromstring(drawn.svg).iter()]
    framed = [part for part in shapes if "--ac-edge" in part.get("style", "")]
    assert len(framed) == drawn.svg.count("<image") == 2
    assert "ac-grey" not in drawn.svg
    assert "ac-grey" in maps_beside(PICTURE[0], {"one": alpha[0]}).svg


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="picture_row: captions must be one"):
        picture_row(PICTURE[None], [])
    with pytest.raises(ValueError, match="looking_rows: rows must hold weights"):
        looking_rows(PICTURE, ["a", "b"], {"soft": np.ones((1, 5, 7))})


def test_a_map_is_told_by_its_largest_patch_and_drawn_by_area():
    map_ = np.array([[0.0, 1.0], [0.25, 0.0], [0.0, 0.75]])
    drawn = maps_beside(np.zeros((6, 4)), {"one": map_, "two": map_[::-1]})
    assert drawn.alt == "one (row 1, column 2: 0.50), two (row 3, column 2: 0.50)."
    assert drawn.svg.count("<image") == 3
    assert drawn.svg.count('stroke="currentColor"') == 2
    assert f'width="{80 * 0.25**0.5:.1f}"' in drawn.svg


@pytest.mark.parametrize("map_", [np.zeros((2, 2)), -np.ones((2, 2))])
def test_a_map_of_nothing_is_refused(map_):
    with pytest.raises(ValueError, match="maps_beside: maps must be at least 0"):
        maps_beside(np.zeros((4, 4)), {"one": map_})


def test_a_box_is_drawn_where_its_numbers_say():
    boxes = {"bag": np.array([0.5, 0.25, 0.4, 0.1]), "a & b": np.array([0.8, 0.7, 0.2, 0.6])}
    drawn = boxes_beside(PICTURE[0], boxes)
    assert drawn.alt == "1 bag (across 0.50, down 0.25), 2 a & b (across 0.80, down 0.70)."
    shapes = [*ET.fromstring(drawn.svg).iter()]
    plain, pale = (part for part in shapes if part.tag == "image")
    frames = [part for part in shapes if part.get("stroke-width") == "2"]
    for (across, down, wide, high), frame in zip(boxes.values(), frames, strict=True):
        x, y, width, height = (float(frame.get(n)) for n in ("x", "y", "width", "height"))
        side = float(pale.get("width"))
        centre = (x - float(pale.get("x")) + width / 2) / side, (y + height / 2) / side
        assert centre == pytest.approx((across, down), abs=1e-3)
        assert (width / side, height / side) == pytest.approx((wide, high), abs=1e-3)
    assert plain.get("x") == "0"
    words = [part.text for part in shapes if part.tag == "text"]
    assert words == ["the picture", "1", "2", "1  bag", "2  a & b"]
    high = float(ET.fromstring(drawn.svg).get("viewBox").split()[3])
    assert max(float(part.get("y")) for part in shapes if part.tag == "text") < high
