"""The bank is sound: solutions pass, wrong answers fail and are known, odd ones pass."""

import re
from collections import defaultdict

import numpy as np
import pytest
from mutants import margin, report_of, report_on, without_large
from rules.source import ROOT

from attention_course.exercises import all_exercises, recognise
from attention_course.exercises.examine import generator, public_calls
from attention_course.exercises.rewrites import rewrites
from attention_course.exercises.runner import pack_calls

EXERCISES = all_exercises()
# Answers that took no thought: none may earn a single point.
THOUGHTLESS = {
    "returns None": "lambda *a, **k: None",
    "returns 0": "lambda *a, **k: 0.0",
    "returns its first argument": "lambda *a, **k: a[0] if a else None",
    "returns its last argument": "lambda *a, **k: a[-1] if a else None",
    "returns two zeros": "lambda *a, **k: (0.0, 0.0)",
    "is no function": "7",
}


@pytest.fixture(scope="module", params=EXERCISES.values(), ids=EXERCISES)
def exercise(request):
    return request.param


def test_the_solution_holds_every_property(exercise):
    report = report_on(exercise, exercise.solution)
    assert [(f.probe.name, f.complaint) for f in report.failed] == []
    assert report.points == sum(exercise.points.values())


def test_there_are_two_forms_to_deal(exercise):
    assert len(exercise.dealt) >= 2, (
        f"variants.toml must hold two forms or more that are not weak, got {exercise.dealt}"
    )


def test_the_stub_earns_nothing(exercise):
    assert report_on(exercise, exercise.stub).points == 0


def test_an_answer_without_thought_earns_nothing(exercise):
    answers = {name: f"{exercise.target} = {text}\n" for name, text in THOUGHTLESS.items()}
    earned = {name: report_on(exercise, source).points for name, source in answers.items()}
    assert earned == dict.fromkeys(THOUGHTLESS, 0)


def test_every_wrong_answer_is_caught(exercise):
    failed = {wrong.name: report_of(exercise, wrong).failed for wrong in exercise.wrong}
    assert [name for name, found in failed.items() if not found] == []


def test_every_wrong_answer_is_far_from_right_where_it_is_caught_by_numbers(exercise):
    near = {wrong.name: margin(report_of(exercise, wrong)) for wrong in exercise.wrong}
    assert {name: far for name, far in near.items() if far < 10} == {}


def test_every_odd_answer_passes_with_room_to_spare(exercise):
    reports = {odd.name: report_on(exercise, exercise.source_of(odd)) for odd in exercise.right}
    alike = rewrites(exercise).items()
    reports |= {name: report_on(without_large(exercise), source) for name, source in alike}
    for name, report in reports.items():
        assert [(name, f.probe.name, f.complaint) for f in report.failed] == []
        assert margin(report) <= 0.1, name


def test_every_wrong_answer_is_recognised_by_its_own_name(exercise):
    for wrong in exercise.wrong:
        report = report_of(exercise, wrong)
        found = recognise(report)
        crashed = all(finding.outcome.error for finding in report.findings)
        assert crashed or found is not None, wrong.name
        assert found is None or found.name == wrong.name, (wrong.name, found.name)


def test_no_wrong_answer_merely_breaks_down(exercise):
    """An answer that breaks down everywhere for another reason would be given its name."""
    for wrong in exercise.wrong:
        report = report_of(exercise, wrong)
        errors = {finding.outcome.error for finding in report.findings}
        assert errors & {"", "ForbiddenError", "WrongReturnError"}, wrong.name


def test_no_two_wrong_answers_do_the_same(exercise):
    seen = defaultdict(list)
    for wrong in exercise.wrong:
        report = report_of(exercise, wrong)
        seen[_signature(report)].append(wrong.name)
    assert [names for names in seen.values() if len(names) > 1] == []


def _signature(report):
    return repr(
        [
            (
                o.error,
                o.names,
                o.changed,
                o.state,
                f.complaint[:30],
                [
                    v
                    if isinstance(v, str)
                    else (v.shape, np.round(v.astype(float), 6).tolist())
                    for v in o.values
                ],
            )
            for f in report.findings
            for o in [f.outcome]
        ]
    )


def test_dropout_is_looked_at_weight_by_weight():
    """The right text is written down: what is drawn differs from answer to answer."""
    found = report_on(
        EXERCISES["multi-head-attention"], EXERCISES["multi-head-attention"].solution
    )
    said = [f.outcome.values for f in found.findings if "each by itself" in f.probe.name]
    right = "weights are dropped, each by itself, and those kept divided by 1 - dropout"
    assert said == [[right]]


def test_its_folder_is_whole(exercise):
    """Every line fits a page, there is enough of each, and no part is without a probe."""
    shown = [*exercise.stub.splitlines(), *exercise.solution.splitlines()]
    assert [line for line in shown if len(line) > 76] == []
    assert len(exercise.wrong) >= 10
    assert len({wrong.name for wrong in exercise.wrong}) == len(exercise.wrong)
    assert len(exercise.hints) >= 2
    assert {probe.part for probe in exercise.probes} == set(exercise.points)
    assert len({probe.name for probe in exercise.probes}) == len(exercise.probes)
    assert (ROOT / "book" / f"{exercise.chapter}.ipynb").exists()
    assert re.fullmatch(r"[a-z0-9-]+", exercise.slug)
    assert given_away(exercise) == []


def given_away(exercise):
    """Return the lines of the solution that a hint holds."""
    lines = {line.strip() for line in exercise.solution.splitlines() if len(line.strip()) > 20}
    lines -= {line.strip() for line in exercise.stub.splitlines()}
    told = [
        *exercise.hints,
        *(w.hint for w in exercise.wrong),
        *(p.hint for p in exercise.probes),
    ]
    return [line for line in lines for hint in told if line in hint]


def test_the_inputs_are_the_same_each_time_and_cross_as_bytes(exercise):
    for probe in exercise.probes:
        first, second = public_calls(exercise, probe), public_calls(exercise, probe)
        assert pack_calls(first) == pack_calls(second)


def small(exercise, drawn=generator):
    """Return the probes whose inputs are floating point and hold no value beyond 3."""
    found = {probe.name: largest(probe, drawn) for probe in exercise.probes}
    return [name for name, size in found.items() if size is not None and size <= 3]


def largest(probe, drawn):
    """Return the largest finite size of a probe's inputs; None if they are no floats."""
    calls = list(probe.calls(drawn("public", probe.name)))
    given = [x for call in calls for x in (*call.args, *call.kwargs.values())]
    given += [x for one in given if isinstance(one, dict) for x in one.values()]
    arrays = [x for x in given if isinstance(x, np.ndarray) and x.dtype.kind == "f"]
    sizes = [np.abs(x[np.isfinite(x)]).max(initial=0) for x in arrays]
    return max(sizes, default=None)


# What these take are shares of 1, but in the probes that are named.
SHARES = {
    "even-looks": ["weights that do not add up to 1"],
    "right-elsewhere": [],
    "speculative-sampling": [],
}


@pytest.mark.parametrize("name", EXERCISES)
def test_every_probe_has_a_value_beyond_three(name):
    """Who cuts inputs off, or is right near 0 only, must be found out by each probe."""
    for exercise in (EXERCISES[name], *map(EXERCISES[name].varied, EXERCISES[name].forms)):
        found = small(exercise)
        assert [one for one in found if one in SHARES.get(name, found)] == [], exercise.title


@pytest.mark.gate("a value beyond 3 in every probe", "inputs as NumPy draws them")
def test_inputs_as_numpy_draws_them_have_probes_without_a_value_beyond_three():
    def plain(*names):
        return np.random.Generator(generator(*names).bit_generator)

    assert sum(len(small(exercise, plain)) for exercise in EXERCISES.values()) > 100


CUT = """

def cut(x):
    return np.clip(x, -3, 3) if np.max(np.abs(x)) < 10 else x


def {target}(*args, whole={target}):
    return whole(*map(cut, args))
"""


@pytest.mark.parametrize("slug", ["four-steps", "bahdanau-step", "split-kv"])
def test_an_answer_that_cuts_its_inputs_off_earns_nothing(slug):
    exercise = EXERCISES[slug]
    report = report_on(exercise, exercise.solution + CUT.format(target=exercise.target))
    assert report.points == 0
