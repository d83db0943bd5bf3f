"""A term from the command line: what is written, and what the platforms' tables say."""

import csv
import io
import re

import pytest

from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade
from course_grader.tables import write

TERM = """\
title = "Winter <term>"
roster = "class.csv"
late_days = 1
[groups.homework]
weight = 60
best = 1
[groups.exam]
weight = 40
[[assignments]]
folder = "one"
group = "homework"
[[assignments]]
folder = "two"
group = "homework"
[[assignments]]
folder = "exam"
group = "exam"
[[students]]
student = "cy"
assignment = "exam"
excused = true
"""
ROSTER = "student,name,email,number\nada,=Ada,a@uni,17\nbo,Bo Li,b@uni,18\ncy,,,19\ndi,Di,,\n"


def a_class(home):
    """Ada has all, Bo lacks the exam, Cy is excused from it, Di has handed in nothing."""
    points = {
        "one": {"ada": (10, 2), "bo": (7, 0), "cy": (9, 0)},
        "two": {"ada": (4, 0)},
        "exam": {"ada": (5, 0)},
    }
    for folder, students in points.items():
        for student, (reached, late) in students.items():
            code = [
                CodeGrade("steps", "Steps", "OK", reached, 10, misconception="no <shift>"),
                CodeGrade("more", "More", "OK", 0, 0),
            ]
            grade = StudentGrade(student, folder, folder.title(), "k", "OK", code=code)
            grade.late_days, grade.late_percent_per_day = late, 25
            write(Book(home / folder).grade_file(student), grade.to_json())
    (home / "class.csv").write_text(ROSTER)
    (home / "term.toml").write_text(TERM)
    return ["term", str(home / "term.toml"), "--out", str(home / "out")]


def table(path):
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))


def test_a_term_is_added_up_and_says_how_and_who_is_missing(tmp_path, capsys):
    words, out = a_class(tmp_path), tmp_path / "out"
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "term.html: 1 of 4 totals stand\n  open: bo, cy, di; the page says why\n" in said
    assert "  handed in nothing: di\n" in said
    assert all(p.read_bytes() == data for p, data in before.items())
    head, ada, bo, cy, di = table(out / "term.csv")
    assert head[:6] == ["student", "name", "email", "One", "Two", "Exam"]
    # Ada: one day less late, 60 x 0.75 + 40 x 0.5.
    assert ada[1:] == ["'=Ada", "a@uni", "75", "40, dropped", "50", "1", "65", "65", "65", ""]
    assert bo[3:] == [
        *("70", "not handed in", "not handed in", "0", "", "42", "100"),
        "Two: not handed in; Exam: not handed in",
    ]
    assert cy[5:] == ["excused", "0", "", "90", "100", "Two: not handed in"]
    assert di[7:10] == ["", "0", "100"]
    page = (out / "term.html").read_text()
    assert "<h1>Winter &lt;term&gt;</h1>" in page
    assert re.search(r"<td>all</td>\s*<td>Di \(di\)</td>", page)
    assert '<a href="students/ada.html">=Ada (ada)</a>' in page
    assert "no &lt;shift&gt; (3)" in page
    own = (out / "students" / "ada.html").read_text()
    assert re.search(r"<td>2, of them 1 spent</td>\s*<td>75</td>\s*<td>45</td>", own)
    assert "Late days left: 0 of 1." in own


def test_each_platform_gets_all_of_it_and_no_number_where_something_is_open(tmp_path):
    main(a_class(tmp_path))
    upload = tmp_path / "out" / "upload"
    assert table(upload / "moodle.csv")[:3] == [
        ["Username", "Email address", "Full name", "One", "Two", "Exam", "Term total"],
        ["ada", "a@uni", "'=Ada", "75", "40", "50", "65"],
        ["bo", "b@uni", "Bo Li", "70", "-", "-", "-"],
    ]
    canvas = table(upload / "canvas.csv")
    assert canvas[0][:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert canvas[1] == ["    Points Possible", "", "", "", "", *["100"] * 4]
    assert canvas[3] == ["Bo Li", "18", "", "bo", "", "70", "", "", ""]
    assert canvas[4][-2:] == ["EX", ""]
    assert table(upload / "brightspace.csv")[:2] == [
        [
            "Username",
            *(f"{name} Points Grade" for name in ("One", "Two", "Exam", "Term total")),
            "End-of-Line Indicator",
        ],
        ["#ada", "75", "40", "50", "65", "#"],
    ]


def test_what_is_wrong_is_said_and_nothing_is_written(tmp_path, capsys):
    words = a_class(tmp_path)
    main(words)
    before = {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()}
    (tmp_path / "class.csv").write_text(ROSTER + "ada,Another\n")
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "line 6: each student must stand once" in said
    assert "'ada' stands in line 2 too" in said
    (tmp_path / "class.csv").write_text(ROSTER)
    assert {p: p.read_bytes() for p in tmp_path.rglob("*") if p.is_file()} == before
    assert main(words[:2]) == 2
    assert "--out FOLDER must be given" in capsys.readouterr().err
    assert main(["term", "--example"]) == 0
    assert "[groups.homework]" in capsys.readouterr().out


PLACES = """() => ({
  over: document.documentElement.scrollWidth - innerWidth,
  dots: [...document.querySelectorAll("svg .item")].map(one => {
    const box = one.getBoundingClientRect();
    return [one.textContent, (box.left + box.right) / 2, (box.top + box.bottom) / 2];
  }),
  ink: getComputedStyle(document.querySelector("svg .item")).fill,
  paper: getComputedStyle(document.body).backgroundColor,
})"""


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_the_items_are_drawn_where_their_numbers_say(browser, tmp_path, width, scheme):
    """Ten have one item right or not, with the rest or against it: up right, and down left."""
    home = tmp_path / "one"
    for number in range(10):
        good = number < 8
        code = [
            CodeGrade("with", "With", "OK", 10 * good, 10),
            CodeGrade("rest", "Rest", "OK", 30 * good, 30),
            CodeGrade("against", "Against", "OK", 5 * (not good), 5),
        ]
        grade = StudentGrade(f"s{number}", "one", "One", "k", "OK", code=code)
        write(Book(home).grade_file(f"s{number}"), grade.to_json())
    (tmp_path / "class.csv").write_text("student\n" + "".join(f"s{n}\n" for n in range(10)))
    groups = '[groups.a]\nweight = 100\n[[assignments]]\nfolder = "one"\ngroup = "a"\n'
    (tmp_path / "term.toml").write_text(f'title = "T"\nroster = "class.csv"\n{groups}')
    main(["term", str(tmp_path / "term.toml"), "--out", str(tmp_path / "out")])
    tab = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
    try:
        tab.goto((tmp_path / "out" / "term.html").as_uri())
        found = tab.evaluate(PLACES)
    finally:
        tab.close()
    (_, x1, y1), (_, x2, y2), (_, x3, y3) = found["dots"]
    assert [number for number, *_ in found["dots"]] == ["1", "2", "3"]
    assert found["over"] <= 0
    assert x3 < x1 == x2
    assert y1 == y2 < y3
    assert found["ink"] != found["paper"]
