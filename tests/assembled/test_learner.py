"""A Transformer that learns in NumPy: its gradients, and what a wrong one does."""

import numpy as np
import pytest

import attention_course as ac
from attention_course.assembled import PartError
from attention_course.assembled.learner import Learner
from attention_course.data.world import translations
from attention_course.exercises import exercise_named

EXERCISE = exercise_named("attention-backward")


def backward(source=EXERCISE.solution):
    space = {}
    exec(source, space)
    return space[EXERCISE.target]


@pytest.fixture(scope="module")
def learner():
    return Learner(backward(), seed=1)


def batch(learner):
    return next(learner.batches)


def test_every_gradient_is_what_a_small_step_changes(learner):
    rng = np.random.RandomState(2)
    x, y = batch(learner)
    _, grads = learner.gradients(x, y)
    assert grads.keys() == learner.p.keys()
    for name, p in learner.p.items():
        at = tuple(rng.randint(n) for n in p.shape)
        if name in ("E_x", "E_y"):  # a word that is there
            at = ((x if name == "E_x" else y)[0, 2], at[1])
        losses = []
        for step in (1e-5, -2e-5):
            p[at] += step
            losses.append(learner.gradients(x, y)[0])
        p[at] += 1e-5
        assert (losses[0] - losses[1]) / 2e-5 == pytest.approx(grads[name][at], abs=1e-8), name


def test_a_named_mistake_gives_another_gradient_of_the_words(learner):
    x, y = batch(learner)
    right = learner.gradients(x, y)[1]["E_x"]
    same = []
    for wrong in EXERCISE.wrong:
        other = Learner(backward(EXERCISE.source_of(wrong)), seed=1)
        try:
            found = other.gradients(x, y)[1]["E_x"]
        except PartError:
            continue
        if np.allclose(found, right, atol=1e-12):
            same.append(wrong.name)
    # These differ where scores are large, or where a width or a length is another.
    assert len(same) <= 6, same


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda q, k, v, g: (q, k), "expected 3 arrays, got tuple of 2"),
        (lambda q, k, v, g: (q, k, v[..., 1:]), r"of shape .* as result 3, got an array"),
        (lambda q, k, v, g: (q, k, v * np.nan), "with finite numbers, got NaN"),
        (lambda q, k, v, g: (q.sort(), k, v), "got ValueError: .*read-only"),
        (lambda q, k, v: (q, k, v), "got TypeError"),
    ],
)
def test_a_function_that_cannot_be_used_is_told_where(wrong, words):
    place = "^backward in the decoder's attention to the source at step 1: .*"
    with pytest.raises(PartError, match=place + words):
        ac.train_with(wrong, steps=1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"steps": 0}, "must be positive, got 0 and 45.0"),
        ({"seconds": -1}, "must be positive"),
        ({"sentence": "the girl sees the moon ."}, "moon"),
    ],
)
def test_what_cannot_be_asked_is_refused(more, words):
    with pytest.raises(ValueError, match=words):
        ac.train_with(**more)


def test_it_learns_says_how_and_stops_in_time(capsys):
    learner = ac.train_with(steps=200, seconds=600)
    assert np.mean(learner.losses[-20:]) < 0.4 * np.mean(learner.losses[:20])
    whose, first, none, *middle, last, some = capsys.readouterr().out.splitlines()
    assert whose == "backward by the solution of the exercise"
    assert first.startswith("before: ")
    assert [line.split()[:2] for line in middle] == [
        ["step", "100"],
        ["step", "200"],
    ]
    assert middle[0].count("#") == 40 > middle[1].count("#")
    assert last == f"after:  {learner.translate('the girl sees the red dress .')}"
    assert none.split() == ["0", "of", "60", "held-out", "sentences", "right"]
    right = [
        learner.translate(one).split() in [[*x] for x in translations(one, "english")]
        for one in learner.held_out
    ]
    assert 0 < sum(right) < len(right) == 60
    assert some.split()[:3] == [str(sum(right)), "of", "60"]
    assert len(ac.train_with(seconds=1e-9).losses) == 1
    assert "stopped after 1e-09 seconds" in capsys.readouterr().out
