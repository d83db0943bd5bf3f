"""Reads forged replies: whatever the bytes are, an outcome comes or a refusal, and no crash."""

import json
import random
import struct

import numpy as np
import pytest

from attention_course.exercises.runner import Outcome, pack_outcome
from course_grader.sandbox import replies, worker
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.replies import ReplyError, parse
from course_grader.sandbox.sandbox import _verdicts
from course_grader.verdicts import Verdict

MUTATIONS = 10_000


def an_outcome():
    rng = np.random.default_rng(7)
    return Outcome(
        names=["weights", "mask", "parameters", "context"],
        values=[
            rng.standard_normal((2, 3)),
            rng.random((4, 1)) > 0.5,
            "bias, weight",
            rng.random(()),
        ],
        kinds=["float64", "bool", "text", "float32"],
        changed=["0"],
        state=["NumPy's random generator"],
        error="ValueError",
        message="matmul: mismatch",
        line=12,
        skipped=["line 9 raised AssertionError"],
    )


def forged(change, body=b""):
    """Return the reply of an empty outcome with a change of its header."""
    data = pack_outcome(Outcome(), 0)
    header = json.loads(data[4:])
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<I", len(text)) + text + body


def test_what_the_worker_writes_is_read_as_it_was():
    outcome = an_outcome()
    came = parse(pack_outcome(outcome, 10_000))
    for name in ("names", "kinds", "changed", "state", "error", "message", "line", "skipped"):
        assert getattr(came, name) == getattr(outcome, name)
    for one, other in zip(came.values, outcome.values, strict=True):
        assert type(one) is type(other)
        np.testing.assert_array_equal(one, other)
    assert [v.dtype for v in came.values[:2]] == [np.float64, bool]


def test_arrays_that_were_left_out_keep_their_shape_and_are_equal_to_nothing():
    came = parse(pack_outcome(an_outcome(), 10))
    assert [np.shape(value) for value in came.values] == [(2, 3), (4, 1), (), ()]
    assert np.isnan(came.values[0]).all()


def test_a_shape_of_a_terabyte_takes_no_memory():
    def change(header):
        header |= {"values": [["x", "float64", [1 << 20, 1 << 17]]], "body": False}

    assert parse(forged(change)).values[0].shape == (1 << 20, 1 << 17)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("values", {}),
        ("values", [["x", "float64"]]),
        ("values", [["x", "float64", [2, -1]]]),
        ("values", [["x", "float64", [1.0]]]),
        ("values", [["x", "float64", [True]]]),
        ("values", [["x", "float64", [1 << 50, 0]]]),
        ("values", [["x", "float64", [1 << 30, 1 << 30]]]),
        ("values", [["x", "float64", [1] * 17]]),
        ("values", [["x", "object", [0]]]),
        ("values", [["x", "complex128", [0]]]),
        ("values", [["x", "text", [0]]]),
        ("values", [["x", "text", "y" * 201]]),
        ("values", [["x" * 201, "float64", [0]]]),
        ("values", [["x", "float64", [0]]] * 1025),
        ("body", 1),
        ("changed", [1]),
        ("changed", ["x"] * 9),
        ("skipped", ["x"] * 9),
        ("skipped", ["x" * 201]),
        ("line", -1),
        ("line", 1.5),
        ("line", True),
        ("error", None),
        ("error", "x" * 81),
        ("message", ["x"]),
        ("line", 1 << 40),
        ("more", 1),
    ],
)
def test_a_header_that_the_worker_would_not_write_is_refused(key, value):
    with pytest.raises(ReplyError):
        parse(forged(lambda header: header.update({key: value})))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0\0",
        struct.pack("<I", 5000) + b"x" * 5000,
        struct.pack("<I", 0xFFFFFFFF) + b"{}",
        struct.pack("<I", 2) + b"{}",
        struct.pack("<I", 2) + b"[]",
        struct.pack("<I", 3) + b"NaN",
        struct.pack("<I", 4000) + b"[" * 4000,
        struct.pack("<I", 4000) + b"1" * 4000,
        struct.pack("<I", 4) + b"\xff\xfe\xfd\xfc",
        b"\x80\x04\x95",
        b"\x93NUMPY\x01\0",
    ],
)
def test_bytes_that_are_no_reply_are_refused(data):
    with pytest.raises(ReplyError):
        parse(data)


def test_a_body_too_short_or_too_long_is_refused():
    data = pack_outcome(an_outcome(), 10_000)
    for wrong in (data[:-1], data + b"\0", data + data):
        with pytest.raises(ReplyError, match="body"):
            parse(wrong)


def test_a_truth_value_that_is_neither_is_refused():
    def change(header):
        header |= {"values": [["x", "bool", [2]]], "body": True}

    assert parse(forged(change, b"\1\0")).values[0].tolist() == [True, False]
    with pytest.raises(ReplyError, match="True and False"):
        parse(forged(change, b"\1\2"))


def test_nothing_is_ever_unpickled(monkeypatch):
    import pickle

    for name in ("load", "loads"):
        monkeypatch.setattr(pickle, name, lambda *a, **k: pytest.fail("unpickled"))
    monkeypatch.setattr(np, "load", lambda *a, **k: pytest.fail("loaded"))
    parse(pack_outcome(an_outcome(), 10_000))


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return a reply with a few bytes changed, cut, doubled, moved or put in."""
    new = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, size = rng.randrange(len(new) + 1), rng.randint(1, 12)
        kind = rng.randrange(6)
        if kind == 0 and new:
            new[at % len(new)] = rng.randrange(256)
        elif kind == 1:
            del new[at : at + size]
        elif kind == 2:
            new[at:at] = rng.randbytes(size)
        elif kind == 3:
            new[at:at] = new[at : at + size]
        elif kind == 4:
            token = rng.choice(
                [b"[", b"}", b"null", b"1e999", b"-1", b"true", b'""', b"[[", b"9" * 30]
            )
            new[at : at + rng.randint(0, 4)] = token
        else:
            del new[at:]
    return bytes(new)


def test_ten_thousand_mutated_replies_are_read_or_refused_and_nothing_else():
    rng = random.Random(2026)
    seeds = [pack_outcome(an_outcome(), 10_000), pack_outcome(an_outcome(), 0)]
    seeds += [pack_outcome(Outcome(error="E", message="m"), 0)]
    verdicts = []
    for number in range(MUTATIONS):
        data = mutated(seeds[number % len(seeds)], rng)
        if number % 3:  # a length that fits gets the rest past the first check
            size = max(0, min(len(data) - 4, len(data) - 4 - rng.choice([0, 0, 56, 60])))
            data = struct.pack("<I", size) + data[4:]
        framed = worker.FRAME.pack(len(data)) + data
        [(verdict, outcome)] = _verdicts(worker.EXITED, 0, 0.0, framed, Limits())
        assert (outcome is None) == (verdict == Verdict.PROTOCOL)
        if outcome is not None:
            assert len(outcome.names) == len(outcome.values) == len(outcome.kinds)
            outcome.message.encode()
        verdicts.append(verdict)
    # The mutations are worth something only if some are read and many are refused.
    assert verdicts.count(Verdict.PROTOCOL) > MUTATIONS / 2
    assert len(verdicts) - verdicts.count(Verdict.PROTOCOL) > 100


@pytest.mark.parametrize("data", [b"", b"\0", b"\5\0\0\0abcd", b"\1\0\0\0ab", b"\xff" * 9])
def test_lengths_that_do_not_add_up_are_refused(data):
    with pytest.raises(ReplyError, match="frames"):
        replies.frames(data)


def test_outcomes_are_told_apart_by_their_lengths():
    parts = [pack_outcome(an_outcome(), 10_000), b"", pack_outcome(Outcome(), 0)]
    assert replies.frames(b"".join(worker.FRAME.pack(len(p)) + p for p in parts)) == parts


def test_the_reader_and_the_worker_agree_on_the_longest_header():
    assert replies.LONGEST_HEADER == worker.LONGEST_HEADER
