"""What stands on the page for marking, and for whom."""

import re
from urllib.parse import unquote

import pytest
from saved_marks import merge

from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.reports.marking_page import groups, write_pages
from course_grader.tables import write

CRITERIA = [("clear", 2), ("right", 1.5)]


def hand_in(book, student, answer, unread=False, **fields):
    written = [WrittenAnswer("why", "Why?", CRITERIA, answer, unread=unread)]
    grade = StudentGrade(student, "a", "A", "k", "OK", written=written, **fields)
    write(book.grade_file(student), grade.to_json())


@pytest.fixture
def book(tmp_path):
    book = Book(tmp_path)
    for student, answer in {
        "ada": "Because of  the\nvariance.",
        "bo": "Because of the variance.\n",
        "cy": "because of the variance.",
        "dee": " \n",
    }.items():
        hand_in(book, student, answer)
    return book


def together(book):
    found = groups(book.grades(), book.marks())
    return [[one.student for one in group.members] for group in found]


def standing(book, student, criterion=0):
    found = groups(book.grades(), book.marks())
    [group] = [g for g in found if student in [one.student for one in g.members]]
    return group.standing("why", *CRITERIA[criterion], book.marks())[:3]


def test_answers_that_are_equal_but_for_white_space_are_one_group(book):
    assert together(book) == [["ada", "bo"], ["cy"]]


def test_a_file_that_cannot_be_read_is_one_entry_and_never_two_together(book, capsys):
    for student in ("eve", "flo"):
        hand_in(book, student, "", unread=True, submission="x.ipynb", reason="no notebook")
        grade = book.grade(student)
        grade.code.append(CodeGrade("steps", "Steps", "MALFORMED", 0, 4))
        write(book.grade_file(student), grade.to_json())
    assert sorted(together(book)) == [["ada", "bo"], ["cy"], ["eve"], ["flo"]]
    assert main(["rubric", str(book.folder)]) == 0
    page = (book.folder / "marking.html").read_text()
    assert re.findall(r"<h2.*?>(.*?)</h2>", page) == ["Why?", "Files that could not be read"]
    files = page.split("Files that could not be read")[-1]
    assert files.count("<code>x.ipynb</code>") == files.count("no notebook") == 2
    assert re.findall(r"<label.*?>(\S+) ", files) == ["Why?:", "Why?:", "Steps:"] * 2
    assert main(["rubric", str(book.folder), "--items", "steps"]) == 0
    page = (book.folder / "marking.html").read_text()
    assert re.findall(r"<label.*?>(\S+) ", page) == ["Steps:"] * 2


def test_a_question_with_other_criteria_is_marked_apart(book):
    grade = book.grade("bo")
    grade.written[0].criteria = [("clear", 3.5)]
    write(book.grade_file("bo"), grade.to_json())
    assert ["ada"] in together(book)


def test_an_empty_answer_that_has_a_mark_is_shown_and_says_so(book):
    table = "student,item,criterion,mark\ncy,why,clear,1\n"
    merge(book, table)
    hand_in(book, "cy", "")
    assert ["cy"] in together(book)
    assert standing(book, "cy") == ("", "", "1 of 2, for an earlier answer")


def test_a_mark_stands_where_all_of_a_group_have_it(book):
    head = "student,item,criterion,mark,comment\n"
    merge(book, head + "ada,why,clear,2,fine\n")
    assert standing(book, "ada") == ("", "", "2 of 2; not to all of them")
    merge(book, head + "bo,why,clear,2,fine\n")
    assert standing(book, "ada") == ("2", "fine", "")
    merge(book, head + "bo,why,clear,1,fine\n")
    assert standing(book, "ada") == ("", "", "1 of 2; 2 of 2")


def test_a_mark_out_of_other_points_is_given_anew(book):
    merge(book, "student,item,criterion,mark\ncy,why,clear,2\n")
    with book.store.changing("ada", "merge") as marks:
        marks["cy", "why", "clear"]["of"] = 2.5
    assert standing(book, "cy") == ("", "", "2 of 2.5")


def test_each_answer_is_in_one_part_and_stays_there(tmp_path):
    book = Book(tmp_path)
    for i in range(40):
        hand_in(book, f"s{i}", f"answer {i // 2}")

    def shares():
        pages = write_pages(book, book.grades(), 5)
        assert [p.name for p in pages] == [f"marking-{i}-of-5.html" for i in range(1, 6)]
        texts = [unquote(path.read_text()) for path in pages]
        return [set(re.findall(r'data-member="\["(\w+)"', text)) for text in texts]

    first = shares()
    assert sum(map(len, first)) == len(set.union(*first)) == 40
    assert all(
        f"s{i + 1}" in part for part in first for i in range(0, 40, 2) if f"s{i}" in part
    )
    assert all(first)
    hand_in(book, "new", "another answer")
    assert [part - {"new"} for part in shares()] == first


def test_the_pages_are_those_of_the_last_time(book):
    write(book.folder / "marking-notes.html", "a teacher's own")
    write_pages(book, book.grades(), 3)
    write_pages(book, book.grades())
    names = {path.name for path in book.folder.glob("*.html")}
    assert names == {"marking.html", "marking-notes.html"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--items", "why,how"], "items must be of why, got 'how'"),
        (["--parts", "0"], "--parts must be from 1 to 50, got 0"),
        (["--parts", "51"], "--parts must be from 1 to 50, got 51"),
    ],
)
def test_a_wrong_choice_is_named_and_nothing_is_written(book, capsys, options, said):
    assert main(["rubric", str(book.folder), *options]) == 2
    assert said in capsys.readouterr().err
    assert not list(book.folder.glob("*.*"))


def test_only_the_questions_that_were_asked_for_are_shown(book):
    grade = book.grade("ada")
    grade.written.append(WrittenAnswer("how", "How?", [("clear", 1)], "So."))
    write(book.grade_file("ada"), grade.to_json())
    assert main(["rubric", str(book.folder), "--items", " how,"]) == 0
    page = (book.folder / "marking.html").read_text()
    assert re.findall(r"<h2.*?>(.*?)</h2>", page) == ["How?"]


def test_what_was_asked_and_the_model_answer_stand_above_where_they_are_given(book, capsys):
    folder = book.folder / "a"
    write(folder / "secret", "0" * 64)
    write(
        folder / "assignment.toml",
        """title = "A"
[[items]]
written = "why"
title = "Why?"
prompt = "Say <why>."
points = 1
rubric = [["clear", 1]]
model_answer = "Because & so."
""",
    )
    assert main(["rubric", str(book.folder), "--assignment", str(folder)]) == 0
    page = (book.folder / "marking.html").read_text()
    assert "What was asked, and a model answer" in page
    assert "Say &lt;why&gt;.</pre>" in page
    assert "Because &amp; so.</pre>" in page
    folder.rename(book.folder / "b")
    capsys.readouterr()
    assert main(["rubric", str(book.folder), "--assignment", str(book.folder / "b")]) == 2
    assert "assignment must be a, got b" in capsys.readouterr().err


def test_a_class_without_written_answers_has_a_page_that_says_so(tmp_path):
    book = Book(tmp_path)
    write(book.grade_file("ada"), StudentGrade("ada", "a", "A", "k", "OK").to_json())
    assert main(["rubric", str(tmp_path)]) == 0
    assert "There is nothing to mark here." in (tmp_path / "marking.html").read_text()


def test_names_stand_nowhere_but_where_they_are_hidden(book):
    hand_in(book, "zoë q", "", unread=True, submission="zoë q/x.ipynb", reason="no notebook")
    [path] = write_pages(book, book.grades())
    page = re.sub(r'<ul class="who">.*?</ul>', "", path.read_text(), flags=re.S)
    assert "no notebook" in page
    assert not re.search(r"\b(ada|bo|cy|zoë)\b", page)
    assert "main:not(.named) .who, .criterion" in page
