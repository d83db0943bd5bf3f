"""What is said of a class of 200 was counted by its script, which notices what it must."""

import json
import re

import class_of_200 as script
import pytest
from made_up_class import ROOT

PAGE = (ROOT / "book/teach/reference.md").read_text(encoding="utf-8")
COSTS = re.search(r"(?s)## What a class costs\n(.*?)\n## ", PAGE + "\n## ")[1]
COMMANDS = ["grade", "rubric", "rubric", "feedback", "alike", "marks", "regrade"]


@pytest.fixture(scope="module")
def result():
    return json.loads((script.RESULTS / "class_of_200.json").read_text("utf-8"))["result"]


def test_the_record_is_of_two_hundred_who_all_have_a_mark_and_a_page(result):
    assert result["students"] == 200
    assert result["platforms"].keys() == script.PLATFORMS.keys()
    for name, one in result["platforms"].items():
        assert (one["marks"], one["pages"]) == (200, 200 * (name != "gradescope"))
        assert [step["command"].split()[0] for step in one["steps"]] == COMMANDS
        assert all(0 < step["cpu_s"] < 600 for step in one["steps"])
        assert all(10 < step["memory_mb"] < 4000 for step in one["steps"])


def test_the_reference_says_what_the_script_counted(result):
    said = " ".join(COSTS.split())
    assert f"{result['exercises']} exercises and {result['written']} written" in said
    for one in result["platforms"].values():
        grade, *others = one["steps"]
        assert grade["cpu_s"] / 200 < 1
        assert all(round(step["cpu_s"]) <= 2 for step in others)
    assert "less than a second a student; each other command takes about two at most" in said
    for row in rows(result):
        assert row in COSTS


def rows(result):
    """Return the rows of the page's table."""
    every = [result["platforms"][name] for name in script.PLATFORMS]
    seconds = [sum(step["cpu_s"] for step in one["steps"]) for one in every]
    cells = {
        "commands": [len(one["steps"]) for one in every],
        "minutes of one core": [f"{one / 60:.1f}" for one in seconds],
        "MB of memory": [max(step["memory_mb"] for step in one["steps"]) for one in every],
        "marks filled in": [one["marks"] for one in every],
        "pages in the feedback zip": [one["pages"] or "none" for one in every],
        "MB that are kept": [f"{one['folder_mb']:.0f}" for one in every],
    }
    return [f"| {name} | {' | '.join(map(str, row))} |" for name, row in cells.items()]


def test_what_the_reference_quotes_is_what_a_command_says():
    folder = ROOT / "grader/src/course_grader"
    texts = "".join(path.read_text() for path in sorted(folder.rglob("*.py")))
    texts = re.sub(r'"\n? *f?"', "", texts)  # texts are cut where a line is full
    quoted = re.findall(r"`([a-z' ]+ [a-zA-Z0-9' -]+)`", COSTS)
    assert len(quoted) == 7
    assert [one for one in quoted if one not in texts] == []


@pytest.mark.slow
@pytest.mark.parametrize("platform", script.PLATFORMS)
def test_a_small_class_goes_the_whole_way(platform):
    came = script.term(platform, 5)
    assert (came["marks"], came["pages"]) == (5, 5 * (platform != "gradescope"))
    assert [step["command"].split()[0] for step in came["steps"]] == COMMANDS


def test_a_worksheet_in_which_more_than_a_grade_is_new_is_noticed():
    files = script.moodle("a", 23, 3)
    before = files.table
    filled = before.replace("Submitted,,", "Submitted,7,")
    assert script.changed(before, filled, files.grade) == {1: "7", 2: "7", 3: "7"}
    for other in (
        filled.replace("s1@", "s9@"),
        filled.replace('"two\nlines"', '"two\n lines"'),
        filled.replace("Yes", '"Yes"'),
        filled.replace("\n", "\r\n"),
    ):
        with pytest.raises(RuntimeError, match=r"the table's"):
            script.changed(before, other, files.grade)


def test_a_mark_in_another_row_is_noticed(tmp_path, monkeypatch):
    files, book = script.moodle("a", 23, 2), script.Book
    grades = [type("Grade", (), {"student": student}) for student in files.students]
    monkeypatch.setattr(book, "grades", lambda book: grades)
    monkeypatch.setattr(book, "marks", lambda book: dict.fromkeys(files.students))
    earned = iter([3.0, 7.0] * 3)
    monkeypatch.setattr(
        script, "total", lambda *one: type("Total", (), {"points": next(earned)})
    )
    script.require_own(tmp_path, files, {1: "3", 2: "7"})
    for other, rows in (({1: "7", 2: "3"}, "1, 2"), ({1: "3", 2: "7", 3: "9"}, "3")):
        with pytest.raises(RuntimeError, match=rf"in the rows \[{rows}\]"):
            script.require_own(tmp_path, files, other)


def test_a_right_answer_that_lost_points_is_noticed(tmp_path, monkeypatch):
    lost = [type("Item", (), {"slug": "kv-cache", "verdict": "TIMEOUT"})]
    name = script.moodle("a", 23, 1).students[0]
    grade = type("Grade", (), {"student": name, "code": lost})
    monkeypatch.setattr(script.Book, "grades", lambda book: [grade])
    with pytest.raises(RuntimeError, match=r"Ada Groß_4180000 .* lost \['kv-cache'\]"):
        script.require_right(tmp_path, [name])
