"""The plane widget in Python: what it shows, and what it refuses."""

import numpy as np
import pytest

from attention_course.reference import attention_by_loops
from attention_course.widgets import AttentionPlane


def test_the_context_is_that_of_the_loops():
    plane = AttentionPlane(score="scaled", temperature=1.0)
    query, keys = np.array([plane.query]), np.array(plane.key_points)

    np.testing.assert_allclose(
        plane.readouts()["context"], attention_by_loops(query, keys, keys)[0], rtol=1e-12
    )


def test_under_the_cosine_the_length_of_the_query_plays_no_part():
    short = AttentionPlane(query=[1.0, 0.5], score="cosine").readouts()
    long = AttentionPlane(query=[4.0, 2.0], score="cosine").readouts()

    np.testing.assert_allclose(short["weights"], long["weights"], rtol=1e-12)


def test_a_longer_query_sharpens_the_weights_of_the_dot_product():
    short = AttentionPlane(query=[1.0, 0.5]).readouts()
    long = AttentionPlane(query=[4.0, 2.0]).readouts()

    assert long["entropy"] < short["entropy"]


def test_by_default_the_winner_is_not_the_nearest_key():
    plane = AttentionPlane()
    distances = np.linalg.norm(np.array(plane.key_points) - plane.query, axis=1)

    assert plane.readouts()["weights"].argmax() != distances.argmin()


def test_the_fallback_says_what_the_reference_says():
    plane = AttentionPlane()
    weights = plane.readouts()["weights"]

    assert (
        f"key {weights.argmax() + 1} the largest weight, {weights.max():.3f}" in plane.fallback
    )
    assert plane.fallback.count("<tr>") == 1 + len(weights)


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("query", [9, 0], "two numbers from -5 to 5"),
        ("query", "up", "two numbers"),
        ("key_points", [[0, 1]], "2 to 6 pairs"),
        ("key_points", [[0, 1, 2], [0, 1, 2]], "2 to 6 pairs"),
        ("score", "mean", "one of 'dot', 'scaled', 'cosine'"),
        ("temperature", 0, "a number from 0.1 to 10"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"AttentionPlane: {trait} must be {expected}"):
        AttentionPlane(**{trait: bad})
