"""An exercise handed out as public examples decides as the exercise itself does."""

from dataclasses import replace
from importlib.util import find_spec

import pytest

from attention_course.exercises import all_exercises, bank, examine_source, exercise_named
from attention_course.exercises import own_exercise as known
from attention_course.exercises.check import said_report
from attention_course.exercises.examples import as_text

MOST = 4  # wrong answers of each exercise


@pytest.fixture(autouse=True)
def _another_session(monkeypatch):
    monkeypatch.setattr(bank, "_OWN", {})


@pytest.mark.parametrize("slug", all_exercises())
def test_examples_decide_as_the_exercise_does(slug):
    original = all_exercises()[slug]
    if original.uses == "torch" and find_spec("torch") is None:
        pytest.skip("torch is not here")
    probes = tuple(replace(p, public=True) for p in original.probes if not (p.alone or p.read))
    parts = {part: n for part, n in original.points.items() if part in {p.part for p in probes}}
    # Under another name: the bank's own examples are kept under its own.
    asked = replace(
        original, slug=f"own-{slug}", probes=probes, points=parts, wrong=(), own="fingerprint"
    )
    told = exercise_named(known(as_text(asked)))
    assert told.solution == original.stub
    assert (told.wrong, told.right, told.variants) == ((), (), ())
    assert examine_source(told, original.solution).right
    sources = [original.stub, *map(original.source_of, original.wrong[:MOST])]
    for source in [*sources, original.source_of(original.right[0])]:
        ours, theirs = examine_source(asked, source), examine_source(told, source)
        assert ours.right or said_report(ours) == said_report(theirs)
        assert (ours.points, ours.parts) == (theirs.points, theirs.parts)
