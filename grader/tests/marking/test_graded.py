import json
import sys

import pytest

from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer, safe_name
from course_grader.tables import write

PART = {"points": 5, "max": 5, "holds": True}


def a_grade(student="ada"):
    code = [CodeGrade("s", "S", "OK", 5, 5, parts={"all": PART}, answer="\ud800")]
    written = [WrittenAnswer("why", "Why", [("clear", 1.5)], "because")]
    told = {"code": code, "written": written, "notes": ["a note"]}
    return StudentGrade(student, "sample", "Sample", "k", "OK", **told)


def test_a_grade_survives_a_round_through_its_file(tmp_path):
    book = Book(tmp_path)
    write(book.grade_file("ada"), a_grade().to_json())
    assert book.grade("ada") == a_grade()
    assert book.grades() == [a_grade()]
    assert book.grade("bob") is None


def test_a_file_that_is_no_grade_is_named(tmp_path):
    for text in ["", "[]", "{}", '{"schema": 1}', '{"schema": 2}', '{"schema": 1, "x": 1}']:
        write(tmp_path / "grades" / "ada.json", text)
        with pytest.raises(ValueError, match=r"ada\.json is no grade file"):
            Book(tmp_path).grades()


DEEP = "[" * sys.getrecursionlimit() + "]" * sys.getrecursionlimit()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("code", [{"slug": "s"}]),
        ("code", {"a": 1}),
        ("late_days", "two"),
        ("late_percent_per_day", None),
        ("notes", [1]),
        ("written", [None]),
        ("student", 7),
    ],
)
def test_a_grade_file_with_a_field_of_another_kind_is_named(tmp_path, field, value):
    content = json.loads(a_grade().to_json()) | {field: value}
    write(tmp_path / "grades" / "ada.json", json.dumps(content))
    with pytest.raises(ValueError, match=r"grades/ada\.json is no grade file"):
        Book(tmp_path).grades()


@pytest.mark.parametrize("part", [{}, {"points": "5", "max": 5, "holds": True}])
def test_a_grade_file_with_a_broken_part_is_named(tmp_path, part):
    content = json.loads(a_grade().to_json())
    content["code"][0]["parts"]["all"] = part
    write(tmp_path / "grades" / "ada.json", json.dumps(content))
    with pytest.raises(ValueError, match=r"grades/ada\.json is no grade file"):
        Book(tmp_path).grades()


@pytest.mark.parametrize("command", ["feedback", "rubric"])
@pytest.mark.parametrize("file", ["marks.json", "grades/ada.json"])
@pytest.mark.parametrize(
    "text", ["", "{", "[7]", "7", '{"ada": 3}', '{"ada": {"why": {"clear": 1}}}', DEEP, "\xff"]
)
def test_a_broken_file_ends_a_command_in_a_line_that_names_it(
    tmp_path, capsys, command, file, text
):
    book = Book(tmp_path / "graded")
    write(book.grade_file("ada"), a_grade().to_json())
    write(book.folder / file, text.encode("latin-1"))
    assert main([command, str(book.folder)]) == 2
    said = capsys.readouterr().err
    assert f"{book.folder / file} is" in said
    assert "move it away" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"ada": 3}', '{"ada": "soon"}', '{"ada": "2026-10-05T20:00"}', DEEP]
)
def test_broken_times_are_named_with_the_way_out(tmp_path, text):
    write(tmp_path / "times.json", text)
    with pytest.raises(ValueError, match=r"times\.json is broken .*give --times again"):
        Book(tmp_path).times()


@pytest.mark.parametrize(
    "student",
    [
        "../x", "/x", "a/b", "a\\b", "..", ".", "", ".x", "a\0b", "a\nb", "x" * 300, "con",
        "NUL.x", "a.", "Ada Löve", "a b", "~x", "-x", "a:b", "аda", "\ud800",
    ],
)  # fmt: skip
def test_an_unusual_name_becomes_a_plain_file_name(student):
    name = safe_name(student)
    assert name != student
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-@~")
    assert len(name) <= 70


def test_no_usual_name_can_pass_for_an_unusual_one():
    assert safe_name(safe_name("a/b")) != safe_name("a/b")


def test_names_that_look_alike_get_files_of_their_own():
    names = ["a b", "a-b", "a/b", "á b", "a  b", "A b", "аb"]
    assert len({safe_name(name) for name in names}) == len(names)


def test_a_write_that_fails_leaves_what_stood_there(tmp_path):
    path = tmp_path / "x.json"
    write(path, "before")
    with pytest.raises(UnicodeEncodeError):
        write(path, "\ud800")
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["x.json"]
