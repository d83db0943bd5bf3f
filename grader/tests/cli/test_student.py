"""What stands about one student, and points that a person gives on the marking page."""

import csv
import io

import pytest
from saved_marks import merge

from course_grader.cli.command import main
from course_grader.marking.changes import changes
from course_grader.marking.graded import BY_HAND, Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.marking.totals import outdated, total, unfit
from course_grader.reports.feedback import page, write_feedback
from course_grader.reports.gradebook import write_gradebook
from course_grader.tables import write


def graded(name, answer="def f(): ...", **more):
    code = [
        CodeGrade(
            "four-steps",
            "Four steps",
            more.pop("verdict", "ERROR"),
            0,
            8,
            message="f: raised NameError: name 'softmax' is not defined\nmore",
            parts={"one": {"points": 0, "max": 8, "holds": False}},
            answer=answer,
        ),
        CodeGrade("luong-scores", "Scores", "OK", 6, 6, answer="x"),
    ]
    written = [WrittenAnswer("why", "Why?", [("clear", 2)], "because")]
    return StudentGrade(
        name,
        "a",
        "A",
        "k",
        "WRONG",
        submission=f"submissions/{name}/1.ipynb",
        code=code,
        written=written,
        notes=["a note"],
        **more,
    )


@pytest.fixture
def book(tmp_path):
    kept = Book(tmp_path / "out")
    for name in ("Ada Lovelace_17", "Adam Smith_18", "Bo_19"):
        write(kept.grade_file(name), graded(name).to_json())
    return kept


def run(book, *words):
    return main(["student", str(book.folder), *words])


def give(book, points, because=""):
    head = "student,item,criterion,mark,comment\n"
    merged = merge(book, f'{head}Bo_19,four-steps,"{BY_HAND}",{points},{because}\n')
    write_gradebook(book)
    return merged.problems


def row(book, name):
    text = (book.folder / "grades.csv").read_text(encoding="utf-8-sig")
    return next(row for row in csv.DictReader(io.StringIO(text)) if row["student"] == name)


def test_it_says_what_stands_and_where_the_files_are(book, capsys):
    write_feedback(book)
    assert run(book, "lovelace") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Ada Lovelace_17: 6 of 16, and 2 not marked yet"
    assert said[1] == f"  file: {book.folder / 'submissions/Ada Lovelace_17/1.ipynb'}"
    assert said[2].startswith(f"  page: {book.folder / 'feedback'}")
    assert said[3] == (
        "  four-steps: 0 of 8, ERROR (f: raised NameError: name 'softmax' is not defined)"
    )
    assert said[4:] == ["  luong-scores: 6 of 6, OK", "  why: not marked, of 2", "  a note"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ada"], "ada may be Ada Lovelace_17, Adam Smith_18"),
        (["eve"], "nobody who is graded is called eve"),
    ],
)
def test_a_name_that_is_not_one_students_is_refused_in_one_line(book, capsys, words, said):
    assert run(book, *words) == 2
    assert said in capsys.readouterr().err


def test_points_by_hand_count_everywhere_and_say_so(book, capsys):
    assert give(book, 6.5, "The helper <stood> elsewhere.") == []
    assert run(book, "bo") == 0
    said = capsys.readouterr().out
    assert "Bo_19: 12.5 of 16, and 2 not marked yet" in said
    assert "four-steps: 6.5 by hand in the place of 0 of 8, ERROR" in said
    cells = row(book, "Bo_19")
    assert (cells["four-steps"], cells["so_far"]) == ("6.5", "12.5")
    assert "four-steps: by hand, in the place of 0" in cells["notes"]
    assert row(book, "Ada Lovelace_17")["four-steps"] == "0"
    told = page(book.grade("Bo_19"), book.marks()["Bo_19"])
    assert "Marked by hand, in the place of 0." in told
    assert "The helper &lt;stood&gt; elsewhere." in told
    assert "6.5 of 8" in told
    assert "× lost" in told  # what the grader saw still stands


def test_points_by_hand_outlive_other_marks_and_can_be_taken_back(book):
    give(book, 6)
    table = "student,item,criterion,mark\nBo_19,why,clear,2\n"
    assert merge(book, table, "Ada").changed == 1
    assert total(book.grade("Bo_19"), book.marks()["Bo_19"]).points == 14
    book.store.undo("unknown")
    assert total(book.grade("Bo_19"), book.marks()["Bo_19"]).points == 8


def test_points_by_hand_are_for_one_answer_and_another_is_graded(book):
    give(book, 6)
    marks, before = book.marks()["Bo_19"], book.grade("Bo_19")
    assert unfit(before, marks) == []
    after = graded("Bo_19", "def f(): return 1")
    assert total(after, marks).points == 6
    assert unfit(after, marks) == [("four-steps", BY_HAND)]
    [change] = changes(before, after, marks)
    assert (change.before, change.after) == ("6 by hand of 8, ERROR", "0 of 8, ERROR")


def test_a_mark_for_what_could_not_be_read_is_none_for_what_is_graded_later(book, capsys):
    unread = graded("Bo_19", verdict="MALFORMED")
    write(book.grade_file("Bo_19"), unread.to_json())
    assert give(book, 2) == []
    assert run(book, "bo") == 0
    assert "  four-steps: 2 by hand of 8, MALFORMED\n" in capsys.readouterr().out
    marks = book.marks()["Bo_19"]
    assert outdated(unread, marks) == []
    assert total(unread, marks).points == 8
    assert total(graded("Bo_19"), marks).points == 6
    assert "2 of 8" in page(unread, marks)


def test_a_maximum_that_sank_below_the_points_by_hand_does_not_pay_them(book):
    give(book, 8)
    marks, lower = book.marks()["Bo_19"], graded("Bo_19")
    lower.code[0].max_points = 4
    assert total(lower, marks).points == 6
    assert unfit(lower, marks) == [("four-steps", BY_HAND)]
