import json
import math
import re

import pytest
from saved_marks import merge, saved

from course_grader.cli import rubric
from course_grader.cli.command import main
from course_grader.marking.agreement import kappa
from course_grader.marking.graded import Book, StudentGrade, WrittenAnswer
from course_grader.marking.objections import asking
from course_grader.marking.totals import outdated
from course_grader.tables import write

HEAD = "student,item,criterion,max,mark,comment\n"


@pytest.fixture
def book(tmp_path):
    book = Book(tmp_path)
    for student, answer in [("ada", "because"), ("=bob", "\x1b[31m=1"), ("a b", "")]:
        written = [WrittenAnswer("why", "Why?", [("clear", 2), ("- right", 1.5)], answer)]
        grade = StudentGrade(student, "a", "A", "k", "OK", written=written)
        write(book.grade_file(student), grade.to_json())
    return book


def mark_of(book, student, criterion="clear"):
    return book.marks()[student]["why"][criterion]["mark"]


def test_marks_and_comments_come_back(book):
    table = HEAD + "ada,why,clear,2,1.5,good; -1 for style\nada,why,- right,1.5,0,\n"
    table += "=bob,why,- right,1.5,1,=x\n"
    assert merge(book, table).changed == 3
    assert (mark_of(book, "ada"), mark_of(book, "ada", "- right")) == (1.5, 0)
    assert book.marks()["=bob"]["why"]["- right"]["comment"] == "=x"
    assert book.marks()["ada"]["why"]["clear"]["comment"] == "good; -1 for style"
    assert merge(book, table).changed == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("eve,why,clear,2,1,", "entry 2: student must be one who is graded, got 'eve'"),
        ("ada,why,neat,2,1,", "entry 2: ada is not asked for 'why', 'neat'"),
        ("ada,how,clear,2,1,", "entry 2: ada is not asked for 'how', 'clear'"),
        ("ada,why,clear,9,2.5,", "entry 2: mark must be a number from 0 to 2, got 2.5"),
        ("ada,why,clear,2,-1,", "entry 2: mark must be a number from 0 to 2, got -1"),
        ("ada,why,clear,2,nan,", "entry 2: mark must be a number from 0 to 2, got nan"),
        ("ada,why,clear,2,inf,", "entry 2: mark must be a number from 0 to 2, got inf"),
        ("a b,why,clear,2,1,", "entry 2: this student and criterion stand twice"),
    ],
)
def test_a_wrong_line_is_named_and_then_nothing_is_merged(book, row, said):
    merged = merge(book, HEAD + "a b,why,clear,2,1,fine\n" + row + "\n" + "eve,,,,1,\n")
    assert merged.problems == [said, "entry 3: student must be one who is graded, got 'eve'"]
    assert book.marks() == {}


@pytest.mark.parametrize("text", ["", "{}", "7", "[" * 99_999, "student,item\nada,why\n"])
def test_what_the_page_has_not_saved_is_refused(book, text):
    problems = rubric.merge(book, text).problems
    assert problems == ["which must be a file that the page has saved"]


ENTRY = {"student": "ada", "item": "why", "criterion": "clear", "mark": 1}


@pytest.mark.parametrize(
    "more",
    [
        *({"mark": "good"}, {"mark": None}, {"as": "other"}, {"as": ["item"]}, {"comment": 1}),
        *({"student": ["ada"]}, {"answer": "1.5E+10"}, {"lines": {"x": "y"}}, {"items": [1]}),
        *({"lines": {str(n): "" for n in range(101)}}, {"items": {"a": "b"}}),
    ],
)
def test_an_entry_that_was_changed_is_named(book, more):
    [said] = rubric.merge(book, json.dumps([ENTRY | more])).problems
    assert said.startswith("entry 1: it must be as the page saves it, got {")
    assert rubric.merge(book, "[7]").problems == [
        "entry 1: it must be as the page saves it, got 7"
    ]
    assert book.marks() == {}


def test_a_wrong_file_is_refused_on_the_command_line(book, capsys):
    path = book.folder / "m.json"
    path.write_text(saved(HEAD + "eve,why,clear,2,1,\n"))
    assert main(["rubric", str(book.folder), "--merge", str(path)]) == 2
    assert "nothing was taken over" in capsys.readouterr().err
    path.write_bytes(b'[{"student": "\xe8"}]')
    assert main(["rubric", str(book.folder), "--merge", str(path)]) == 2
    assert "m.json, line 1: it is not in UTF-8" in capsys.readouterr().err


def test_grading_again_leaves_the_marks_as_they_are(book):
    merge(book, HEAD + "ada,why,clear,2,1,\n")
    before = book.store.record()
    grade = book.grade("ada")
    grade.written[0].answer = "something else"
    write(book.grade_file("ada"), grade.to_json())
    assert book.store.record() == before


def hand_in(book, student, answer):
    grade = book.grade(student)
    grade.written[0].answer = answer
    write(book.grade_file(student), grade.to_json())
    return grade.written[0].digest


def old(book, student="ada"):
    return outdated(book.grade(student), book.marks().get(student, {}))


ANSWER = HEAD[:-1] + ",answer\n"


def test_a_mark_for_an_earlier_answer_is_named_and_not_taken_for_the_new_one(book, capsys):
    path, first = book.folder / "m.json", book.grade("ada").written[0].digest
    path.write_text(saved(f"{ANSWER}ada,why,clear,2,1,,{first}\n"))
    second = hand_in(book, "ada", "something else")
    assert main(["rubric", str(book.folder), "--merge", str(path)]) == 0
    said = "for an earlier answer, and need a look: ada (why)"
    assert said in capsys.readouterr().out
    assert (mark_of(book, "ada"), old(book)) == (1, ["why"])
    assert "why changed since it was marked" in (book.folder / "class.txt").read_text()
    merge(book, f"{ANSWER}ada,why,- right,1.5,1,,{second}\n")
    assert old(book) == ["why"]
    merge(book, f"{ANSWER}ada,why,clear,2,1,,{second}\n")
    assert old(book) == []


def test_a_mark_for_an_earlier_answer_does_not_replace_that_of_the_new_one(book, capsys):
    late, first = book.folder / "late.json", book.grade("ada").written[0].digest
    late.write_text(saved(f"{ANSWER}ada,why,clear,2,2,of the first,{first}\n"))
    hand_in(book, "ada", "something else")
    merge(book, HEAD + "ada,why,clear,2,1,of the second\n")
    assert main(["rubric", str(book.folder), "--merge", str(late)]) == 0
    assert "left out: the newer one is marked: ada (why)" in capsys.readouterr().out
    assert mark_of(book, "ada") == 1


def test_an_ungraded_folder_has_no_rubric(tmp_path, capsys):
    assert main(["rubric", str(tmp_path)]) == 2
    assert "must hold grades" in capsys.readouterr().err


def asked(book, words="Why not 2?"):
    return f"{asking(book.grade('ada'), 'why')}\n\n{words}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lambda t: t.replace("student: ada", "student: =bob"), "its code is of another page"),
        (lambda t: t.replace("assignment: a", "assignment: b"), "its code is of another page"),
        (
            lambda t: re.sub("code: .*", "code: " + "0" * 32, t),
            "another class or an earlier gr",
        ),
        (lambda t: t.replace("Why not 2?", " "), "1 to 2000 characters of words, got 0"),
        (lambda t: t + "x" * 2000, "1 to 2000 characters of words, got 2011"),
        (lambda t: t + "x" * 20_000, "at most 20000 bytes"),
        (lambda t: t + "\udcff", "text in UTF-8"),
        (lambda t: "I want more!", "the lines assignment, student, item, code"),
        (None, "an objection must be a file"),
    ],
)
def test_an_objection_that_is_not_from_the_page_is_refused(book, capsys, text, said):
    path = book.folder / "objections" / "=\x1b[31mx.txt"
    path.parent.mkdir()
    if text:
        path.write_bytes(text(asked(book)).encode(errors="surrogateescape"))
    else:
        path.symlink_to("/dev/zero")
    assert main(["rubric", str(book.folder)]) == 0
    told = capsys.readouterr().err
    assert told.startswith("=x.txt: ")
    assert said in told
    assert book.store.kept() == {}


def test_an_objection_in_a_mail_is_read_and_one_to_an_earlier_grading_is_not(book, capsys):
    folder = book.folder / "objections"
    write(
        folder / "mail.txt", "Dear all,\r\n> " + asked(book, "<b>2</b>").replace("\n", "\r\n> ")
    )
    assert main(["rubric", str(book.folder)]) == 0
    assert not capsys.readouterr().err
    [kept] = book.store.kept().values()
    assert kept["comment"] == "<b>2</b>"
    page = (book.folder / "marking.html").read_text()
    assert "&lt;b&gt;2&lt;/b&gt;" in page
    write(folder / "new.txt", asked(book))
    grade = book.grade("ada")
    grade.key = "graded again"
    write(book.grade_file("ada"), grade.to_json())
    assert main(["rubric", str(book.folder)]) == 0
    assert capsys.readouterr().err.count("an earlier grading") == 2
    assert (folder / "new.txt").exists()


@pytest.mark.parametrize(
    ("row", "more", "said"),
    [
        ("ada,why,clear,2,1,", '{"items": {"none": 1}}', "no rubric item none is there"),
        ("ada,why,clear,2,1,", '{"as": "second"}', "a second mark needs a first one"),
        ("ada,why,clear,2,1,", '{"as": "decided"}', "no second mark is there"),
        (
            ",why,clear,,1,",
            '{"as": "item", "id": "a"}',
            "must have a question, points and words",
        ),
        (",how,clear,,1,so", '{"as": "item", "id": "a"}', "must have a question, points"),
        (",why,clear,,nan,so", '{"as": "item", "id": "a"}', "must have a question, points"),
        ("ada,why,,0,0,No.", '{"as": "reply"}', "ada has no objection to 'why' as it stands"),
    ],
)
def test_what_a_row_says_beside_a_mark_is_looked_at(book, row, more, said):
    quoted = more.replace('"', '""')
    merged = merge(book, f'{HEAD[:-1]},answer,more\n{row},{"0" * 64},"{quoted}"\n')
    assert [said in problem for problem in merged.problems] == [True]
    assert book.store.kept() == {}


def test_agreement_beyond_chance():
    assert kappa([(0, 0), (2, 2)]) == 1
    assert kappa([(0, 2), (2, 0)]) == -1
    assert math.isnan(kappa([(1, 1), (1, 1)]))
    pairs = [(0, 1), (1, 1), (2, 1), (2, 0)]
    chance = sum((a - b) ** 2 for a, _ in pairs for _, b in pairs) / 16
    assert kappa(pairs) == pytest.approx(1 - 6 / 4 / chance)
