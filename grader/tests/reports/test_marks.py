"""Tables of Moodle, Canvas and Gradescope come back filled, and nothing else in them moves."""

import csv
import io
import re
import tomllib
import zipfile
from pathlib import Path

import pytest
from assignment_files import TABLES

from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.reports.lms import SYSTEMS, Final, fill
from course_grader.tables import write

MOODLE, CANVAS, GRADESCOPE, COURSE, GERMAN = (
    TABLES[name] for name in ("moodle", "canvas", "gradescope", "course", "german")
)
HEADS = {
    "German": GERMAN.splitlines()[0],
    "French": TABLES["french-head"],
    "Spanish": TABLES["spanish-head"],
}


def finals(*students):
    return [Final(student, mark, waits) for student, mark, waits in students]


def test_moodles_worksheet_is_filled_and_nothing_else_moves():
    ours = finals(("Ada Countess Lovelace_17", "6.5", ""), ("Bo Li_18", "3", ""))
    filled = fill(MOODLE, SYSTEMS["moodle"], ours, "8")
    assert filled.text == MOODLE.replace('grading",,8.00', 'grading",6.5,8.00')
    assert filled.written == ["Ada Countess Lovelace_17"]
    assert (filled.replaced, filled.left) == ([], [])  # 3 and 3.00 are one grade


def test_gradescopes_export_of_a_course_is_filled_in_the_assignments_own_column():
    filled = fill(COURSE, SYSTEMS["gradescope"], finals(("s-17", "6.5", "")), "8", "Hw1")
    assert filled.text == COURSE.replace(",A,,8.0", ",A,6.5,8.0")


@pytest.mark.parametrize("column", ["", "Bewertung", "bewertung "])
def test_moodles_worksheet_is_filled_in_another_language(column):
    ours = finals(("Ada Groß_17", "6.5", ""), ("Bo OBrien_18", "3", ""), ("Cy Li_19", "2", ""))
    filled = fill(GERMAN, SYSTEMS["moodle"], ours, "8", column)
    assert filled.text == GERMAN.replace('abgegeben",,"8', 'abgegeben",6.5,"8')
    assert filled.left == [("Cy Li_19", "Moodle says that their grade cannot be changed")]


@pytest.mark.parametrize("language", HEADS)
def test_a_number_as_everybodys_comment_draws_no_mark_into_another_column(language):
    """The same number for all stands behind *last modified (grade)* too, which is empty."""
    plain = GERMAN.replace(HEADS["German"], HEADS[language])
    table = plain.replace(",-,\n", ",-,8\n")
    assert table.count("8\n") == 3
    title = next(csv.reader(io.StringIO(HEADS[language])))[5]
    ours = finals(("Ada Groß_17", "6.5", ""))
    for text, column in ((plain, ""), (plain, title), (table, title)):
        filled = fill(text, SYSTEMS["moodle"], ours, "8", column)
        assert filled.text == text.replace('abgegeben",,"8', 'abgegeben",6.5,"8')
    with pytest.raises(ValueError, match=f"found 2; name it with --column, one of: {title}; "):
        fill(table, SYSTEMS["moodle"], ours, "8")


def test_a_column_of_moodles_that_holds_no_grades_is_refused():
    commented = GERMAN.replace(",-,\n", ",Gut!,8\n")
    ours = finals(("Ada Groß_17", "6.5", ""))
    with pytest.raises(ValueError, match=r"\(Bewertung\) must hold grades, got 'Gut!'"):
        fill(commented, SYSTEMS["moodle"], ours, "8", "Zuletzt geändert (Bewertung)")


def test_moodles_worksheet_in_another_language_has_its_highest_grade_checked():
    ours = finals(("Ada Groß_17", "2", ""))
    for column in ("", "Bewertung"):
        with pytest.raises(ValueError, match="is 8,00, the assignment's 10"):
            fill(GERMAN, SYSTEMS["moodle"], ours, "10", column)
    scale = GERMAN.replace('"8,00"', "gut")
    with pytest.raises(ValueError, match="found none; name it with --column, one of: ID;"):
        fill(scale, SYSTEMS["moodle"], ours, "10")


@pytest.mark.parametrize(
    ("student", "left"),
    [
        ("Group A_17", "the row of that number is Ada Groß's"),
        ("Ada Lovelace_17", "the row of that number is Ada Groß's"),
        ("Teilnehmerin_17", ""),  # names are hidden
        ("ADA GROSS_17", ""),
    ],
)
def test_a_number_that_is_anothers_too_gives_nobody_a_mark(student, left):
    filled = fill(GERMAN, SYSTEMS["moodle"], finals((student, "2", "")), "8")
    assert filled.left == ([(student, left)] if left else [])
    assert (filled.text == GERMAN) == bool(left)


def test_canvass_gradebook_is_filled_in_the_column_that_is_named():
    ours = finals(("lovelaceada_17", "6.5", ""), ("bo", "4", ""))
    for column in ("Softmax 2026", "softmax 2026 (902)", "902"):
        filled = fill(CANVAS, SYSTEMS["canvas"], ours, "8", column)
        wanted = CANVAS.replace("9.50,,95", "9.50,6.5,95").replace("7.00,3,70", "7.00,4,70")
        assert filled.text == wanted
        assert filled.replaced == ["bo (3 -> 4)"]


def test_gradescopes_table_knows_a_student_by_number_or_address():
    ours = finals(("s-17", "8", ""), ("BO@example.org", "2.5", ""))
    filled = fill(GRADESCOPE, SYSTEMS["gradescope"], ours, "8")
    wanted = GRADESCOPE.replace(",,,8.0,Ungraded", ",,8,8.0,Ungraded")
    assert filled.text == wanted.replace(",3.0,8.0", ",2.5,8.0")


@pytest.mark.parametrize(
    ("table", "system", "student", "waits", "why"),
    [
        (MOODLE, "moodle", "Cy =1+1_19", "", "Moodle says that their grade cannot be changed"),
        (
            MOODLE,
            "moodle",
            "Ada Countess Lovelace_17",
            "not final: 2 of 8",
            "not final: 2 of 8",
        ),
        (MOODLE, "moodle", "Eve_21", "", "no row of the table is theirs"),
        (CANVAS, "canvas", "cohency_19", "", "Canvas says EX there"),
    ],
)
def test_who_may_get_no_mark_is_left_and_named(table, system, student, waits, why):
    column = "902" if system == "canvas" else ""
    filled = fill(table, SYSTEMS[system], finals((student, "2", waits)), "8", column)
    assert filled.text == table
    assert filled.left == [(student, why)]


REFUSED = Path(__file__).with_name("refused_tables.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "changes", "system", "column", "said"), tomllib.loads(REFUSED)["rows"]
)
def test_a_table_that_is_not_sure_is_refused_whole(name, changes, system, column, said):
    table = TABLES.get(name, "")
    for old, new in changes:
        assert old in table
        table = table.replace(old, new)
    with pytest.raises(ValueError, match=re.escape(said)):
        fill(table, SYSTEMS[system], finals(("Ada_17", "2", "")), "8", column)


def test_two_students_with_one_row_are_refused():
    ours = finals(("Ada_17", "2", ""), ("ada@example.org", "3", ""))
    with pytest.raises(ValueError, match=r"Ada_17 and ada@example\.org have one row"):
        fill(MOODLE, SYSTEMS["moodle"], ours, "8")


def a_class(folder, count):
    """Grade made-up students; every tenth has a written answer that nobody marked."""
    for number in range(1, count + 1):
        code = CodeGrade("four-steps", "Steps", "OK", number % 6, 5)
        answer = "because" if number % 10 == 0 else ""
        words = WrittenAnswer("why", "Why?", [("clear", 3)], answer)
        name = f"Student {number}_{1000 + number}"
        grade = StudentGrade(
            name, "softmax", "Softmax", "k", "OK", code=[code], written=[words]
        )
        write(Book(folder).grade_file(name), grade.to_json())


def a_worksheet(count):
    file = io.StringIO()
    rows = csv.writer(file, lineterminator="\r\n")
    rows.writerow(next(csv.reader([MOODLE.removeprefix("\ufeff").split("\r\n")[0]])))
    for number in range(1, count + 1):
        person = f"Participant {1000 + number}", f"Student {number}", f"s{number}@example.org"
        rows.writerow([*person, "Submitted", "", "8.00", "Yes", "-", "-", ""])
    return file.getvalue()


def test_two_hundred_students_go_back_to_moodle_with_their_pages(tmp_path, capsys):
    a_class(tmp_path / "out", 200)
    sheet = tmp_path / "Grades-softmax.csv"
    sheet.write_bytes(a_worksheet(205).encode())
    command = ["marks", str(tmp_path / "out"), "--moodle", str(sheet)]
    assert main(command) == 1  # twenty are not final
    said = capsys.readouterr().out
    assert "180 marks written" in said
    assert said.count("left as it was") == 10
    assert "left as they were: 10 more\n" in said
    assert "3 not marked yet" in said
    upload = tmp_path / "out" / "upload"
    assert sheet.read_bytes() == a_worksheet(205).encode()
    filled = list(csv.DictReader(io.StringIO((upload / sheet.name).read_text())))
    assert [row["Grade"] for row in filled[:11]] == [*"12345012", "3", "", "5"]
    assert {row["Grade"] for row in filled[200:]} == {""}
    with zipfile.ZipFile(upload / "moodle-feedback.zip") as archive:
        names = archive.namelist()
        assert len(names) == 200
        page = archive.read("Student 7_1007_assignsubmission_file/feedback.html")
        assert b"Student 7_1007" in page
    before = (upload / "moodle-feedback.zip").read_bytes()
    main(command)
    assert (upload / "moodle-feedback.zip").read_bytes() == before


def test_canvass_feedback_has_a_place_for_who_handed_in_a_zip_or_nothing_readable(
    tmp_path, capsys
):
    book, given = Book(tmp_path / "out"), io.BytesIO()
    with zipfile.ZipFile(given, "w") as archive:
        archive.writestr("s.ipynb", "{}")
    names = "lovelaceada_17", "libo_18", "cohency_19", "gone_20"
    for name in names:
        code = CodeGrade("four-steps", "Steps", "OK", 4, 8)
        grade = StudentGrade(name, "s", "S", "k", "OK", code=[code])
        write(book.grade_file(name), grade.to_json())
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        archive.writestr("lovelaceada_17_4711_s.zip", given.getvalue())
        archive.writestr("libo_18_4712_s.zip", given.getvalue())
        archive.writestr("cohency_19_4713_s.pdf", b"%PDF")
    sheet = tmp_path / "gradebook.csv"
    sheet.write_text(CANVAS.replace("EX,EX", "EX,"))
    files = "--canvas", str(sheet), "--submissions", str(tmp_path / "submissions.zip")
    main(["marks", str(book.folder), "--column", "902", *files[:2]])
    assert "no feedback zip: its pages need the names in" in capsys.readouterr().out
    main(["marks", str(book.folder), "--column", "902", *files])
    said = capsys.readouterr().out
    assert "other marks stood there: libo_18 (3 -> 4)" in said
    assert "no place for the pages of gone_20" in said
    with zipfile.ZipFile(book.folder / "upload" / "canvas-feedback.zip") as archive:
        found = {name: archive.read(name).decode() for name in archive.namelist()}
    assert len(found) == 3
    for page, student in zip(("17_4711_s", "18_4712_s", "19_4713_s"), names, strict=False):
        [content] = [text for name, text in found.items() if name.endswith(f"_{page}.html")]
        assert student in content


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfeG", ", line 1: it is not in UTF-8"), (b"", ": the table is empty")],
)
def test_a_broken_file_is_named_and_nothing_is_written(tmp_path, capsys, content, said):
    a_class(tmp_path / "out", 1)
    sheet = tmp_path / "grades.csv"
    sheet.write_bytes(content)
    assert main(["marks", str(tmp_path / "out"), "--moodle", str(sheet)]) == 2
    assert f"{sheet}{said}" in capsys.readouterr().err
    assert not (tmp_path / "out" / "upload").exists()
