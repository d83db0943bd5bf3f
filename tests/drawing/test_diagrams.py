"""Drawings of networks: what they show, they also say."""

import re
import xml.etree.ElementTree as ET

import pytest

from attention_course.drawing import flow_graph, growing_cache, guessing_ahead, shared_pages
from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._sketch import Edge, Node, Sketch, cell_text
from attention_course.drawing.diagrams import (
    aligned_network,
    diagram,
    fixed_vector_network,
    heads_network,
)
from attention_course.drawing.path_diagrams import path_network
from attention_course.drawing.transformer_diagrams import transformer_network


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
    drawn = aligned_network(["<a>", "b & c", "d_e"], ['"', "ß", "^"])
    root = ET.fromstring(drawn.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == drawn.alt
    assert {"<a>", "b & c", "d_e", '"', "ß", "^"} <= set(words(drawn))


def test_colours_come_from_the_page():
    svg = fixed_vector_network(["a"], ["b"]).svg
    assert "var(--ac-context," in svg
    assert "currentColor" in svg


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


# Drawings by name.


def lines_and_frames(root):
    """Every path as its places, every frame as its corners."""
    lines = []
    for path in root.iter("path"):
        pairs = re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d"))
        lines.append([(float(x), float(y)) for x, y in pairs])
    frames = [
        tuple(float(rect.get(key)) for key in ("x", "y", "width", "height"))
        for rect in root.iter("rect")
    ]
    return lines, frames


OTHERS = {
    "aligned": aligned_network(["<a>", "b & c", "d_e"], ['"', "ß", "^"]),
    "cache": growing_cache(),
    "fixed vector": fixed_vector_network(["a"] * 3, ["b"] * 7),
    "flow": flow_graph(
        {"a_t": ["h_t", "keys"], "c_t": ["a_t", "keys"]},
        {"h_t": (0, 1), "keys": (0, 0), "a_t": (1, 0.5), "c_t": (2, 0)},
    ),
    "guesses": guessing_ahead(),
    "heads": heads_network(4, 2),
    "pages": shared_pages({0: [1], 1: [1]}, {0: 2, 1: 2}, 2, 3),
    "paths": path_network(),
    "transformer": transformer_network(),
}


@pytest.mark.parametrize("name", [*DRAWINGS, *OTHERS])
def test_a_drawing_is_named_and_lies_inside_its_picture(name):
    drawn = OTHERS.get(name) or diagram(name)
    root = ET.fromstring(drawn.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == drawn.alt == repr(drawn)
    assert len(drawn.alt) > (0 if name == "flow" else 70)
    _, _, wide, high = map(float, root.get("viewBox").split())
    lines, frames = lines_and_frames(root)
    assert all(0 <= x <= wide and 0 <= y <= high for line in lines for x, y in line)
    assert all(x >= 0 and x + w <= wide and y >= 0 and y + h <= high for x, y, w, h in frames)
    for text in root.iter("text"):
        assert 8 <= float(text.get("y")) <= high - 2, text.text
        assert 0 <= float(text.get("x")) <= wide
    assert " id=" not in drawn.svg


@pytest.mark.parametrize("name", DRAWINGS)
def test_arrows_end_at_frames_and_not_inside_them(name):
    lines, frames = lines_and_frames(ET.fromstring(diagram(name).svg))
    for line in lines:
        for px, py in (line[0], line[-1]):
            for x, y, w, h in frames:
                assert not (x + 1 < px < x + w - 1 and y + 1 < py < y + h - 1), (name, line)


@pytest.mark.parametrize("name", DRAWINGS)
def test_frames_keep_apart(name):
    _, frames = lines_and_frames(ET.fromstring(diagram(name).svg))
    for i, (x, y, w, h) in enumerate(frames):
        for x2, y2, w2, h2 in frames[i + 1 :]:
            apart = x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
            assert apart, (name, x, y, x2, y2)


def test_the_blocks_of_scaled_dot_product_attention_are_the_papers():
    drawn = diagram("scaled-dot-product")
    told = " ".join("".join(t.itertext()) for t in ET.fromstring(drawn.svg).iter("text"))
    for word in ("Q", "K", "V", "product", "scale", "√dk", "mask", "softmax", "C"):
        assert word in told
    for role in ("query", "key", "value", "score", "weight", "context"):
        assert f"var(--ac-{role}," in drawn.svg


def test_without_the_sites_colours_those_of_the_front_end_are_mixed_in():
    """JupyterLab has no course style sheet: a role's colour leans to that of its text."""
    assert "color-mix(in srgb,#1d3aa1 50%,currentColor)" in diagram("scaled-dot-product").svg


def test_a_host_that_takes_drawings_out_shows_the_words_alone():
    """JupyterLab, where it does not trust a notebook: no style, no SVG, but its letters."""
    given = diagram("four-states")._repr_html_()
    left = re.sub(r"<style>.*?</style>", "", given)
    left = re.sub(r"</?(svg|g|rect|path|text|tspan|circle|polygon)\b[^>]*>", "", left)
    hidden, words = ET.fromstring(left)
    assert hidden.get("style") == "display:none"
    assert words.text.startswith("A decoder state and four encoder states")
    assert '<figure class="ac-diagram"' in given  # known by it to captions and styles


@pytest.mark.parametrize("name", ["bahdanau", "luong", "input-feeding"])
def test_every_role_has_a_line_of_its_own_colour_that_leads_to_it(name):
    """Query, key and value each come from somewhere, and what is learned has no role."""
    sketch = DRAWINGS[name]()
    into = {(edge.role, edge.points[-1]) for edge in sketch.edges}
    roles = {role for role, _ in into}
    assert {"query", "key", "value", "weight", "context"} <= roles
    values = [edge for edge in sketch.edges if edge.role == "value"]
    frames = {node.name: node for node in sketch.nodes}
    starts = [edge.points[0] for edge in values]
    if name == "input-feeding":  # all rails leave the box of the encoder states
        assert {y for _, y in starts} == {31}
    else:  # each annotation is a key, and the same annotation gives its value
        keys = {n for n, node in frames.items() if node.role == "key" and node.shape != "label"}
        assert keys <= set(starts)
        assert {edge.points[0] for edge in sketch.edges if edge.role == "key"} >= keys
    learned = [node for node in sketch.nodes if re.search(r"[WUv]_[ac]\b", node.text)]
    assert learned if name != "luong" else True
    assert all(node.role == "" for node in learned)


def test_an_unknown_drawing_is_refused_with_those_that_there_are():
    with pytest.raises(ValueError, match="diagram: name must be one of 'scaled-dot-product'"):
        diagram("transformer")


def test_symbols_are_drawn_until_there_are_numbers():
    node = Node("a-0", 30, 20, "α_1", "weight", "weight", shows="weights.0")
    strip = Node("k-0", 30, 60, "k", "key", "bars", shows="keys.0")
    sketch = Sketch(
        60, 80, [node, strip], [Edge("a", ["k-0", "a-0"], "weight", "weights.0")], "x"
    )
    symbols = "".join(ET.fromstring(sketch.svg()).itertext())
    assert symbols == "α1k"
    filled = sketch.svg({"weights": [0.25], "keys": [[1.0, -2.0]]})
    assert "".join(ET.fromstring(filled).itertext()) == "0.25"
    assert 'height="6"' in filled  # a quarter of 24
    assert 'stroke-width="2' in filled  # 0.8 and a quarter of 5
    assert "data-" not in filled
    assert 'data-v="weights.0"' in sketch.svg(slots=True)


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (15.0, "15"),
        (-0.3, "−0.3"),
        (0.0, "0"),
        (1.0, "1"),
        (0.9999, "> 0.999"),
        (2.9e-20, "3×10⁻²⁰"),
        (-7.66, "−7.66"),
        (-float("inf"), "−∞"),
        (123.4, "123"),
        (12345.6, "1×10⁴"),
        ("c", "c"),
    ],
)
def test_numbers_in_cells_are_short_and_only_an_exact_one_is_one(x, text):
    assert cell_text(x) == text


def test_paths_are_drawn_as_the_search_finds_them():
    drawn = path_network()
    assert "recurrent layer: 7 steps; 3 layers of convolution, width 5: 3 steps" in drawn.alt
    svg = ET.fromstring(drawn.svg)
    heavy = [p for p in svg.iter() if p.get("stroke-width") == "3.3"]
    assert len(heavy) == 7 + 3 + 1
    light = [p for p in svg.iter() if p.get("stroke-width") == "0.8"]
    readings = 7 + 6 + 3 * (7 * 5 - 6) + 49
    assert len(heavy) + len(light) == readings
