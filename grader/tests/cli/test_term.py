"""A term, against cases worked by hand and against all ways to spend days and to drop."""

import csv
import io
import re
import tomllib
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from pathlib import Path
from random import Random

import pytest

from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.marking.items import items_of
from course_grader.marking.term import EXAMPLE, Group, Part, Term, best, load_term, sums
from course_grader.tables import write

NOW = datetime(2026, 11, 1, tzinfo=UTC)
CASES = tomllib.loads(Path(__file__).with_name("term_cases.toml").read_text(encoding="utf-8"))
TERM, ROSTER = CASES["term"], CASES["roster"]
RULE = '[[students]]\nstudent = "{}"\nassignment = "{}"\n{} = {}\n'


def graded(home, folder, student, *points, late=0, answer=""):
    """Leave what grade leaves of one student: points of 10 for each item in code."""
    code = [
        CodeGrade(f"item-{i}", f"Item {i}", "OK", p, 10, misconception="no <shift>")
        for i, p in enumerate(points)
    ]
    words = [WrittenAnswer("why", "Why?", [("clear", 10)], answer)] if answer else []
    grade = StudentGrade(student, folder, folder.title(), "k", "OK", code=code, written=words)
    grade.late_days, grade.late_percent_per_day = late, 10
    write(Book(home / folder).grade_file(student), grade.to_json())
    return grade


def a_term(home, text=TERM, roster=ROSTER):
    (home / "class.csv").write_text(roster)
    (home / "term.toml").write_text(text)
    return home / "term.toml"


@pytest.fixture
def home(tmp_path):
    """Ada: 10 of 10 two days late, 6, 5 a day late, and 8 in the exam."""
    for folder, points, late in (
        ("one", 10, 2),
        ("two", 6, 0),
        ("three", 5, 1),
        ("exam", 8, 0),
    ):
        graded(tmp_path, folder, "ada", points, late=late)
    return tmp_path


def of(path, student="ada", now=NOW):
    return next(one for one in sums(load_term(path), now) if one.person.student == student)


@pytest.mark.parametrize(("old", "new", "total", "spent"), CASES["totals"])
def test_totals_worked_by_hand(home, old, new, total, spent):
    text = TERM + new if old == "$" else TERM.replace(old, new, 1)
    one = of(a_term(home, text))
    assert (one.total, one.open, one.spent) == (total, [], spent)
    assert sum(one.counts.values()) == pytest.approx(float(total))


def test_an_open_mark_leaves_the_total_open_between_what_it_can_be(home):
    graded(home, "exam", "ada", 8, answer="because")
    one = of(a_term(home))
    assert (one.total, one.low, one.high) == ("", 64, 84)  # 8 to 18 of 20
    assert one.open == ["Exam: 10 not marked yet"]
    with Book(home / "exam").store.changing("t", "mark") as marks:
        marks["ada", "why", "clear"] = {"mark": 5, "answer": ""}
    assert of(home / "term.toml").total == "74"


def test_what_is_missing_is_open_until_the_lecturer_says_zero_and_it_is_due(home):
    for folder in ("two", "exam"):
        graded(home, folder, "bo", 10)
    path = a_term(home)
    assert of(path, "bo").open == ["One: not handed in", "Three: not handed in"]
    assert [of(path, who).nothing for who in ("bo", "cy")] == [False, True]
    path.write_text("missing = 0\n" + TERM)
    assert of(path, "bo").total == "70"  # 60 (1 + 0) / 2 + 40
    before = datetime(2026, 10, 5, 21, 58, tzinfo=UTC)
    assert of(path, "bo", before).open == ["One: not handed in"]
    Book(home / "one").keep_extensions({"bo": NOW + timedelta(1)})
    assert of(path, "bo").open == ["One: not handed in"]


def test_an_assignment_that_is_not_graded_is_never_zero(tmp_path):
    graded(tmp_path, "one", "ada", 10)
    one = of(a_term(tmp_path, "missing = 0\n" + TERM))
    assert one.open == [f"{name}: not graded yet" for name in ("two", "three", "exam")]
    assert (one.total, one.low, one.high, one.nothing) == ("", 30, 100, False)
    (tmp_path / "one" / "submissions" / "bo").mkdir(parents=True)  # grade was stopped
    assert of(tmp_path / "term.toml", "bo").open[0] == "One: not graded yet"
    (said,) = load_term(tmp_path / "term.toml").said
    assert said.startswith("one: handed in and not graded: bo; grade again, or move")


def test_a_hand_in_is_found_by_what_the_roster_or_a_rule_says(tmp_path):
    roster = ROSTER.replace("=Ada", "Adá Lovelace")
    for student in ("Lovelace Ada_18", "B@uni", "li_4"):  # Moodle's number is the assignment's
        graded(tmp_path, "one", student, 5)
    for student in ("lovelaceada_17", "eve"):  # Canvas's number is the course's
        graded(tmp_path, "two", student, 6)
    rule = RULE.format("cy", "one", "handed_in_as", '"li_4"')
    one, two, *_ = (term := load_term(a_term(tmp_path, TERM + rule, roster))).assignments
    assert (set(one.grades), set(two.grades)) == ({"ada", "bo", "cy"}, {"ada"})
    assert term.said == ["two: eve is of nobody in the roster; name it handed_in_as"]


def test_two_of_one_name_are_told_apart_or_left_open(tmp_path):
    roster = "student,name,number\nada,Kim Lee,\nbo,Kim Lee,8\ncy,Cy,3\n"
    graded(tmp_path, "three", "leekim_8", 9)
    for folder, student in (
        ("one", "ada"),
        ("two", "Kim Lee_3"),
        ("two", "Cy_4"),
        ("two", "cy"),
    ):
        graded(tmp_path, folder, student, 9)
    term = load_term(a_term(tmp_path, roster=roster))
    assert term.assignments[0].grades.keys() == {"ada"}
    assert term.assignments[2].grades.keys() == {"bo"}
    assert term.said == [
        "two: Kim Lee_3 may be of ada, bo; name it handed_in_as",
        "two: Cy_4, cy may all be of cy",
    ]
    opened = [one.parts[1].open for one in sums(term, NOW)]
    assert opened == ["Kim Lee_3 may be theirs"] * 2 + ["several may be theirs: Cy_4, cy"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema": 1, "stud', r"ada\.json is no grade file: .*move it away and grade"),
        ('{"schema": 9}', "must be a grade file of version 1, got 9"),
    ],
)
def test_a_grade_that_cannot_be_read_opens_that_total_and_is_left(home, text, said):
    graded(home, "one", "bo", 4)
    file = home / "one" / "grades" / "ada.json"
    file.write_text(text)
    term = load_term(a_term(home))
    assert re.search(said, term.said[0])
    assert of(home / "term.toml").open == ["One: ada.json cannot be read"]
    assert term.assignments[0].grades.keys() == {"bo"}
    assert file.read_text() == text


@pytest.mark.parametrize(("old", "new", "said"), CASES["refused"])
def test_a_term_that_does_not_add_up_is_refused_in_words(tmp_path, old, new, said):
    path = a_term(tmp_path, TERM + new if old == "$" else TERM.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"term.toml: .*{re.escape(said)}"):
        load_term(path)


@pytest.mark.parametrize(("roster", "said"), CASES["rosters"])
def test_a_roster_that_is_not_sure_is_refused_and_what_stood_stands(home, capsys, roster, said):
    words = ["term", str(a_term(home)), "--out", str(home / "out")]
    main(words)
    a_term(home, roster=roster)
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    assert main(words) == 2
    assert f"class.csv, {said}" in capsys.readouterr().err.replace("csv:", "csv,")
    assert {p: p.read_bytes() for p in home.rglob("*") if p.is_file()} == before


def test_the_example_is_a_term(tmp_path, capsys):
    assert main(["term", "--example"]) == 0
    said = capsys.readouterr().out
    assert said == EXAMPLE.read_text(encoding="utf-8")
    path = a_term(tmp_path, re.sub(r"(?m)^# (?=\S+ = |\[\[)", "", said))
    assert len(load_term(path).rules) == 1
    assert main(["term", str(path)]) == 2
    assert "--out FOLDER must be given" in capsys.readouterr().err


def drawn(random):
    """Return a small term and a student's parts, each lower with fewer days spent."""
    groups, parts = [], []
    for name, weight in zip(
        "abc", random.choice([(100,), (50, 50), (20, 30, 50)]), strict=False
    ):
        there = random.randint(1, 2 + (weight == 100))
        groups.append(Group(name, weight, random.randint(0, there), 0))
        for number in range(there):
            low = sorted(n / 10 for n in random.choices(range(11), k=random.randint(1, 3)))
            out = random.random() < 0.1
            parts.append(Part(f"{name}{number}", "", name, tuple(low), excused=out))
    days = random.randint(0, 3)
    return Term("t", [], groups, [], days, days, False, {}), parts


def by_trying(term, parts):
    """Return the highest total of all ways to spend days and to keep assignments."""
    there = [one for one in parts if not one.excused]
    groups = [(g, [p for p in there if p.group == g.name]) for g in term.groups]
    groups = [(g, ps, min(g.best or 9, len(ps))) for g, ps in groups if ps]
    whole, most = sum(g.weight for g, *_ in groups), 0
    for spent in product(*(range(len(part.low)) for part in there)):
        share = {p.assignment: p.low[s] for p, s in zip(there, spent, strict=True)}
        of_groups = (
            g.weight
            / whole
            * max(sum(share[p.assignment] for p in c) for c in combinations(ps, n))
            / n
            for g, ps, n in groups
        )
        most = max(most, sum(of_groups)) if sum(spent) <= term.late_days else most
    return 100 * most


def test_no_way_to_spend_and_to_drop_is_better_and_no_total_falls_when_a_mark_rises():
    random = Random(44)
    for _ in range(100):
        term, parts = drawn(random)
        found = best(term, parts, "low")[0]
        assert found == pytest.approx(by_trying(term, parts), abs=0.006)
        at = random.randrange(len(parts))
        one = parts[at]
        more = tuple(min(1, share + random.choice((0.01, 0.3))) for share in one.low)
        parts[at] = Part(one.assignment, "", one.group, more, excused=one.excused)
        assert best(term, parts, "low")[0] >= found


def test_how_hard_an_item_was_and_whom_it_tells_apart(tmp_path):
    """Worked by hand: of twelve, the better six have the first item right, and no other."""

    def one(number):
        good, odd = 10 * (number >= 6), 2 * (number % 2)
        return graded(tmp_path, "one", f"s{number}", good, 5, odd, good)

    whole = [one(number) for number in range(12)]
    apart, same, half, _ = items_of(whole, {})
    assert [item.mean for item in (apart, same, half)] == pytest.approx([0.5, 0.5, 0.1])
    assert same.discrimination is None
    # Points 0 and 10, rest 5, 7 and 15, 17: r = 5 x 5 / (5 sqrt(25 + 1)).
    assert apart.discrimination == pytest.approx(5 / 26**0.5)
    assert half.discrimination == pytest.approx(0)
    unread = one(12)
    unread.code[0] = CodeGrade("item-0", "Item 0", "MALFORMED", 0, 10)
    apart, _, half, _ = items_of([*whole, unread], {})
    assert (apart.students, half.students) == (12, 13)
    assert half.discrimination == pytest.approx(0)
    assert items_of(whole[2:-1], {})[0].discrimination is None


def table(path):
    return list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))


def test_pages_and_tables_say_how_each_total_comes_about_and_who_is_missing(home, capsys):
    """Bo lacks two of three and the exam; Cy is excused from it; Di has handed in nothing."""
    graded(home, "one", "bo", 7)
    graded(home, "one", "cy", 9)
    path, out = a_term(home, TERM + RULE.format("cy", "exam", "excused", "true")), home / "out"
    before = {p: p.read_bytes() for p in home.rglob("*") if p.is_file()}
    assert main(["term", str(path), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "term.html: 1 of 4 totals stand\n  open: bo, cy, di; the page says why\n" in said
    assert "  handed in nothing: di\n" in said
    assert all(p.read_bytes() == data for p, data in before.items())
    head, ada, bo, cy, di = table(out / "term.csv")
    assert head[:7] == ["student", "name", "email", "One", "Two", "Three", "Exam"]
    assert ada[1:-1] == [
        *("'=Ada", "a@uni", "100", "60", "45, dropped", "80", "2", "80", "80", "80")
    ]
    none = "not handed in"
    assert bo[3:-1] == ["70", none, none, none, "0", "", "21", "100"]
    assert bo[-1] == f"Two: {none}; Three: {none}; Exam: {none}"
    assert cy[6:-1] == ["excused", "0", "", "45", "100"]
    assert di[8:-1] == ["", "0", "100"]
    page = (out / "term.html").read_text()
    assert "<h1>Winter &lt;term&gt;</h1>" in page
    assert re.search(r"<td>all</td>\s*<td>Di \(di\)</td>", page)
    assert '<a href="students/ada.html">=Ada (ada)</a>' in page
    assert "no &lt;shift&gt; (3)" in page
    own = (out / "students" / "ada.html").read_text()
    assert re.search(r"<td>2, of them 2 spent</td>\s*<td>100</td>\s*<td>30</td>", own)
    assert "Late days left: 0 of 2." in own
    columns = ["One", "Two", "Three", "Exam", "Term total"]
    numbers = ["100", "60", "45", "80", "80"]
    moodle, canvas, brightspace = (
        table(out / "upload" / f"{name}.csv") for name in ("moodle", "canvas", "brightspace")
    )
    assert moodle[:2] == [
        ["Username", "Email address", "Full name", *columns],
        ["ada", "a@uni", "'=Ada", *numbers],
    ]
    assert moodle[2][3:] == ["70", *"----"]
    assert canvas[:2] == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *columns],
        ["    Points Possible", "", "", "", "", *["100"] * 5],
    ]
    assert canvas[3:5] == [
        ["Bo Li", "18", "", "bo", "", "70", "", "", "", ""],
        ["", "19", "", "cy", "", "90", "", "", "EX", ""],
    ]
    names = [f"{name} Points Grade" for name in columns]
    assert brightspace[:2] == [
        ["Username", *names, "End-of-Line Indicator"],
        ["#ada", *numbers, "#"],
    ]
