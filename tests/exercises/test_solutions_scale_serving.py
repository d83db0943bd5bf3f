"""The solutions about serving: exact where they draw, and as the reference serves."""

from itertools import product

import numpy as np
import pytest
from test_solutions_scale_decoding import holds

from attention_course.exercises import exercise_named
from attention_course.exercises.exercise import edited
from attention_course.exercises.runner import load
from attention_course.reference.scale.serving import Request, ServedModel, serve

SLUGS = ("speculative-sampling", "continuous-batching", "prefix-tree")
# Every bound of a draw below is a multiple of 1/64, so these numbers stand for all from 0 to 1.
EVERY = (np.arange(64) + 0.5) / 64
# A pass takes one second, whatever it reads and writes.
ONE_SECOND = ServedModel(0.5, 0, 0, 1e30, 1)


def answer(slug, *edits):
    exercise = exercise_named(slug)
    source = edited(exercise.solution, edits, slug) if edits else exercise.solution
    return load(source)[exercise.target]


def written(verify):
    """Return how often each symbol comes first, and each comes second after a kept guess."""
    p = np.array([[8, 24, 24, 8], [8, 8, 16, 32]]) / 64
    q = np.array([[32, 8, 8, 16]]) / 64
    first, second = np.zeros(4), np.zeros(4)
    for x, (decides, draws) in product(range(4), product(EVERY, repeat=2)):
        found = verify(p, q, np.array([x]), np.array([decides, draws]))
        first[found[0]] += q[0, x] / len(EVERY) ** 2
        if len(found) > 1:
            second[found[1]] += q[0, x] / len(EVERY) ** 2
    return p, first, second


def test_what_is_written_is_distributed_as_the_large_model_says():
    p, first, second = written(answer("speculative-sampling"))
    assert np.allclose(first, p[0], rtol=0, atol=1e-12)
    assert np.allclose(second / second.sum(), p[1], rtol=0, atol=1e-12)
    assert second.sum() == pytest.approx(np.minimum(p[0], [0.5, 0.125, 0.125, 0.25]).sum())


def test_drawn_anew_from_p_it_is_distributed_otherwise():
    wrong = answer("speculative-sampling", ("np.maximum(p[i] - q[i], 0)", "p[i]"))
    p, first, _ = written(wrong)
    assert np.abs(first - p[0]).max() > 0.05


@pytest.mark.parametrize("seed", range(20))
def test_a_schedule_is_that_of_a_server_whose_passes_take_a_second(seed):
    rng = np.random.default_rng(seed)
    n, most, chunk = (int(x) for x in rng.integers(1, (12, 5, 10)))
    arrivals = np.sort(rng.integers(0, 15, n))
    prompts, outputs = rng.integers(1, 12, n), rng.integers(1, 9, n)
    each = zip(arrivals.tolist(), prompts.tolist(), outputs.tolist(), strict=True)
    asked = [Request(float(came), prompt, output) for came, prompt, output in each]
    found, _ = serve(asked, ONE_SECOND, most=most, chunk=chunk)
    first, last = answer("continuous-batching")(arrivals, prompts, outputs, most, chunk)
    assert [one.first for one in found] == (first + 1).tolist()
    assert [one.last for one in found] == (last + 1).tolist()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_reused_is_the_longest_beginning_of_an_earlier_prompt(size):
    rng = np.random.default_rng(size)
    tree, before, blocks = answer("prefix-tree")(size), [], set()
    for _ in range(200):
        prompt = rng.integers(0, 2, rng.integers(1, 10)).tolist()
        ends = range(size, len(prompt) + 1, size)
        known = [e for e in ends if any(p[:e] == prompt[:e] for p in before)]
        reused = max((e for e in known if e < len(prompt)), default=0)
        assert tree.add(prompt) == len(prompt) - reused
        before.append(prompt)
        blocks |= {tuple(prompt[:e]) for e in ends}
    assert tree.n_blocks == len(blocks)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("slug", SLUGS)
def test_other_inputs_judge_every_answer_in_the_same_way(slug, seed):
    exercise = exercise_named(slug)
    wrong = {w.name: load(exercise.source_of(w)) for w in exercise.wrong}
    right = {o.name: load(exercise.source_of(o)) for o in exercise.right}
    passed = [name for name, defined in wrong.items() if holds(exercise, defined, seed)]
    failed = [name for name, defined in right.items() if not holds(exercise, defined, seed)]
    assert (passed, failed) == ([], [])
