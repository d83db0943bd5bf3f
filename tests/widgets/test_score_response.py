"""The response widget in Python: what it shows, and what it refuses."""

import numpy as np
import pytest

from attention_course.widgets import ScoreResponse
from attention_course.widgets.score_response.widget import LABELS


def test_every_score_function_weighs_every_key():
    shown = ScoreResponse().readouts()

    for part in ("score", "weight"):
        assert list(shown[part]) == list(LABELS)
        assert {row.shape for row in shown[part].values()} == {(5,)}
    for row in shown["weight"].values():
        assert row.sum() == pytest.approx(1, abs=1e-12)


def test_at_zero_degrees_the_query_points_along_key_1():
    scores = ScoreResponse(angle=0.0, beta=2.0).readouts()["score"]

    assert scores["cosine"][0] == pytest.approx(2.0, abs=1e-12)


def test_a_longer_query_changes_dot_products_and_not_cosines():
    short, long = (ScoreResponse(length=x).readouts() for x in (0.5, 2.0))

    np.testing.assert_allclose(long["score"]["dot"], 4 * short["score"]["dot"], rtol=1e-12)
    np.testing.assert_allclose(long["score"]["cosine"], short["score"]["cosine"], rtol=1e-12)


def test_additive_scores_stay_in_range_where_dot_products_do_not():
    narrow, wide = (ScoreResponse(d=d, length=4.0).readouts()["score"] for d in (4, 256))

    assert np.ptp(wide["dot"]) > 20 * np.ptp(narrow["dot"])
    assert np.ptp(wide["additive"]) < 2 < np.ptp(wide["dot"]) / 100


def test_the_fallback_says_what_the_reference_says():
    widget = ScoreResponse()
    weights = widget.readouts()["weight"]

    assert f"key 1 a weight of {weights['dot'][0]:.3f}" in widget.fallback
    assert f"additive score {weights['additive'][0]:.3f}" in widget.fallback
    assert widget.fallback.count("<tr>") == 1 + len(LABELS)


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("angle", 200, "a number from -180 to 180"),
        ("length", 0, "a number from 0.1 to 4"),
        ("d", 5, "one of 4, 16, 64, 256"),
        ("d", True, "one of 4, 16, 64, 256"),
        ("beta", "high", "a number from 0.5 to 50"),
        ("seed", 1.5, "a whole number from 0 to 9"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"ScoreResponse: {trait} must be {expected}"):
        ScoreResponse(**{trait: bad})
