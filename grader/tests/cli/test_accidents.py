"""What befalls a class while it is graded and marked: a kill, a full disk, clocks apart."""

import errno
import os
import signal
import time
from datetime import UTC, datetime, timedelta

import pytest
from class_of_thirty import assignment_in, hand_in

from course_grader.cli.command import main
from course_grader.marking import store
from course_grader.marking.graded import Book

STUDENTS = [f"honest-{number}" for number in range(3)]


@pytest.fixture
def home(tmp_path):
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", STUDENTS)
    (tmp_path / "secret").write_text("5" * 64)
    (tmp_path / "secret").chmod(0o600)
    return tmp_path


def grade(home, *more, out="out"):
    words = ["grade", home / "sub", "--assignment", home / "steps", "--out", home / out]
    return main([str(word) for word in [*words, "--secret", home / "secret", *more]])


def give(book, student, points, who):
    words = ["student", book.folder, student, "--item", "four-steps", "--give", points]
    return main([str(word) for word in [*words, "--by", who]])


def by_hand(book):
    marks = book.marks().items()
    return {name: items["four-steps"]["points, by hand"]["mark"] for name, items in marks}


def grades_in(folder):
    return {path.name: path.read_bytes() for path in (folder / "grades").glob("*.json")}


def test_a_kill_loses_no_grade_and_no_mark_that_was_given_meanwhile(home, capsys):
    book, (told, tell) = Book(home / "out"), os.pipe()
    child = os.fork()
    if not child:
        replace = os.replace

        def slow(name, path):  # one grade stands, and another is written and has no name yet
            if str(path).endswith("honest-1.json"):
                os.write(tell, b".")
                time.sleep(600)
            replace(name, path)

        os.replace = slow
        grade(home)
        os._exit(1)
    os.close(tell)
    try:
        assert os.read(told, 1) == b"."
        assert give(book, "honest-0", 3, "Ada") == 0
        capsys.readouterr()
        assert grade(home) == 2
        assert "is being graded into since " in capsys.readouterr().err
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(told)
    assert list(grades_in(home / "out")) == ["honest-0.json"]
    assert grade(home) == 0
    assert "2 graded, 1 unchanged" in capsys.readouterr().out
    assert by_hand(book) == {"honest-0": 3}
    assert grade(home, out="whole") == 0
    assert grades_in(home / "out") == grades_in(home / "whole")


def test_a_full_disk_is_said_and_the_class_goes_on_where_it_was(home, capsys, monkeypatch):
    save = os.fsync

    def full(number):
        if "grades" in os.readlink(f"/proc/self/fd/{number}") and grades_in(home / "out"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        save(number)

    monkeypatch.setattr(os, "fsync", full)
    assert grade(home) == 2
    assert "No space left on device: what stands is whole; make" in capsys.readouterr().err
    assert len(grades_in(home / "out")) == 1
    assert not list((home / "out").rglob(".writing-*"))
    monkeypatch.undo()
    assert grade(home) == 0
    assert "2 graded, 1 unchanged" in capsys.readouterr().out


def test_of_clocks_that_are_apart_one_is_named_and_the_last_mark_stands(
    home, capsys, monkeypatch
):
    book, later = Book(home / "out"), datetime.now(UTC) + timedelta(days=400)
    os.utime(home / "sub" / "honest-1" / "steps.ipynb", (later.timestamp(),) * 2)
    assert grade(home, "--times", "files") == 0
    assert (
        "later than now, by the clock here: honest-1: one is wrong" in capsys.readouterr().out
    )
    assert give(book, "honest-0", 3, "Ada") == 0

    class Behind(datetime):
        @classmethod
        def now(cls, zone=None):
            return datetime.now(zone) - timedelta(days=1)

    monkeypatch.setattr(store, "datetime", Behind)
    assert give(book, "honest-0", 5, "Bo") == 0
    assert by_hand(book) == {"honest-0": 5}
    first, second = (one["time"] for one in book.store.record())
    assert second < first
    assert main(["rubric", str(book.folder), "--undo", "--by", "Bo"]) == 0
    assert by_hand(book) == {"honest-0": 3}
