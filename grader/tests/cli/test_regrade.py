import csv
import re
from dataclasses import replace

import pytest
from class_of_thirty import MANIFEST, assignment_in, hand_in
from saved_marks import saved

from course_grader.cli.command import main
from course_grader.marking.changes import Change, as_rows, changes, changes_report
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer


def grade(points=5, verdict="OK", answer="why", days=0, item="steps"):
    return StudentGrade(
        "=ada",
        "a",
        "A",
        "k",
        verdict,
        code=[CodeGrade(item, "S", verdict, points, 5)],
        written=[WrittenAnswer("why", "Why", [("clear", 2)], answer)],
        late_days=days,
        late_percent_per_day=10.0,
    )


def test_equal_grades_have_no_changes():
    assert changes(grade(), grade(), {}) == []
    assert changes_report([]) == "No grade changed."


@pytest.mark.parametrize(
    ("after", "item"),
    [
        (grade(3, "WRONG"), "steps"),
        (grade(answer="other"), "why"),
        (grade(answer=""), "why"),
        (grade(days=1), "days late"),
        (grade(days=None), "days late"),
        (grade(item="other"), "steps"),
        (grade(item="other"), "other"),
    ],
)
def test_whatever_changes_is_named(after, item):
    assert item in [change.item for change in changes(grade(), after, {})]


def test_before_and_after_are_said_and_safe_for_a_spreadsheet():
    found = changes(grade(), grade(3, "WRONG"), {})
    assert "=ada, steps: 5 of 5, OK -> 3 of 5, WRONG" in changes_report(found)
    assert as_rows(found)[1:] == [
        ["'=ada", "verdict", "OK", "WRONG"],
        ["'=ada", "steps", "5 of 5, OK", "3 of 5, WRONG"],
    ]


def test_a_time_that_becomes_known_and_is_in_time_is_no_change():
    assert changes(grade(days=None), grade(days=0), {}) == []
    [change] = changes(grade(days=None), grade(days=1), {})
    assert (change.before, change.after) == ("not known, 0 %", "1, 10 %")


@pytest.mark.parametrize(("count", "last"), [(40, "-> 3"), (41, "1 change"), (45, "5 changes")])
def test_of_many_changes_the_first_are_said_and_where_the_others_stand(count, last):
    found = [Change(f"s{number}", "steps", "5", "3") for number in range(count)]
    lines = changes_report(found).splitlines()
    assert len(lines) == 1 + min(count, 41)
    assert last in lines[-1]
    assert ("more: changes.csv" in lines[-1]) == (count > 40)


def asked_for(most, answer="why"):
    written = [WrittenAnswer("why", "Why", [("clear", most), ("short", 1)], answer)]
    return replace(grade(), written=written)


@pytest.mark.parametrize(
    ("answer", "marks", "said_so"),
    [
        ("", {}, ["0 of 3, no answer -> 0 of 4, no answer"]),
        ("because", {}, ["not marked, of 3, an answer (", "not marked, of 4, an answer ("]),
        ("because", {"clear": 1.5}, ["1.5 of 3, an answer (", "1.5 of 4, an answer ("]),
        (
            "because",
            {"clear": 2, "short": 1},
            ["3 of 3, an answer (", "why, clear: 2 of 2, full marks -> 2 of 3"],
        ),
    ],
)
def test_a_maximum_that_was_raised_is_said_in_marks(answer, marks, said_so):
    given = {"why": {name: {"mark": mark} for name, mark in marks.items()}}
    found = changes(asked_for(2, answer), asked_for(3, answer), given)
    assert found[0].item == "why"
    assert len(found) == 1 + any("full" in words for words in said_so)
    assert all(words in changes_report(found) for words in said_so)
    assert "points" not in changes_report(found)


def test_a_mark_that_was_full_is_named_until_it_is_given_anew(tmp_path):
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", ["honest-0", "missing-both"])
    assert main(words(tmp_path, "grade")) == 0
    table, out = tmp_path / "marks.csv", tmp_path / "out"

    def mark(first, second):
        rows = (
            f"honest-0,why-scale,names the variance,{first},\n"
            f"honest-0,why-scale,says what a softmax then does,{second},\n"
        )
        table.write_text(saved("student,item,criterion,mark,comment\n" + rows))
        assert main(["rubric", str(out), "--merge", str(table)]) == 0

    mark(2, 1)
    why = "why-scale, names the variance: the mark was full, and more can be given now"
    assert why not in (out / "grades.csv").read_text()
    manifest = tmp_path / "steps" / "assignment.toml"
    raised = MANIFEST.replace('variance", 2', 'variance", 3').replace('does", 2', 'does", 3')
    manifest.write_text(raised.replace("points = 4", "points = 6"))
    assert main(words(tmp_path, "regrade")) == 0
    with (out / "changes.csv").open(encoding="utf-8-sig") as file:
        changed = [row for row in csv.reader(file) if row[1].startswith("why-scale, ")]
    assert changed == [
        ["honest-0", "why-scale, names the variance", "2 of 2, full marks", "2 of 3"]
    ]
    assert (out / "class.txt").read_text().count("was full") == 1
    assert (out / "grades.csv").read_text().count(why) == 1
    mark(2, 1)
    assert "was full" not in (out / "class.txt").read_text() + (out / "grades.csv").read_text()


def words(folder, name):
    rest = ["--assignment", folder / "steps", "--out", folder / "out"]
    first = [folder / "sub"] if name == "grade" else []
    return [str(word) for word in [name, *first, *rest]]


@pytest.mark.slow
def test_a_changed_assignment_is_graded_again_from_the_copies(tmp_path, capsys):
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", ["honest-0", "broken-json"])
    times = tmp_path / "times.csv"
    times.write_text("student,time\nhonest-0,2026-10-05T20:00\n")
    assert main([*words(tmp_path, "grade"), "--times", str(times)]) == 0
    (tmp_path / "sub").rename(tmp_path / "gone")
    changed = MANIFEST.replace("points = 10", "points = 20").replace("10-05T23", "10-04T23")
    (tmp_path / "steps" / "assignment.toml").write_text(changed)
    before = Book(tmp_path / "out").grade("honest-0")
    assert main(words(tmp_path, "regrade")) == 0
    out = capsys.readouterr().out
    assert "honest-0, four-steps: 10 of 10, OK -> 20 of 20, OK" in out
    assert "honest-0, days late: 0, 0 % -> 1, 10 %" in out
    with (tmp_path / "out" / "changes.csv").open() as file:
        assert ["honest-0", "four-steps", "10 of 10, OK", "20 of 20, OK"] in csv.reader(file)
    kept = (tmp_path / "out" / "history" / "honest-0.1.json").read_text()
    assert StudentGrade.from_json(kept) == before
    assert Book(tmp_path / "out").grade("broken-json").verdict == "MALFORMED"
    assert main(words(tmp_path, "regrade")) == 0
    assert "0 graded, 2 unchanged" in capsys.readouterr().out


def test_marks_that_fit_no_criterion_any_more_are_said(tmp_path, capsys):
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", ["honest-0", "honest-9"])
    assert main(words(tmp_path, "grade")) == 0
    table, out = tmp_path / "marks.csv", tmp_path / "out"
    rows = "".join(
        f"{student},why-scale,{criterion},2,\n"
        for student in ("honest-0", "honest-9")
        for criterion in ("names the variance", "says what a softmax then does")
    )
    table.write_text(saved("student,item,criterion,mark,comment\n" + rows))
    assert main(["rubric", str(out), "--merge", str(table)]) == 0
    assert main(words(tmp_path, "regrade")) == 0
    assert "criterion any more" not in capsys.readouterr().err
    manifest = tmp_path / "steps" / "assignment.toml"
    renamed = MANIFEST.replace("names the", "finds the").replace('does", 2', 'does", 1')
    manifest.write_text(renamed.replace("points = 4", "points = 3"))
    before = Book(out).store.record()
    for name in ("regrade", "grade"):
        assert main(words(tmp_path, name)) == 0
        said = (
            "4 marks fit no criterion any more: why-scale, names the variance (2); "
            "why-scale, says what a softmax then does (2)\n"
        )
        assert said in capsys.readouterr().err
    why = "why-scale, names the variance: the mark fits no criterion any more"
    assert re.search(rf"^honest-0 +MARKS +{why}", (out / "class.txt").read_text(), re.M)
    assert (out / "grades.csv").read_text().count(why) == 2
    assert Book(out).store.record() == before
    manifest.write_text(MANIFEST)
    assert main(words(tmp_path, "regrade")) == 0
    assert "criterion any more" not in capsys.readouterr().err


def test_who_is_not_there_cannot_be_graded_again(tmp_path, capsys):
    hand_in(assignment_in(tmp_path / "steps"), tmp_path / "sub", ["broken-json"])
    assert main(words(tmp_path, "grade")) == 0
    assert main([*words(tmp_path, "regrade"), "--again", "nobody"]) == 2
    assert "--again must name students who handed in, got nobody" in capsys.readouterr().err
