"""Figures of translators of the small world: means, half the range, and how many runs."""

import pytest

from attention_course.drawing.small_world import right_by
from attention_course.measure import recorded_runs


def run(model, seed, right, source="english"):
    return {
        "model": model, "from": source, "seed": seed,
        "right_by_length": {"to 6": [right, 5], "to 200": [right / 2, 4], "to 9": [0.5, 4]},
        "right_by_phenomenon": {"negation": [right, 5], "question": [0.25, 4]},
    }  # fmt: skip


RUNS = [
    run("fixed", 0, 0.5), run("bahdanau", 0, 1.0), run("bahdanau", 1, 0.5), run("gnmt", 0, 0.1)
]  # fmt: skip


def seen(figure):
    """Return for each series its name, heights, and half-widths."""
    return {
        bar.name: (list(bar.y), None if bar.error_y.array is None else list(bar.error_y.array))
        for bar in figure.data
    }


def test_right_by_length_from_short_to_long_with_half_the_range_of_several_runs():
    figure = right_by(RUNS, "length", title="T")
    assert list(figure.data[0].x) == ["to 6", "to 9", "more"]
    assert seen(figure) == {
        "fixed vector (1 run)": ([0.5, 0.5, 0.25], None),
        "attention (2 runs)": ([0.75, 0.5, 0.375], [0.25, 0, 0.125]),
    }
    assert "attention (2 runs): to 6 0.75, to 9 0.5, more 0.375" in figure.layout.meta["alt"]


def test_right_by_phenomenon_with_other_names():
    figure = right_by(RUNS, "phenomenon", title="T", names={"gnmt": "GNMT"})
    assert list(figure.data[0].x) == ["negation", "question"]
    assert seen(figure) == {"GNMT (1 run)": ([0.1, 0.25], None)}


def test_runs_from_two_languages_or_another_question_are_refused():
    with pytest.raises(ValueError, match="runs must be from one language, got two"):
        right_by([*RUNS, run("fixed", 1, 0.5, "french")], "length", title="T")
    with pytest.raises(ValueError, match="what must be 'length' or 'phenomenon', got 'word'"):
        right_by(RUNS, "word", title="T")


def test_what_is_recorded_can_be_drawn():
    runs = [run for run in recorded_runs("small_world") if run.get("from") == "english"]
    for what in ("length", "phenomenon"):
        assert len(right_by(runs, what, title="T").data) >= 1
