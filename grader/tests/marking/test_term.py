"""Totals of a term against cases worked by hand, and against all ways to spend and to drop."""

import re
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from random import Random

import pytest

from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.marking.items import items_of
from course_grader.marking.term import EXAMPLE, Group, Part, Term, best, load_term, sums
from course_grader.tables import write

NOW = datetime(2026, 11, 1, tzinfo=UTC)
TERM = """\
title = "Winter"
roster = "class.csv"
late_days = 2
[groups.homework]
weight = 60
best = 2
[groups.exam]
weight = 40
[[assignments]]
folder = "one"
group = "homework"
due = 2026-10-05T23:59:00+02:00
[[assignments]]
folder = "two"
group = "homework"
[[assignments]]
folder = "three"
group = "homework"
[[assignments]]
folder = "exam"
group = "exam"
"""
ROSTER = "student,name\nada,Ada Lovelace\nbo,Bo Li\ncy,Cy Cohen\n"


def graded(home, folder, student, points, late=0, answer=None, percent=10.0):
    """Leave what grade leaves of one student: points of 10 in code, and maybe an answer."""
    written = [WrittenAnswer("why", "Why?", [("clear", 10)], answer)] if answer else []
    grade = StudentGrade(
        student,
        folder,
        folder.title(),
        "k",
        "OK",
        code=[CodeGrade("steps", "Steps", "OK", points, 10)],
        written=written,
        late_days=late,
        late_percent_per_day=percent,
    )
    write(Book(home / folder).grade_file(student), grade.to_json())


def a_term(home, text=TERM, roster=ROSTER):
    (home / "class.csv").write_text(roster)
    (home / "term.toml").write_text(text)
    return home / "term.toml"


def ada(home):
    """Ada: 10 of 10 two days late, 6, 5 a day late, and 8 in the exam."""
    for folder, points, late in (
        ("one", 10, 2),
        ("two", 6, 0),
        ("three", 5, 1),
        ("exam", 8, 0),
    ):
        graded(home, folder, "ada", points, late)


def of(path, student="ada", now=NOW):
    return next(one for one in sums(load_term(path), now) if one.person.student == student)


def test_a_total_worked_by_hand(tmp_path):
    """The days go where they bring most: 60 (1 + 0.6) / 2 + 40 x 0.8 = 80."""
    ada(tmp_path)
    one = of(a_term(tmp_path))
    assert (one.total, one.open, one.spent) == ("80", [], {"one": 2})
    assert one.counts == pytest.approx({"one": 30, "two": 18, "exam": 32})


@pytest.mark.parametrize(
    ("old", "new", "total", "spent"),
    [
        ("late_days = 2", "late_days = 0", "74", {}),  # 60 (0.8 + 0.6) / 2 + 32
        ("late_days = 2", "late_days = 2\nlate_days_each = 1", "77", {"one": 1}),
        ("best = 2", "drop = 1", "80", {"one": 2}),
        ("best = 2", "best = 3", "73", {"one": 2}),  # 60 (1 + 0.6 + 0.45) / 3 + 32
        ("best = 2", "best = 1", "92", {"one": 2}),
    ],
)
def test_other_rules_give_other_totals(tmp_path, old, new, total, spent):
    ada(tmp_path)
    one = of(a_term(tmp_path, TERM.replace(old, new, 1)))
    assert (one.total, one.spent) == (total, spent)


def test_an_open_mark_leaves_the_total_open_between_what_it_can_be(tmp_path):
    ada(tmp_path)
    graded(tmp_path, "exam", "ada", 8, answer="because")
    one = of(a_term(tmp_path))
    assert (one.total, one.low, one.high) == ("", 64, 84)  # 8 to 18 of 20
    assert one.open == ["Exam: 10 not marked yet"]
    with Book(tmp_path / "exam").store.changing("t", "mark") as marks:
        marks["ada"] = {"why": {"clear": {"mark": 5, "answer": ""}}}
    assert of(tmp_path / "term.toml").total == "74"


def test_what_is_missing_is_open_until_the_lecturer_says_zero_and_it_is_due(tmp_path):
    ada(tmp_path)
    graded(tmp_path, "two", "bo", 10)
    graded(tmp_path, "exam", "bo", 10)
    path = a_term(tmp_path)
    assert of(path, "bo").open == ["One: not handed in", "Three: not handed in"]
    assert not of(path, "bo").nothing
    assert of(path, "cy").nothing
    path.write_text("missing = 0\n" + TERM)
    assert of(path, "bo").total == "70"  # 60 (1 + 0) / 2 + 40
    before = datetime(2026, 10, 5, 21, 58, tzinfo=UTC)
    assert of(path, "bo", before).open == ["One: not handed in"]
    Book(tmp_path / "one").keep_extensions({"bo": NOW + timedelta(1)})
    assert of(path, "bo").open == ["One: not handed in"]


def test_an_assignment_that_is_not_graded_is_never_zero(tmp_path):
    graded(tmp_path, "one", "ada", 10)
    one = of(a_term(tmp_path, "missing = 0\n" + TERM))
    assert one.open == [f"{name}: not graded yet" for name in ("two", "three", "exam")]
    assert (one.total, one.low, one.high) == ("", 30, 100)
    assert not one.nothing


def test_what_holds_for_one_student(tmp_path):
    ada(tmp_path)
    rule = '[[students]]\nstudent = "ada"\nassignment = "exam"\nexcused = true\n'
    assert of(a_term(tmp_path, TERM + rule)).total == "80"  # 100 (1 + 0.6) / 2
    rule = '[[students]]\nstudent = "ada"\nassignment = "one"\nmore_days = 2\n'
    one = of(a_term(tmp_path, TERM + rule))
    assert (one.total, one.spent) == ("80", {})
    graded(tmp_path, "one", "li_4711", 7)
    rule = '[[students]]\nstudent = "bo"\nassignment = "one"\nhanded_in_as = "li_4711"\n'
    term = load_term(a_term(tmp_path, TERM + rule))
    assert term.assignments[0].grades["bo"].code[0].points == 7
    assert term.said == []


def test_a_hand_in_is_found_by_what_the_roster_says(tmp_path):
    roster = "student,name,email,number\nada,Ada Lovelace,a@uni,17\nbo,Bo Li,b@uni,18\n"
    for student in ("Lovelace Ada_907", "B@uni"):  # Moodle's, whose number is the assignment's
        graded(tmp_path, "one", student, 5)
    graded(tmp_path, "two", "lovelaceada_17", 6)  # Canvas's, whose number is the course's
    graded(tmp_path, "two", "eve", 6)
    one, two, *_ = (term := load_term(a_term(tmp_path, roster=roster))).assignments
    assert (set(one.grades), set(two.grades)) == ({"ada", "bo"}, {"ada"})
    assert term.said == ["two: eve is of nobody in the roster; name it handed_in_as"]


def test_two_of_one_name_are_told_apart_or_left_open(tmp_path):
    roster = "student,name\nada,Kim Lee\nbo,Kim Lee\ncy,Cy\n"
    graded(tmp_path, "one", "ada", 9)
    graded(tmp_path, "two", "Kim Lee_3", 9)
    term = load_term(a_term(tmp_path, roster=roster))
    assert term.assignments[0].grades.keys() == {"ada"}
    assert term.said == ["two: Kim Lee_3 may be of ada, bo; name it handed_in_as"]
    opened = [one.parts[1].open for one in sums(term, NOW)]
    assert opened == ["Kim Lee_3 may be theirs"] * 2 + ["not handed in"]
    graded(tmp_path, "two", "Cy_4", 9)
    graded(tmp_path, "two", "cy", 1)
    assert "two: Cy_4, cy may all be of cy" in load_term(tmp_path / "term.toml").said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"schema": 1, "stud', r"ada\.json is no grade file: .*move it away and grade"),
        ('{"schema": 9}', "must be a grade file of version 1, got 9"),
    ],
)
def test_a_grade_that_cannot_be_read_opens_that_total_and_is_left(tmp_path, text, said):
    ada(tmp_path)
    graded(tmp_path, "one", "bo", 4)
    file = tmp_path / "one" / "grades" / "ada.json"
    file.write_text(text)
    term = load_term(a_term(tmp_path))
    assert re.search(said, term.said[0])
    assert of(tmp_path / "term.toml").open == ["One: ada.json cannot be read"]
    assert term.assignments[0].grades.keys() == {"bo"}
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "weight = 40",
            "weight = 30",
            r"add up to 100, got 60 \(homework\) \+ 30 \(exam\) = 90",
        ),
        (
            "weight = 40",
            "weight = -40",
            "groups.exam: weight must be a number from 0 on, got '-40'",
        ),
        (
            "weight = 40",
            "weight = nan",
            "groups.exam: weight must be a number from 0 on, got 'nan'",
        ),
        ("best = 2", "best = 4", "at most its 3 assignments, .* got best 4, drop 0"),
        (
            "best = 2",
            "drop = 3",
            "its 3 assignments, or drop, fewer; got best not given, drop 3",
        ),
        ("best = 2", "best = 2\ndrop = 1", "give either best, .* got best 2, drop 1"),
        ("best = 2", "bset = 2", "groups.homework: bset must be one of weight, best, drop"),
        ('group = "exam"', 'group = "oral"', "must be one of homework, exam, got 'oral'"),
        ('"two"', '"one"', "each folder must have a name of its own, two are one"),
        ("+02:00", "", "assignment 1: due must say its time zone"),
        ('"class.csv"', "7", "roster must be a text, got '7'"),
        ('roster = "class.csv"', "", "roster must be given"),
        ("late_days = 2", "missing = 1", "missing must be 0 or left out, got 1"),
        ("late_days = 2", "late_days = ", "Invalid value"),
    ],
)
def test_a_term_that_does_not_add_up_is_refused_in_words(tmp_path, old, new, said):
    path = a_term(tmp_path, TERM.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"term.toml: .*{said}"):
        load_term(path)


@pytest.mark.parametrize(
    ("roster", "said"),
    [
        ("student\nada\nbo\nAda\n", r"line 4: .*'Ada' stands in line 2 too"),
        ("student,name\nada,A\n,B\n", "line 3: student must not be empty"),
        ("name\nAda\n", "line 1: missing columns: student"),
        ("student\n", "must name at least one student, got none"),
    ],
)
def test_a_roster_that_is_not_sure_is_refused_with_its_lines(tmp_path, roster, said):
    with pytest.raises(ValueError, match=rf"class\.csv.*{said}"):
        load_term(a_term(tmp_path, roster=roster))


def test_a_rule_for_nobody_is_refused(tmp_path):
    rule = '[[students]]\nstudent = "eve"\nassignment = "one"\n'
    with pytest.raises(ValueError, match=r"one of the roster and one of one, two, .*got 'eve'"):
        load_term(a_term(tmp_path, TERM + rule))


def test_the_example_is_a_term(tmp_path):
    text = re.sub(r"(?m)^# (?=\S+ = |\[\[)", "", EXAMPLE.read_text())
    assert text.count("[[students]]") == 1
    assert len(load_term(a_term(tmp_path, text)).assignments) == 4


def drawn(random):
    """Return a small term and a student's parts, each lower with fewer days spent."""
    groups, parts = [], []
    for name, weight in zip(
        "abc", random.choice([(100,), (50, 50), (20, 30, 50)]), strict=False
    ):
        there = random.randint(1, 2 + (weight == 100))
        groups.append(Group(name, weight, random.randint(0, there), 0))
        for number in range(there):
            shares = sorted(random.choices(range(11), k=random.randint(1, 3)))
            low = tuple(share / 10 for share in shares)
            excused = random.random() < 0.1
            parts.append(Part(f"{name}{number}", "", name, low, low, excused=excused))
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
        if sum(spent) <= term.late_days:
            ways = (
                g.weight
                / whole
                * max(sum(share[p.assignment] for p in c) / n for c in combinations(ps, n))
                for g, ps, n in groups
            )
            most = max(most, sum(ways))
    return 100 * most


def test_no_way_to_spend_and_to_drop_is_better_and_no_total_falls_when_a_mark_rises():
    random = Random(44)
    for _ in range(100):
        term, parts = drawn(random)
        found = best(term, parts, "low")[0]
        assert found == pytest.approx(by_trying(term, parts), abs=0.006)
        at = random.randrange(len(parts))
        part = parts[at]
        more = tuple(min(1, share + random.choice((0.01, 0.3))) for share in part.low)
        raised = [
            *parts[:at],
            Part(part.assignment, "", part.group, more, more),
            *parts[at + 1 :],
        ]
        raised[at] = Part(part.assignment, "", part.group, more, more, excused=part.excused)
        assert best(term, raised, "low")[0] >= found


def test_how_hard_an_item_was_and_whom_it_tells_apart():
    """Worked by hand: of twelve, the better six have the first item right, and no other."""

    def one(number):
        code = [
            CodeGrade("apart", "A", "OK", 4 * (number >= 6), 4),
            CodeGrade("all", "B", "OK", 2, 2),
            CodeGrade("half", "C", "OK", number % 2, 2),
            CodeGrade("rest", "D", "OK", 10 * (number >= 6), 10),
        ]
        return StudentGrade(f"s{number}", "x", "X", "k", "OK", code=code)

    found = {item.id: item for item in items_of([one(n) for n in range(12)], {})}
    assert [found[name].mean for name in ("apart", "all", "half")] == [0.5, 1, 0.25]
    assert found["all"].discrimination is None
    # Points 0 and 4, rest 2, 3 and 12, 13: r = 5 / sqrt(25 + 0.25).
    assert found["apart"].discrimination == pytest.approx(5 / (25.25) ** 0.5)
    assert found["half"].discrimination == pytest.approx(0)
    unread = one(12)
    unread.code[0] = CodeGrade("apart", "A", "MALFORMED", 0, 4)
    more = {item.id: item for item in items_of([*map(one, range(12)), unread], {})}
    assert (more["apart"].students, more["half"].students) == (12, 13)
    assert more["half"].discrimination == pytest.approx(0)
    assert items_of([one(n) for n in range(9)], {})[0].discrimination is None
