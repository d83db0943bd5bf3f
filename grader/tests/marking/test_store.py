"""The marks of a class: many who mark at once, old stores and broken ones, undo and export."""

import csv
import fcntl
import io
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import time

import pytest
from saved_marks import saved

from course_grader.cli.command import main, parser
from course_grader.marking import store
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer, safe_name
from course_grader.marking.store import ITEM, OBJECTION, Store
from course_grader.reports import gradebook
from course_grader.tables import alone, write, write_table

HEAD = "student,item,criterion,mark\n"
STUDENTS = [f"s{number}" for number in range(10)]
MARKS = {"clear": {"mark": 1.5, "comment": "=né"}, "short": {"mark": 0}}
COPY = [[["s1", "why", criterion], mark] for criterion, mark in MARKS.items()]


def graded(student, answer="because"):
    code = [CodeGrade("f", "F", "WRONG", 1, 5, answer="def f(): ...")]
    written = [WrittenAnswer("why", "Why?", [("clear", 2), ("short", 1)], answer)]
    return StudentGrade(student, "a", "A", "k", "WRONG", code=code, written=written)


@pytest.fixture
def book(tmp_path):
    made = Book(tmp_path / "out")
    for student in STUDENTS:
        write(made.grade_file(student), graded(student).to_json())
    return made


def give(book, student, points, *more):
    return merge(book, f'{student},f,"points, by hand",{points}\n', *more)


def merge(book, rows, *more):
    table = book.folder / f"saved-{os.getpid()}.json"
    table.write_text(saved(HEAD + rows))
    return main(["rubric", str(book.folder), "--merge", str(table), *more])


def points_of(book):
    """Return all marks that stand, by student and criterion."""
    return {
        (student, criterion): mark["mark"]
        for student, items in book.marks().items()
        for given in items.values()
        for criterion, mark in given.items()
    }


def at_once(*commands, killed=0):
    """Run commands in processes of their own, kill some; say which came to a good end."""
    parser()  # imports what each of them needs
    children = []
    for command in commands:
        if not (child := os.fork()):
            try:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
                os._exit(command())
            finally:
                os._exit(9)
        children.append(child)
    for child in random.sample(children, killed):
        time.sleep(random.uniform(0, 0.02))
        os.kill(child, signal.SIGKILL)
    return [not os.waitpid(child, 0)[1] for child in children]


@pytest.mark.parametrize("rounds", [4, pytest.param(200, marks=pytest.mark.thorough)])
def test_ten_who_mark_at_once_lose_nothing_though_some_are_killed(book, rounds):
    random.seed(1)
    give(book, "s0", 1)  # compiles the pages for all processes
    for number in range(rounds):
        shutil.rmtree(book.folder / "history", ignore_errors=True)
        for path in book.folder.glob("marks.sqlite*"):
            path.unlink()
        pairs = [(f"s{one}", f"s{one + 1}") for one in (0, 2, 4)]
        commands = [lambda s=s: give(book, s, 3, "--by", s) for s in STUDENTS[3:]]
        rows = [f"{a},why,clear,2\n{b},why,clear,1\n" for a, b in pairs]
        commands += [lambda text=text: merge(book, text) for text in rows]
        done = at_once(*commands, killed=number % 4)
        marks = points_of(book)
        for student, well in zip(STUDENTS[3:], done, strict=False):
            assert marks.get((student, "points, by hand"), 3) == 3
            assert not well or (student, "points, by hand") in marks
        for (a, b), well in zip(pairs, done[7:], strict=True):
            found = marks.get((a, "clear")), marks.get((b, "clear"))
            assert found == (2, 1) or (not well and found == (None, None))
        if not number % 4:
            assert all(done)
            with (book.folder / "grades.csv").open(encoding="utf-8-sig") as table:
                came = {row["student"]: row["f"] for row in csv.DictReader(table)}
            assert came == {s: "3" if s in STUDENTS[3:] else "1" for s in STUDENTS}


def test_a_table_that_is_written_last_has_every_mark(book):
    (ready, now_ready), (seen, now_seen) = os.pipe(), os.pipe()

    def first():
        def late(*words):
            gradebook.write_table = write_table
            os.write(now_ready, b".")  # it has read the marks, and writes them
            os.read(seen, 1)  # when another one has ended or waits
            write_table(*words)

        gradebook.write_table = late
        return give(book, "s1", 2)

    def second():
        lock = fcntl.flock

        def waiting(file, how):
            try:
                lock(file, how | fcntl.LOCK_NB)
            except BlockingIOError:
                os.write(now_seen, b".")
                lock(file, how)

        fcntl.flock = waiting
        os.read(ready, 1)
        status = give(book, "s2", 2)
        os.write(now_seen, b".")
        return status

    assert at_once(first, second) == [True, True]
    with (book.folder / "grades.csv").open(encoding="utf-8-sig") as file:
        rows = [row for row in csv.DictReader(file) if row["f"] == "2"]
    assert {row["student"] for row in rows} == {"s1", "s2"}


def test_while_marks_are_changed_nobody_else_can(book, capsys, monkeypatch):
    give(book, "s0", 1, "--by", "Bo")
    monkeypatch.setattr(store, "PATIENCE", 0)
    with book.store.changing("Ada", "by hand"):
        assert give(book, "s1", 2) == 2
        assert main(["rubric", str(book.folder), "--undo", "--by", "Bo"]) == 2
    assert capsys.readouterr().err.count("(database is locked)") == 2
    assert points_of(book) == {("s0", "points, by hand"): 1}


def test_marks_that_stand_in_json_are_taken_over_once_and_kept(book, capsys):
    text = json.dumps(COPY)
    (book.folder / "marks.json").write_text(text)
    assert all(at_once(*[lambda s=s: give(book, s, 2) for s in STUDENTS]))
    marks = book.marks()
    assert marks["s1"].pop("why") == MARKS
    assert all(marks[s]["f"]["points, by hand"]["mark"] == 2 for s in STUDENTS)
    assert not (book.folder / "marks.json").exists()
    [kept] = (book.folder / "history").glob("marks.*.json")
    assert kept.read_text() == text
    # A process that died before it had moved the file has not brought old marks back.
    assert merge(book, "s1,why,clear,1\n") == 0
    (book.folder / "marks.json").write_text(text)
    assert points_of(book)["s1", "clear"] == 1
    assert not (book.folder / "marks.json").exists()


def test_an_export_says_who_marked_what_and_when_and_who_took_it_back(book, capsys):
    (book.folder / "marks.json").write_text(json.dumps(COPY))
    assert merge(book, 's0,f,"points, by hand",4\n', "--by", "Ada") == 0
    assert merge(book, "s1,why,clear,2\ns2,why,clear,1\n", "--by", "Bo") == 0
    assert main(["rubric", str(book.folder), "--undo", "--by", "Bo"]) == 0
    path = book.folder / "all.csv"
    assert main(["rubric", str(book.folder), "--export", str(path)]) == 0
    assert "5 marks: " in capsys.readouterr().out
    found = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    assert [(one["who"], one["student"], one["mark"], one["undone_by"]) for one in found] == [
        ("marks.json", "s1", "1.5", ""),
        ("marks.json", "s1", "0", ""),
        ("Ada", "s0", "4", ""),
        ("Bo", "s1", "2", "Bo"),
        ("Bo", "s2", "1", "Bo"),
    ]
    assert all(one["time"].endswith("+00:00") for one in found)
    assert found[0]["comment"] == "'=né"


def test_undo_takes_back_ones_own_last_change_and_no_mark_that_came_since(book, capsys):
    def undo(who):
        return main(["rubric", str(book.folder), "--undo", "--by", who])

    merge(book, "s1,why,clear,1\ns1,why,short,1\n", "--by", "Ada")
    merge(book, "s1,why,clear,2\ns2,why,clear,2\n", "--by", "Ada")
    merge(book, "s2,why,clear,0\n", "--by", "Bo")
    capsys.readouterr()
    assert undo("Ada") == 0
    assert "1 mark is as before\nleft, because it was marked again since: s2 (why)\n" in (
        capsys.readouterr().out
    )
    assert points_of(book) == {("s1", "clear"): 1, ("s1", "short"): 1, ("s2", "clear"): 0}
    assert undo("Bo") == 0
    assert ("s2", "clear") not in points_of(book)
    assert undo("Ada") == 0
    assert points_of(book) == {}
    assert undo("Ada") == 2
    assert "no change of Ada is left to undo" in capsys.readouterr().err


def changed(words):
    def change(path):
        with sqlite3.connect(path) as base:
            base.execute(words)
        base.close()

    return change


SPOILT = [
    (changed("PRAGMA user_version=7"), "a store of another version (7, not 2)"),
    (changed("UPDATE marks SET mark = '7'"), "is broken (it holds something else)"),
    (changed("DROP TABLE changes"), "is broken (its tables are gone)"),
    (lambda path: path.write_bytes(b"marks\n" * 200), "is broken (file is not a database)"),
    (lambda path: os.truncate(path, 6000), "is broken (database disk image is malformed)"),
    (lambda path: os.truncate(path, 0), "is broken (it is empty or gone)"),
    (os.unlink, "is broken (it is empty or gone)"),
]


@pytest.mark.parametrize(("spoil", "said"), SPOILT)
def test_a_store_that_cannot_be_read_is_named_and_comes_back_from_its_copy(
    book, capsys, spoil, said
):
    give(book, "s0", 4)
    merge(book, "s1,why,clear,1\n")
    marks, path = book.marks(), book.folder / "marks.sqlite"
    spoil(path)
    spoilt = path.read_bytes() if path.exists() else b""
    capsys.readouterr()
    for command in (
        lambda: main(["feedback", str(book.folder)]),
        lambda: give(book, "s2", 1),
    ):
        assert command() == 2
        told = capsys.readouterr().err
        assert said in told
        assert told.count("\n") == 1
    assert "another version" in said or "move it away" in told
    assert not spoilt or path.read_bytes() == spoilt
    for one in book.folder.glob("marks.sqlite*"):
        one.unlink()
    shutil.copy(book.folder / "history" / "marks.json", book.folder / "marks.json")
    assert book.marks() == marks


def test_a_full_disk_loses_nothing(book):
    assert give(book, "s0", 4) == 0
    before = book.marks()

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        return give(book, "s1", 3) == 0

    assert at_once(full) == [True]
    assert book.marks() == before
    assert give(book, "s1", 3) == 0


@pytest.mark.parametrize("said", ["locking protocol", "database is locked", "disk I/O error"])
def test_a_disk_that_cannot_lock_is_said(book, capsys, monkeypatch, said):
    assert give(book, "s0", 4) == 0

    class Base(sqlite3.Connection):
        def execute(self, words, *values):
            if words == "BEGIN IMMEDIATE":
                raise sqlite3.OperationalError(said)
            return super().execute(words, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Base, **k))
    capsys.readouterr()
    assert give(book, "s0", 1) == 2
    monkeypatch.undo()
    told = capsys.readouterr().err
    assert f"marks.sqlite cannot be used now ({said}): no mark was changed" in told
    assert points_of(book) == {("s0", "points, by hand"): 4}


def test_a_mark_of_an_unreadable_file_is_none_of_a_later_empty_answer(book, capsys):
    grade = graded("s0", "")
    grade.written[0].unread = True
    write(book.grade_file("s0"), grade.to_json())
    assert merge(book, "s0,why,clear,2\ns0,why,short,1\n") == 0
    row = '"s0","1","3","4",'
    assert row in (book.folder / "grades.csv").read_text("utf-8-sig")
    write(book.grade_file("s0"), graded("s0", "").to_json())
    assert main(["student", str(book.folder), "s0"]) == 0
    assert "why: 0 of 3, no answer" in capsys.readouterr().out
    assert main(["rubric", str(book.folder)]) == 0
    assert main(["feedback", str(book.folder)]) == 0
    page = (book.folder / "feedback" / f"{safe_name('s0')}.html").read_text()
    assert "2 of 2" not in page


def test_a_lock_is_given_back_by_whoever_dies(tmp_path):
    path = tmp_path / "lock"

    def hold():
        with alone(path, "it is held"):
            time.sleep(60)

    child = os.fork()
    if not child:
        hold()
    while not (path.exists() and path.read_text()):
        time.sleep(0.01)
    said = pytest.raises(ValueError, match=rf"it is held since .*: process {child} on ")
    with said, alone(path, "again", wait=False):
        pass
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with alone(path, "again", wait=False):
        pass


KEPT = {
    ("ada", "why", "clear"): {"mark": 1.5, "items": {"a": 1.5}},
    (ITEM, "a", "why", "clear"): {"mark": 1.5, "comment": "says why", "by": "Bo"},
    (OBJECTION, "ada", "why", ""): {"mark": 0, "comment": "Why?", "answer": "x"},
}


def filled(folder):
    store = Store(folder)
    with store.changing("Bo", "merge") as kept:
        kept |= KEPT
    return store


def test_a_store_that_is_half_written_stays_beside_and_all_comes_back(tmp_path):
    store = filled(tmp_path)
    os.truncate(store.path, 5000)
    half = tmp_path / "half"
    half.mkdir()
    for path in tmp_path.glob("marks.sqlite*"):
        path.rename(half / path.name)
    (tmp_path / "history" / "marks.json").rename(tmp_path / "marks.json")
    assert store.kept() == KEPT
    assert store.marks().keys() == {"ada"}
    assert (half / "marks.sqlite").stat().st_size == 5000
    assert [one["kind"] for one in store.record()] == ["mark", OBJECTION, ITEM]
