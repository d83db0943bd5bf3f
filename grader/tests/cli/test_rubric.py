import csv
import io
import math
import re

import pytest

from course_grader.cli.command import main
from course_grader.cli.rubric import merge, write_rubric
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


def rows(book):
    return list(
        csv.DictReader(io.StringIO((book.folder / "rubric.csv").read_text("utf-8-sig")))
    )


def filled(book, **marks):
    """Return the table with marks and comments typed in, as student_criterion."""
    found = rows(book)
    for row in found:
        value = marks.get(f"{row['student'].strip(chr(39) + '=')}_{row['criterion'][-5:]}")
        if value:
            row["mark"], row["comment"] = value
    file = io.StringIO()
    writer = csv.DictWriter(file, found[0].keys())
    writer.writeheader()
    writer.writerows(found)
    return file.getvalue()


def mark_of(book, student, criterion="clear"):
    return book.marks()[student]["why"][criterion]["mark"]


def test_the_table_has_a_row_for_each_student_and_criterion_and_no_formula(book):
    write_rubric(book)
    assert [(r["student"], r["criterion"], r["max"], r["mark"]) for r in rows(book)] == [
        ("'=bob", "clear", "2", ""),
        ("'=bob", "'- right", "1.5", ""),
        ("a b", "clear", "2", ""),
        ("a b", "'- right", "1.5", ""),
        ("ada", "clear", "2", ""),
        ("ada", "'- right", "1.5", ""),
    ]


def test_marks_and_comments_come_back(book):
    write_rubric(book)
    text = filled(book, ada_clear=("1.5", "Good."), ada_right=("0", ""), bob_right=("1", "=x"))
    assert merge(book, text).changed == 3
    assert (mark_of(book, "ada"), mark_of(book, "ada", "- right")) == (1.5, 0)
    assert book.marks()["=bob"]["why"]["- right"]["comment"] == "=x"
    assert merge(book, text).changed == 0
    write_rubric(book)
    assert rows(book)[1]["comment"] == "'=x"
    assert merge(book, (book.folder / "rubric.csv").read_text()).changed == 0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("eve,why,clear,2,1,", "line 3: student must be one who is graded, got 'eve'"),
        ("ada,why,neat,2,1,", "line 3: ada is not asked for 'why', 'neat'"),
        ("ada,how,clear,2,1,", "line 3: ada is not asked for 'how', 'clear'"),
        ("ada,why,clear,9,2.5,", "line 3: mark must be a number from 0 to 2, got '2.5'"),
        ("ada,why,clear,2,-1,", "line 3: mark must be a number from 0 to 2, got '-1'"),
        ("ada,why,clear,2,good,", "line 3: mark must be a number from 0 to 2, got 'good'"),
        ("ada,why,clear,2,nan,", "line 3: mark must be a number from 0 to 2, got 'nan'"),
        ("ada,why,clear,2,inf,", "line 3: mark must be a number from 0 to 2, got 'inf'"),
        ("a b,why,clear,2,1,", "line 3: this student and criterion stand twice"),
        ("ada,why,clear,2,,why?", "line 3: a comment needs a mark beside it"),
    ],
)
def test_a_wrong_line_is_named_and_then_nothing_is_merged(book, row, said):
    merged = merge(book, HEAD + "a b,why,clear,2,1,fine\n" + row + "\n")
    assert merged.problems == [said]
    assert book.marks() == {}


def test_every_wrong_line_is_named_at_once(book):
    merged = merge(book, HEAD + "eve,why,clear,2,1,\nada,why,clear,2,3,\n")
    assert [problem.split(":")[0] for problem in merged.problems] == ["line 2", "line 3"]


def test_a_table_without_its_columns_is_refused(book):
    assert merge(book, "student,mark\nada,1\n").problems == [
        "line 1: missing columns: item, criterion"
    ]
    assert merge(book, "").problems
    assert merge(book, HEAD + '"never closed\n').problems


def test_a_table_from_a_program_of_another_country_is_read(book):
    text = HEAD.replace(",", ";") + "ada;why;clear;2;1,5;gut, klar\r\n"
    assert merge(book, text).changed == 1
    assert mark_of(book, "ada") == 1.5
    assert book.marks()["ada"]["why"]["clear"]["comment"] == "gut, klar"


def test_a_mark_that_is_typed_and_not_merged_yet_survives_a_new_table(book):
    write_rubric(book)
    (book.folder / "rubric.csv").write_text(filled(book, ada_clear=("1", "=half")))
    typed = (book.folder / "rubric.csv").read_text()
    write_rubric(book)
    assert [(r["mark"], r["comment"]) for r in rows(book) if r["mark"]] == [("1", "'=half")]
    assert (book.folder / "history" / "rubric.1.csv").read_text() == typed


def test_a_mark_merged_from_another_table_replaces_what_the_old_one_says(book, capsys):
    write_rubric(book)
    (book.folder / "rubric.csv").write_text(filled(book, ada_clear=("1", "")))
    other = book.folder / "marks.csv"
    other.write_text(HEAD + "ada,why,clear,2,2,\n")
    assert main(["rubric", str(book.folder), "--merge", str(other)]) == 0
    assert "1 mark is new or changed" in capsys.readouterr().out
    assert [r["mark"] for r in rows(book) if r["student"] == "ada"] == ["2", ""]
    assert "ada" in (book.folder / "grades.csv").read_text()


def test_a_wrong_table_is_refused_on_the_command_line(book, capsys):
    (book.folder / "m.csv").write_text(HEAD + "eve,why,clear,2,1,\n")
    assert main(["rubric", str(book.folder), "--merge", str(book.folder / "m.csv")]) == 2
    assert "nothing was taken over" in capsys.readouterr().err


def test_grading_again_leaves_the_marks_as_they_are(book):
    merge(book, HEAD + "ada,why,clear,2,1,\n")
    before = book.store.record()
    grade = book.grade("ada")
    grade.written[0].answer = "something else"
    write(book.grade_file("ada"), grade.to_json())
    write_rubric(book)
    assert book.store.record() == before


def hand_in(book, student, answer):
    grade = book.grade(student)
    grade.written[0].answer = answer
    write(book.grade_file(student), grade.to_json())
    return grade.written[0].digest


def old(book, student="ada"):
    return outdated(book.grade(student), book.marks().get(student, {}))


def test_a_mark_for_an_earlier_answer_is_named_and_not_taken_for_the_new_one(book, capsys):
    write_rubric(book)
    table = book.folder / "marks.csv"
    table.write_text(filled(book, ada_clear=("1", "")))
    hand_in(book, "ada", "something else")
    assert main(["rubric", str(book.folder), "--merge", str(table)]) == 0
    said = "for an earlier answer, and need a look: ada (why)"
    assert said in capsys.readouterr().out
    assert (mark_of(book, "ada"), old(book)) == (1, ["why"])
    assert "why changed since it was marked" in (book.folder / "class.txt").read_text()
    # The table that is written now, filled on and merged, leaves it so.
    table.write_text(filled(book, ada_right=("1.5", "")))
    assert main(["rubric", str(book.folder), "--merge", str(table)]) == 0
    assert old(book) == ["why"]
    # Where the mark holds for the new answer too, the cell is emptied.
    digest = rows(book)[4]["answer"]
    assert rows(book)[4]["mark"] == "1"
    table.write_text((book.folder / "rubric.csv").read_text("utf-8-sig").replace(digest, ""))
    assert main(["rubric", str(book.folder), "--merge", str(table)]) == 0
    assert old(book) == []


def test_a_mark_for_an_earlier_answer_does_not_replace_that_of_the_new_one(book, capsys):
    write_rubric(book)
    late = book.folder / "late.csv"
    late.write_text(filled(book, ada_clear=("2", "of the first")))
    hand_in(book, "ada", "something else")
    merge(book, HEAD + "ada,why,clear,2,1,of the second\n")
    assert main(["rubric", str(book.folder), "--merge", str(late)]) == 0
    assert "left out: the newer one is marked: ada (why)" in capsys.readouterr().out
    assert mark_of(book, "ada") == 1
    assert [r["comment"] for r in rows(book) if r["mark"]] == ["of the second"]


def test_what_was_typed_before_a_new_answer_came_keeps_its_fingerprint(book):
    write_rubric(book)
    path = book.folder / "rubric.csv"
    first = rows(book)[4]["answer"]
    path.write_text(filled(book, ada_clear=("1", "")))
    second = hand_in(book, "ada", "something else")
    write_rubric(book)
    assert [r["answer"] for r in rows(book)[4:]] == [first, second]
    assert merge(book, path.read_text("utf-8-sig")).earlier == [("ada", "why", "clear")]


def test_a_table_of_before_there_were_fingerprints_does_not_make_old_marks_new(book):
    merge(book, HEAD + "ada,why,clear,2,1,\n")
    hand_in(book, "ada", "something else")
    path = book.folder / "rubric.csv"
    path.write_text(HEAD + "ada,why,clear,2,1,\n")
    write_rubric(book)
    merge(book, path.read_text("utf-8-sig"))
    assert old(book) == ["why"]


def test_a_fingerprint_that_a_program_spoilt_is_named(book):
    text = HEAD[:-1] + ",answer\nada,why,clear,2,1,,1.5E+10\n"
    assert merge(book, text).problems == [
        "line 2: answer must be empty or as it was written, got '1.5E+10'"
    ]
    assert book.marks() == {}


def test_an_ungraded_folder_has_no_rubric(tmp_path, capsys):
    assert main(["rubric", str(tmp_path)]) == 2
    assert "must hold grades" in capsys.readouterr().err


def test_spreadsheets_see_accents_and_another_encoding_is_named(book, capsys):
    write_rubric(book)
    path = book.folder / "rubric.csv"
    assert path.read_bytes().startswith('\ufeff"student"'.encode())
    saved = f"{HEAD}ada,why,clear,2,1,très bien\n".encode("latin-1")
    path.write_bytes(saved)
    assert main(["rubric", str(book.folder), "--merge", str(path)]) == 2
    assert "rubric.csv, line 2: it is not in UTF-8" in capsys.readouterr().err
    assert main(["rubric", str(book.folder)]) == 2
    assert path.read_bytes() == saved


@pytest.mark.parametrize("text", ["", "student,mark\nada,1\n", HEAD + 'ada,why,"clear,2,1,\n'])
def test_a_table_that_is_broken_is_named_before_it_is_replaced(book, capsys, text):
    path = book.folder / "rubric.csv"
    path.write_text(text)
    for options in ([], ["--merge", str(path)]):
        assert main(["rubric", str(book.folder), *options]) == 2
        assert f"{path}, line " in capsys.readouterr().err
        assert path.read_text() == text


def test_a_comment_with_a_semicolon_comes_back_as_it_was_typed(book):
    comment = "good; -1 for style; =fine"
    write_rubric(book)
    for _ in range(2):
        assert merge(book, filled(book, ada_clear=("1", comment))).problems == []
        write_rubric(book, {("ada", "why", "clear")})
        [row] = [r for r in rows(book) if (r["student"], r["criterion"]) == ("ada", "clear")]
        assert row["comment"] == "good; '-1 for style; '=fine"
        text = (book.folder / "rubric.csv").read_text("utf-8-sig")
        assert merge(book, text).problems == []
        assert book.marks()["ada"]["why"]["clear"]["comment"] == comment


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
        ("ada,why,clear,2,1,", "[]", "more must be empty or as it was written"),
        ("ada,why,clear,2,1,", '{"lines": {"x": "y"}}', "more must be empty"),
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
