"""The server: every token once, times by hand, and orders of work that must differ."""

import numpy as np
import pytest

from attention_course.data.requests import conversations
from attention_course.reference.scale.serving import (
    WAYS,
    Request,
    ServedModel,
    serve,
)

ONE = ServedModel(1e9, 1e5, 1e5, peak=1e15, bandwidth=1e12)  # a step takes 2 ms at least
REAL = [Request(*row) for row in conversations()[:60]]


def tokens(steps, count):
    read, wrote = np.zeros(count, int), np.zeros(count, int)
    for step in steps:
        for number, r, w in step.parts:
            read[number] += r
            wrote[number] += w
    return read, wrote


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("chunk", [64, 10**6])
def test_every_token_is_read_or_written_once(way, chunk):
    found, steps = serve(REAL, ONE, way, 8, chunk)
    read, wrote = tokens(steps, len(REAL))
    assert read.tolist() == [r.prompt for r in REAL]
    assert wrote.tolist() == [r.answer for r in REAL]
    ends = [step.begin + step.seconds for step in steps]
    assert all(a <= b + 1e-12 for a, b in zip(ends, (s.begin for s in steps[1:]), strict=False))
    assert max(done.last for done in found) == pytest.approx(ends[-1])
    for step in steps:
        assert sum(read for _, read, _ in step.parts) <= chunk
        assert len(step.parts) <= (1 if way == "one by one" else 8)


def test_nobody_is_answered_before_asking():
    for way in WAYS:
        found, _ = serve(REAL, ONE, way)
        assert all(done.first > r.came for done, r in zip(found, REAL, strict=True))


def test_one_request_takes_the_time_that_its_formula_says():
    model = ServedModel(1e9, 3e5, 2e5, peak=1e14, bandwidth=2e12)
    (done,), steps = serve([Request(1.5, 1000, 3)], model)
    reading = max((2e9 * 1000 + 2e5 * 1000 * 1001 / 2) / 1e14, (2e9 + 3e5 * 1000) / 2e12)
    writing = [(2e9 + 3e5 * (1000 + i + 1)) / 2e12 for i in range(1, 3)]
    assert done.first == pytest.approx(1.5 + reading)
    # The first token is the prompt's step; each further one passes through itself.
    assert done.last == pytest.approx(1.5 + reading + sum(writing), rel=1e-3)
    assert len(steps) == 3


def test_chunks_cost_more_steps_and_the_same_tokens():
    many = serve([Request(0.0, 1000, 2)], ONE, chunk=100)[1]
    assert len(many) == 11
    assert [step.parts[0][1] for step in many] == [100] * 10 + [0]


def test_a_free_place_is_taken_at_once_or_when_the_batch_is_done():
    requests = [Request(0.0, 1, 2), Request(0.0, 1, 9), Request(0.0, 1, 2)]
    now, _ = serve(requests, ONE, "continuous", 2)
    later, _ = serve(requests, ONE, "in batches", 2)
    assert now[2].first < now[1].last
    assert later[2].first > later[1].last


def test_a_beginning_that_is_kept_is_read_once():
    requests = [Request(0.0, 500, 1), Request(1.0, 600, 1), Request(1.0, 400, 1)]
    read, _ = tokens(serve(requests, ONE, kept=400)[1], 3)
    assert read.tolist() == [500, 200, 1]  # of a prompt at least one token passes through


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"requests": []}, "requests in the order in which they came"),
        ({"requests": [Request(1.0, 1, 1), Request(0.0, 1, 1)]}, "requests in the order"),
        ({"requests": [Request(0.0, 0, 1)]}, "each of at least one token, got 1 requests"),
        ({"way": "at random"}, "way must be one of one by one, in batches, continuous"),
        ({"most": 0}, "most must be"),
        ({"chunk": 0}, "chunk must be"),
        ({"kept": -1}, "kept must be"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"serve: .*{said}"):
        serve(**{"requests": REAL[:2], "model": ONE} | given)
