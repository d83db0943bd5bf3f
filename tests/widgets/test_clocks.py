"""The widget of clocks, rotation and distance, in Python."""

import numpy as np
import pytest

from attention_course.reference.positions import (
    alibi_by_loops,
    rotate_by_loops,
    sinusoidal_positions,
)
from attention_course.widgets import PositionClocks
from attention_course.widgets.clocks.widget import CONTENTS, KEYS, KINDS, QUERY, SLOPE


def vectors(d, content):
    """Query and key as the widget holds them: unit pairs at given angles."""
    return (
        np.stack([np.cos(angles[: d // 2]), np.sin(angles[: d // 2])], axis=1).ravel()
        for angles in (np.array(QUERY), np.array(KEYS[content]))
    )


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("d", [4, 8, 16])
def test_the_scores_are_those_of_the_loops(d, content):
    q, k = vectors(d, content)
    i, j = 31, 5
    p = sinusoidal_positions(40, d)
    # Four heads have slopes 1/4, 1/16, ...: the widget's is the second.
    assert alibi_by_loops(40, 40, 4)[1][0, 1] == -SLOPE
    wanted = {
        "sinusoidal": (q + p[i]) @ (k + p[j]) / np.sqrt(d),
        "rotary": (rotate_by_loops(q[None], i) @ rotate_by_loops(k[None], j).T).item()
        / np.sqrt(d),
        "alibi": q @ k / np.sqrt(d) + alibi_by_loops(40, 40, 4)[1][i, j],
    }
    for kind in KINDS:
        widget = PositionClocks(kind=kind, content=content, query_at=i, key_at=j, d=d)
        assert widget.readouts()["score"] == pytest.approx(wanted[kind], rel=1e-12)


def test_only_sinusoids_notice_that_both_have_moved():
    gaps = {}
    for kind in KINDS:
        now = PositionClocks(kind=kind, content="unlike").readouts()
        gaps[kind] = abs(now["score"] - now["moved"])
    assert gaps["sinusoidal"] > 0.1
    assert max(gaps["rotary"], gaps["alibi"]) < 1e-12


def test_content_counts_too():
    scores = [PositionClocks(kind="rotary", content=c).readouts()["score"] for c in CONTENTS]
    assert min(abs(a - b) for a in scores for b in scores if a is not b) > 0.1


def test_the_fallback_compares_the_three_kinds():
    widget = PositionClocks(kind="alibi")
    assert widget.fallback.count("<tr>") == 1 + len(KINDS)
    assert f"their score is {widget.readouts()['score']:.2f}" in widget.fallback


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("kind", "learned", "one of 'sinusoidal'"),
        ("content", "odd", "one of 'alike'"),
        ("query_at", 97, "a whole number from 0 to 96"),
        ("key_at", -1, "a whole number from 0 to 96"),
        ("d", 6, "one of 4"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"PositionClocks: {trait} must be {expected}"):
        PositionClocks(**{trait: bad})
