"""The protocol is what the grader knows, and says so when that is no longer so."""

import re
from dataclasses import field, make_dataclass

import pytest
from rules.source import GRADER

from attention_course.exercises import protocol

GATE = pytest.mark.gate


def test_the_grader_speaks_it():
    """Red: run ``make grader-test``, mend what it shows, then write the version there."""
    if not (GRADER / "course.py").is_file():
        pytest.skip("this clone has no grader")
    speaks = re.search(r'SPEAKS = "(\w+)"', (GRADER / "course.py").read_text("utf-8"))[1]
    assert speaks == protocol.version()


def other(call, probe):
    """Stand for a function of the protocol with other parameters."""


@GATE("the grader's protocol", "a parameter, a field and a name that changed")
@pytest.mark.parametrize(
    ("place", "value"),
    [
        ((protocol, "judge"), other),
        ((protocol, "Outcome"), make_dataclass("Outcome", [("values", list, field())])),
        ((protocol.runner, "unpack_calls"), None),
        ((protocol, "__all__"), protocol.__all__[1:]),
    ],
)
def test_a_change_changes_its_version(monkeypatch, place, value):
    before = protocol.version()
    monkeypatch.setattr(*place, value)
    assert protocol.version() != before


@GATE("the fingerprint of what decides about points", "one more mistake in the bank")
def test_whatever_decides_about_points_is_in_the_fingerprint(monkeypatch, tmp_path):
    path = tmp_path / "exercises/bank/one/mistakes.toml"
    path.parent.mkdir(parents=True)
    path.write_text("before")
    monkeypatch.setattr(protocol, "PACKAGE", tmp_path)
    before = protocol.digest()
    assert before == protocol.digest()
    path.write_text("after")
    assert protocol.digest() != before
