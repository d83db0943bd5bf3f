import csv
import io

import pytest

from course_grader.cli.command import main
from course_grader.marking.graded import Book, StudentGrade, WrittenAnswer, write
from course_grader.marking.rubric import merge, write_rubric

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


def test_the_written_answers_lie_beside_it_as_plain_text(book):
    write_rubric(book)
    texts = {p.name.split("~")[0]: p.read_text() for p in (book.folder / "written").iterdir()}
    assert texts == {"ada.why.txt": "because\n", "bob": "=1\n", "a-b": "\n"}


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
        "line 1: the columns criterion, item are missing"
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
    before = (book.folder / "marks.json").read_bytes()
    grade = book.grade("ada")
    grade.written[0].answer = "something else"
    write(book.grade_file("ada"), grade.to_json())
    write_rubric(book)
    assert (book.folder / "marks.json").read_bytes() == before


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
    assert "rubric.csv is not in UTF-8: save the table as CSV UTF-8" in capsys.readouterr().err
    assert main(["rubric", str(book.folder)]) == 2
    assert path.read_bytes() == saved


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
