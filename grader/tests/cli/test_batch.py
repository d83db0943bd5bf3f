import csv
import errno
import io
import json
import os
import re
import signal
import time
import zipfile
from datetime import datetime
from types import SimpleNamespace

import pytest
import tqdm
from class_of_thirty import MANIFEST, assignment_in, cases, hand_in, notebook_of, times_in
from saved_marks import merge

from course_grader.cli import grade_class
from course_grader.cli.command import main
from course_grader.marking import one_student, store
from course_grader.marking.graded import Book
from course_grader.reports.gradebook import write_gradebook

SECRET = "5" * 64


def grade(folder, *more, out="out"):
    secret = folder / "steps" / "secret"
    secret.write_text(SECRET)
    secret.chmod(0o600)
    words = ["grade", folder / "sub", "--assignment", folder / "steps", "--out", folder / out]
    return main([str(word) for word in [*words, *more]])


def files_of(folder):
    return {path.name: path.read_bytes() for path in (folder / "grades").iterdir()}


def give(book, points, who):
    head = "student,item,criterion,mark\n"
    merged = merge(book, f'{head}honest-0,four-steps,"points, by hand",{points}\n', who)
    write_gradebook(book)
    return len(merged.problems)


def by_hand(book):
    return book.marks()["honest-0"]["four-steps"]["points, by hand"]["mark"]


def rows_of(path):
    return {
        row["student"]: row for row in csv.DictReader(io.StringIO(path.read_text("utf-8-sig")))
    }


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The class, graded once through the command line."""
    folder = tmp_path_factory.mktemp("class")
    hand_in(assignment_in(folder / "steps"), folder / "sub")
    (folder / "sub" / "notes.txt").write_text("not a submission")
    times = times_in(folder / "times.csv")
    assert grade(folder, "--times", times) == 0
    return folder


@pytest.fixture
def small(tmp_path):
    """Three students, not graded yet."""
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", ["honest-0", "wrong-order"])
    return tmp_path


@pytest.mark.slow
def test_every_student_of_thirty_gets_the_points_and_the_verdict_due(graded):
    grades = {grade.student: grade for grade in Book(graded / "out").grades()}
    assert len(grades) == len(cases()) == 30
    for student, case in cases().items():
        came = grades[student]
        assert (came.verdict, tuple(item.points for item in came.code)) == (
            case.verdict,
            case.points,
        ), student
        assert came.written[0].answer == case.written
    assert grades["hostile-exit"].code[0].verdict == "DIED"
    assert grades["hostile-flood"].code[0].verdict == "OUTPUT"
    assert grades["wrong-order"].code[0].misconception.startswith("the context comes first")


@pytest.mark.slow
def test_lateness_is_taken_from_the_table_and_only_from_it(graded):
    rows = rows_of(graded / "out" / "grades.csv")
    assert [rows["honest-8"][name] for name in ("late_days", "late_deduction", "so_far")] == [
        "2",
        "3.4",
        "13.6",
    ]
    assert [rows["odd-0"][name] for name in ("late_days", "late_deduction")] == ["", "0"]
    assert rows["honest-0"]["late_days"] == "0"


@pytest.mark.slow
def test_every_submission_is_kept_as_it_was_handed_in(graded):
    for came in Book(graded / "out").grades():
        data = (graded / "sub" / came.student / "steps.ipynb").read_bytes()
        assert (graded / "out" / came.submission).read_bytes() == data


@pytest.mark.slow
def test_grade_files_hold_no_time_and_no_machine_and_the_log_holds_both(graded):
    import socket

    for data in files_of(graded / "out").values():
        assert socket.gethostname().encode() not in data
        assert str(graded).encode() not in data
        assert b"2026-1" not in data
    entries = [json.loads(x) for x in (graded / "out" / "log.jsonl").read_text().splitlines()]
    assert {entry["student"] for entry in entries} == set(cases())
    assert all(entry["time"] and entry["where"] for entry in entries)


@pytest.mark.slow
def test_the_class_report_names_mistakes_and_those_who_need_a_look(graded):
    text = (graded / "out" / "class.txt").read_text()
    line = "four-steps  the largest score is not subtracted"
    assert f"{line}  " in text
    [found] = [x for x in text.splitlines() if x.startswith(line)]
    assert found.split()[-2] == "2"
    assert re.search(r"^broken-json +MALFORMED", text, re.MULTILINE)
    assert re.search(r"^hostile-flood +OUTPUT", text, re.MULTILINE)
    assert "hostile-patch" not in text


@pytest.mark.slow
def test_feedback_is_written_for_all_and_their_script_is_dead(graded):
    assert main(["feedback", str(graded / "out")]) == 0
    pages = {path.stem: path.read_text() for path in (graded / "out" / "feedback").iterdir()}
    assert set(pages) == set(cases())
    ours = {page.partition("<script>")[2].partition("</script>")[0] for page in pages.values()}
    assert len(ours) == 1  # the pages' own, the same in all, which the policy names
    assert all(page.count("<script") == 1 for page in pages.values())
    assert all("script-src 'sha256-" in page for page in pages.values())
    assert "&lt;script&gt;alert(1)" in pages["hostile-flood"]
    assert (
        "This is what comes if the largest score is not subtracted"
        in (pages["wrong-unstable-1"])
    )


@pytest.mark.slow
def test_a_second_run_grades_only_what_is_new_or_changed(small, capsys):
    assert grade(small) == 0
    before = files_of(small / "out")
    assert grade(small) == 0
    assert "0 graded, 2 unchanged" in capsys.readouterr().out
    assert files_of(small / "out") == before
    assignment = grade_class.load_assignment(small / "steps")
    hand_in(assignment, small / "sub", ["honest-1"])
    path = small / "sub" / "wrong-order" / "steps.ipynb"
    path.write_text(notebook_of(assignment, "wrong-order", cases()["honest-0"]))
    assert grade(small) == 0
    said = capsys.readouterr().out
    assert "2 graded, 1 unchanged" in said
    points = cases()["wrong-order"].points[0]
    assert f"wrong-order, four-steps: {points} of 10, WRONG -> 10 of 10, OK" in said
    kept = json.loads((small / "out" / "history" / "wrong-order.1.json").read_text())
    assert kept["code"][0]["points"] == points < 10
    assert len(list((small / "out" / "submissions" / "wrong-order").iterdir())) == 2
    assert '"wrong-order","four-steps"' in (small / "out" / "changes.csv").read_text()


def test_one_student_can_be_graded_once_more(small, capsys):
    grade(small)
    assert grade(small, "--again", "honest-0") == 0
    assert "1 graded, 1 unchanged" in capsys.readouterr().out
    assert not (small / "out" / "history").exists()
    assert grade(small, "--again", "nobody") == 2
    assert "--again must name students who handed in" in capsys.readouterr().err


def test_a_kill_loses_no_grade_and_no_mark_that_was_given_meanwhile(small, capsys):
    book, (told, tell) = Book(small / "out"), os.pipe()
    if not (child := os.fork()):
        replace = os.replace

        def slow(name, path):  # one grade stands, and another is written and has no name yet
            if str(path).endswith("wrong-order.json"):
                os.write(tell, b".")
                time.sleep(600)
            replace(name, path)

        os.replace = slow
        grade(small)
        os._exit(1)
    os.close(tell)
    try:
        assert os.read(told, 1) == b"."
        assert give(book, 3, "Ada") == 0
        [begun] = book.folder.rglob(".writing-*")
        words = ["--assignment", str(small / "steps"), "--out", str(book.folder)]
        assert grade(small) == main(["regrade", *words]) == 2
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(told)
    said = rf"out is being graded into since .*: process {child} on .*: wait until"
    assert len(re.findall(said, capsys.readouterr().err)) == 2
    assert [one.student for one in book.grades()] == ["honest-0"]
    assert begun.is_file()
    assert grade(small) == grade(small, out="whole") == 0
    assert "1 graded, 1 unchanged" in capsys.readouterr().out
    assert list(book.folder.rglob(".writing-*")) == []
    assert by_hand(book) == 3
    assert book.grades() == Book(small / "whole").grades()


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (FULL, 2, "on device: what stands is whole; make room"),
        (KeyboardInterrupt, 130, "inter"),
    ],
)
def test_a_run_that_is_stopped_goes_on_where_it_was(
    small, monkeypatch, capsys, error, status, said
):
    save = os.fsync

    def stops(number):
        if (small / "out" / "grades" / "honest-0.json").exists():
            raise error
        save(number)

    monkeypatch.setattr(os, "fsync", stops)
    assert grade(small) == status
    assert said in capsys.readouterr().err
    assert list(files_of(small / "out")) == ["honest-0.json"]
    monkeypatch.undo()
    bars = []

    class Bar(tqdm.tqdm):
        def close(self):
            bars.append((self.initial, self.n, self.total))
            super().close()

    monkeypatch.setattr(tqdm, "tqdm", lambda *a, **k: Bar(*a, **k | {"disable": False}))
    assert grade(small) == 0
    assert "1 graded, 1 unchanged" in capsys.readouterr().out
    assert bars[0] == (1, 2, 2)


def test_of_clocks_that_are_apart_one_is_named_and_the_last_mark_stands(
    small, capsys, monkeypatch
):
    book, times = Book(small / "out"), small / "times.csv"
    times.write_text("student,time\nwrong-order,2999-10-05T20:00\n")
    assert grade(small, "--times", times) == 0
    assert "now, by the clock here: wrong-order: one is wrong" in capsys.readouterr().out
    assert give(book, 3, "Ada") == 0

    behind = SimpleNamespace(now=lambda zone: datetime(2001, 1, 1, tzinfo=zone))
    monkeypatch.setattr(store, "datetime", behind)
    assert give(book, 5, "Bo") == 0
    assert by_hand(book) == 5
    assert book.store.record()[1]["time"] == "2001-01-01T00:00:00+00:00"
    assert main(["rubric", str(book.folder), "--undo", "--by", "Bo"]) == 0
    assert by_hand(book) == 3


def test_broken_marks_are_named_before_anybody_is_graded(small, capsys):
    (small / "out").mkdir()
    (small / "out" / "marks.json").write_text("{")
    assert grade(small) == 2
    assert f"{small}/out/marks.json is broken" in capsys.readouterr().err
    assert not (small / "out" / "grades").exists()


def test_an_error_of_the_grader_costs_nobody_points_and_is_tried_again(
    small, monkeypatch, capsys
):
    def fails(*args):
        raise OSError("the disk is full")

    monkeypatch.setattr(one_student, "grade_answer", fails)
    assert grade(small) == 1
    assert "not graded: honest-0: OSError: the disk is full" in capsys.readouterr().err
    row = rows_of(small / "out" / "grades.csv")["honest-0"]
    assert (row["four-steps"], row["total"], row["verdict"]) == ("", "", "GRADER_ERROR")
    monkeypatch.undo()
    assert grade(small) == 0
    assert rows_of(small / "out" / "grades.csv")["honest-0"]["four-steps"] == "10"


def test_without_a_sandbox_nothing_is_graded(small, monkeypatch, capsys):
    from course_grader.sandbox import sandbox

    def missing(uses, shared):
        raise sandbox.SandboxMissingError("no bubblewrap here\nsudo apt-get install it")

    monkeypatch.setattr(sandbox.walls, "command", missing)
    assert grade(small) == 2
    assert "no bubblewrap here sudo apt-get install it" in capsys.readouterr().err
    assert not (small / "out" / "grades").exists()


def test_a_secret_is_made_once_and_kept(small, capsys):
    words = ["grade", small / "sub", "--assignment", small / "steps", "--out", small / "out"]
    assert main(list(map(str, words))) == 0
    secret = small / "out" / "secret"
    assert "a new secret is in" in capsys.readouterr().out
    assert len(bytes.fromhex(secret.read_text().strip())) == 32
    assert secret.stat().st_mode & 0o777 == 0o600
    assert main(list(map(str, words))) == 0
    assert "a new secret" not in capsys.readouterr().out


def test_a_damaged_secret_or_grade_file_is_not_passed_over(small, capsys):
    (small / "steps" / "secret").write_text("not hexadecimal")
    words = ["grade", small / "sub", "--assignment", small / "steps", "--out", small / "out"]
    assert main(list(map(str, words))) == 2
    assert "32 bytes in hexadecimal" in capsys.readouterr().err
    grade(small)
    (small / "out" / "grades" / "honest-0.json").write_text("{")
    assert grade(small) == 0
    assert "1 graded, 1 unchanged" in capsys.readouterr().out
    assert (small / "out" / "history" / "honest-0.1.json").read_text() == "{"


def test_grades_of_another_assignment_are_not_mixed_in(small, capsys):
    grade(small)
    assignment_in(small / "other")
    words = ["grade", small / "sub", "--assignment", small / "other", "--out", small / "out"]
    assert main(list(map(str, words))) == 2
    assert "holds grades of steps" in capsys.readouterr().err


def test_the_grades_do_not_go_among_the_submissions_or_into_what_is_published(small, capsys):
    assert grade(small, out="sub") == 2
    assert grade(small, out="sub/honest-0/out") == 2
    assert "must lie apart" in capsys.readouterr().err
    (small / ".git").mkdir()
    assert grade(small) == 2
    assert "could publish it" in capsys.readouterr().err


def test_names_of_the_lms_can_be_turned_into_the_course_s(small, capsys):
    table = small / "students.csv"
    table.write_text("handed_in_as,student\nhonest-0,ada\n")
    assert grade(small, "--students", table) == 0
    assert set(rows_of(small / "out" / "grades.csv")) == {"ada", "wrong-order"}
    table.write_text("name,student\nhonest-0,ada\n")
    assert grade(small, "--students", table) == 2
    assert "students.csv, line 1: missing columns: handed_in_as" in capsys.readouterr().err
    table.write_text("handed_in_as,student\nhonest-0\n")
    assert grade(small, "--students", table) == 2
    assert "students.csv, line 2: both columns must be filled" in capsys.readouterr().err


def test_a_table_of_students_that_names_nobody_is_reported(small, capsys):
    table = small / "students.csv"
    table.write_text("handed_in_as;student\nhonest-0;ada\nwrong order;bob\n")
    assert grade(small, "--students", table) == 0
    assert "students.csv names unknown students: wrong order\n" in capsys.readouterr().out
    (small / "sub" / "honest-0").rename(small / "gone")
    table.write_text("handed_in_as;student\nhonest-0;ada\nwrong-order;bob\n")
    assert grade(small, "--students", table) == 0
    assert "names nobody" not in capsys.readouterr().out  # ada's grade is there already


def test_no_submissions_are_an_error_and_write_nothing(small, capsys):
    (small / "sub").rename(small / "gone")
    (small / "sub").mkdir()
    (small / "sub" / "notes.txt").write_text("not a submission")
    words = ["grade", small / "sub", "--assignment", small / "steps", "--out", small / "out"]
    assert main(list(map(str, words))) == 2
    captured = capsys.readouterr()
    assert f"no submissions found in {small / 'sub'}\n" in captured.err
    assert "not taken: notes.txt" in captured.out
    assert not (small / "out").exists()


def test_a_student_whose_name_is_a_path_gets_a_file_in_the_folder(small):
    table = small / "students.csv"
    table.write_text("handed_in_as,student\nhonest-0,../../../evil\n")
    assert grade(small, "--students", table) == 0
    assert rows_of(small / "out" / "grades.csv")["../../../evil"]["verdict"] == "OK"
    assert {path.parent for path in small.rglob("evil*.json")} == {small / "out" / "grades"}


def test_a_second_hand_in_does_not_take_the_time_of_the_first(small, capsys):
    assignment = grade_class.load_assignment(small / "steps")
    times = small / "times.csv"
    times.write_text("student,time\nhonest-0,2026-10-06T20:00\nwrong-order,2026-10-05T20:00\n")
    assert grade(small, "--times", times) == 0
    assert Book(small / "out").grade("honest-0").late_days == 1
    path = small / "sub" / "honest-0" / "steps.ipynb"
    path.write_text(notebook_of(assignment, "honest-0", cases()["wrong-order"]))
    capsys.readouterr()
    assert grade(small) == 0
    said = "handed in again, time not known: honest-0: not counted late"
    assert said in capsys.readouterr().out
    assert Book(small / "out").grade("honest-0").late_days is None
    assert Book(small / "out").grade("wrong-order").late_days == 0
    assert grade(small) == 0
    assert "no time is known of honest-0" in capsys.readouterr().out
    assert (small / "out" / "history" / "times.1.json").is_file()
    assert grade(small, "--times", times) == 0
    assert Book(small / "out").grade("honest-0").late_days == 1
    path.write_text(notebook_of(assignment, "honest-0", cases()["honest-1"]))
    capsys.readouterr()
    assert grade(small, "--times", times) == 0
    said = "handed in again, with the time of the earlier file: honest-0\n"
    assert said in capsys.readouterr().out


def test_grades_for_an_assignment_that_changed_are_not_mixed_in_silence(small, capsys):
    said = "the assignment or a time changed since 2 students were graded: "
    assert grade(small) == 0
    (small / "sub").rename(small / "gone")
    hand_in(grade_class.load_assignment(small / "steps"), small / "sub", ["broken-json"])
    assert grade(small) == 0
    assert "changed since" not in capsys.readouterr().err
    changed = MANIFEST.replace("points = 10", "points = 20")
    (small / "steps" / "assignment.toml").write_text(changed)
    assert grade(small) == 0
    assert said in capsys.readouterr().err


def test_a_due_time_that_changed_is_not_mixed_in_silence(small, capsys):
    times = small / "times.csv"
    times.write_text("student,time\nhonest-0,2026-10-05T20:00\n")
    assert grade(small, "--times", times) == 0
    (small / "sub" / "honest-0" / "steps.ipynb").unlink()
    assert grade(small) == 0
    assert "changed since" not in capsys.readouterr().err
    for old, new in [("10-05T23:59", "10-04T23:59"), ("+02:00", "+09:00"), ("due =", "# due")]:
        changed = MANIFEST.replace(old, new)
        (small / "steps" / "assignment.toml").write_text(changed)
        assert grade(small) == 0
        said = "a time changed since 1 student was graded: run attention-course regrade"
        assert said in capsys.readouterr().err, new


def test_a_file_that_kept_the_assignment_s_name_is_no_student_s(small, capsys):
    (small / "sub" / "honest-0" / "steps.ipynb").rename(small / "sub" / "steps (1).ipynb")
    assert grade(small) == 0
    said = "\nsteps (1): the name of the file is the assignment's, not a student's\n"
    assert said in capsys.readouterr().out


HOSTILE = {
    "who'\"><script>alert(1)</script>.PDF": (b"%PDF-1.7", ".pdf"),
    "=cmd|' '!A1\u202efdp.html": (b"<script>steal()</script>", ".txt"),
    "run me.ipynb.exe": (b"MZ", ".txt"),
    "photo.JPG": (b"\xff\xd8", ".jpg"),
}


def test_what_is_no_notebook_is_kept_under_a_harmless_name_and_linked(tmp_path, monkeypatch):
    monkeypatch.setattr(grade_class, "MOST_COPIED", 100)
    handed = tmp_path / "handed.zip"
    with zipfile.ZipFile(handed, "w") as packed:
        packed.writestr("Ada_3_assignsubmission_file/onlinetext.html", "beside the photo")
        for number, (name, (data, _)) in enumerate(HOSTILE.items()):
            packed.writestr(f"Ada_{number}_assignsubmission_file/README.txt", "ours")
            packed.writestr(f"Ada_{number}_assignsubmission_file/{name}", data)
        packed.writestr("Ada_9_assignsubmission_file/large.pdf", b"0" * 101)
    where = [
        "--assignment",
        assignment_in(tmp_path / "steps").folder,
        "--out",
        tmp_path / "out",
    ]
    assert main(["grade", str(handed), *map(str, where)]) == 0
    book, kept = Book(tmp_path / "out"), {}
    page = (book.folder / "class.html").read_text()
    for grade, (data, ending) in zip(book.grades()[:-1], HOSTILE.values(), strict=True):
        assert grade.verdict == "MALFORMED"
        assert re.fullmatch(rf"submissions/Ada_\d/\w{{16}}\{ending}", grade.submission)
        assert (book.folder / grade.submission).read_bytes() == data
        assert f'<a href="{grade.submission}" download>{grade.student}</a>' in page
        kept[grade.student] = grade.submission
    assert book.grades()[-1].submission == ""
    assert "no notebook can be read: Ada_9_assignsubmission_file/large.pdf" in page
    assert "<script>alert" not in page
    before = files_of(book.folder)
    assert main(["regrade", *map(str, where)]) == 0
    assert files_of(book.folder) == before
    with zipfile.ZipFile(handed, "w") as packed:  # another file of the same name
        packed.writestr("Ada_3_assignsubmission_file/photo.JPG", b"other")
    assert main(["grade", str(handed), *map(str, where)]) == 0
    assert book.grade("Ada_3").submission not in ("", kept["Ada_3"])
