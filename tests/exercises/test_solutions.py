"""Each solution gives what the course gives, on its exercise's own inputs; the wrong fail."""

import numpy as np
import pytest
from solutions import RIVALS

from attention_course.exercises import all_exercises
from attention_course.exercises.examine import generator, judge, observe, right_outcome
from attention_course.exercises.runner import Result, load

EXERCISES = all_exercises()
# What is no function, draws at random or has no namesake in the course: a test each, in
# test_solutions_apart.py.
APART = {
    *("chosen-blocks", "continuous-batching", "even-looks", "image-positions"),
    *("induction-head", "kv-cache", "most-registers", "multi-head-attention"),
    *("non-local-block", "paged-cache", "prefix-tree", "speculative-sampling", "three-words"),
}


def test_every_exercise_has_a_row_or_a_test_apart():
    assert {*RIVALS} | APART == {*EXERCISES}
    assert not {*RIVALS} & APART


@pytest.mark.parametrize("slug", RIVALS)
def test_the_solution_is_what_the_course_computes(slug):
    exercise = EXERCISES[slug]
    solution, compared = load(exercise.solution)[exercise.target], 0
    for probe in exercise.probes:
        for call in () if probe.large else probe.calls(generator("beside", probe.name)):
            if call.target != exercise.target or any(isinstance(x, Result) for x in call.args):
                continue
            found, wanted = (f(*call.args, **call.kwargs) for f in (solution, RIVALS[slug]))
            many = len(call.returns) > 1
            for x, y in zip(*((found, wanted) if many else ([found], [wanted])), strict=True):
                tolerance = 2e-3 if np.asarray(x).dtype == np.float16 else 1e-9
                assert np.shape(x) == np.shape(y), probe.name
                np.testing.assert_allclose(
                    np.asarray(x, float), y, tolerance, tolerance, err_msg=probe.name
                )
            compared += 1
    assert compared >= 4


def holds(exercise, source, seed):
    """Return whether an answer holds every property on inputs that nobody has seen."""
    try:
        defined = load(source, exercise.forbidden)
    except RuntimeError:
        return False
    for probe in exercise.probes:
        calls = list(probe.calls(generator(str(seed), probe.name)))
        expected = right_outcome(exercise, probe, calls)
        if judge(exercise, probe, expected, observe(exercise, probe, defined, calls)):
            return False
    return True


# Of each kind of exercise a few; the whole bank is judged on its public inputs.
JUDGED = (
    *("scaled-dot-product-attention", "multi-head-attention", "grouped-query-attention"),
    *("mask-of-a-batch", "window-mask", "repair-heads", "half-attention", "player-step"),
    *("sinusoidal-positions", "rotary-positions", "kv-cache", "encoder-block", "split-kv"),
    *("paged-cache", "speculative-sampling", "continuous-batching", "prefix-tree"),
)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("slug", JUDGED)
def test_other_inputs_judge_every_answer_in_the_same_way(slug, seed):
    exercise = EXERCISES[slug]
    source = exercise.source_of
    passed = [w.name for w in exercise.wrong if holds(exercise, source(w), seed)]
    failed = [o.name for o in exercise.right if not holds(exercise, source(o), seed)]
    assert (passed, failed) == ([], [])
    assert holds(exercise, exercise.solution, seed)
