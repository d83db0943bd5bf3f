"""Of any file the intake takes the right answer or none, and no file stops it."""

import json
import os
import random

import pytest
from hostile_notebooks import EXERCISE, FILES, RIGHT, SLUG, packed

from course_grader.safe_text import printable
from course_grader.submissions.intake import Submission, read_submission
from course_grader.verdicts import Verdict

ASKED = {SLUG: EXERCISE.target}


def taken_from(submission: Submission) -> str:
    """Say which answer was taken: the right one, another, or none."""
    if SLUG not in submission.answers:
        return "none"
    source = submission.answers[SLUG].replace("\r\n", "\n").strip()
    return "right" if source in (RIGHT.strip(), EXERCISE.solution.strip()) else "other"


@pytest.mark.parametrize("name", FILES)
def test_a_strange_file_gives_its_answer_or_says_why_not(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = FILES[name]
    submission = read_submission(file.build(), ASKED, ["why"])
    assert submission.verdict in file.verdicts.split("|"), submission.reason
    assert taken_from(submission) in file.taken.split("|")
    assert submission.reason or submission.verdict != Verdict.MALFORMED
    assert SLUG in submission.answers or submission.notes or submission.reason
    assert submission.answers.keys() <= {SLUG}
    for said in (*submission.notes, submission.reason):
        assert printable(said) == said
        assert len(said) < 1000
    assert os.listdir(tmp_path) == []


MUTATIONS = {
    "a byte is another": lambda rng, data: _at(rng, data, bytes([rng.randrange(256)]), 1),
    "bytes are missing": lambda rng, data: _at(rng, data, b"", rng.randrange(1, 40)),
    "bytes stand in between": lambda rng, data: _at(rng, data, rng.randbytes(9), 0),
    "a bracket or quotation mark": lambda rng, data: _at(
        rng,
        data,
        rng.choice([b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":"]),
        rng.randrange(2),
    ),
    "a piece is repeated": lambda rng, data: _at(rng, data, data[: rng.randrange(400)], 0),
    "the end is missing": lambda rng, data: data[: rng.randrange(len(data))],
    "a value is of another kind": lambda rng, data: packed(_other_value(rng, json.loads(data))),
}
STRANGE = (None, True, 7, -1.5, 10**30, "", "\ud800", "x" * 5000, [], {}, [[]], {"a": {}})


def _at(rng: random.Random, data: bytes, new: bytes, instead_of: int) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + new + data[place + instead_of :]


def _other_value(rng: random.Random, content):
    """Replace one value somewhere in the tree."""
    if rng.random() < 0.25 or not isinstance(content, dict | list) or not content:
        return rng.choice(STRANGE)
    key = rng.choice(list(content) if isinstance(content, dict) else range(len(content)))
    content[key] = _other_value(rng, content[key])
    return content


def test_a_thousand_mutated_notebooks_are_read_or_refused():
    rng, honest = random.Random(20), FILES["honest"].build()
    verdicts, mutations = set(), list(MUTATIONS.values())
    for turn in range(1000):
        data = honest
        for _ in range(1 + turn % 3):
            changed = mutations[turn % len(mutations)]
            try:
                data = changed(rng, data) or b"{"
            except ValueError:  # the mutation before it left no JSON
                break
        submission = read_submission(data, ASKED, ["why"])
        verdicts.add(submission.verdict)
        assert submission.answers.keys() <= {SLUG}
        assert all(isinstance(text, str) for text in submission.answers.values())
    assert verdicts == {Verdict.OK, Verdict.MALFORMED}


def test_the_files_are_many_and_different():
    built = {file.build() for file in FILES.values()}
    assert len(built) == len(FILES) >= 50
