"""What is said of a class of 200 was counted by its script, which notices what it must."""

import re
from pathlib import Path

import class_of_200 as script
import pytest

from attention_course.measure import recorded
from course_grader.submissions.assignment import load_assignment

PAGE = Path(script.ROOT / "book/teach/reference.md").read_text(encoding="utf-8")
COMMANDS = ["grade", "rubric", "rubric", "feedback", "alike", "marks", "regrade"]


@pytest.fixture(scope="module")
def result():
    return recorded("class_of_200")[0]


def test_the_record_is_of_two_hundred_who_all_have_a_mark_and_a_page(result):
    assert result["students"] == result["marks"] == result["pages"] == 200
    assert [step["command"].split()[0] for step in result["steps"]] == COMMANDS
    assert all(0 < step["cpu_s"] < 600 for step in result["steps"])
    assert all(10 < step["memory_mb"] < 4000 for step in result["steps"])


def test_the_reference_says_what_the_script_counted(result):
    said = re.search(r"(?s)## What a class costs\n(.*?)\n## ", PAGE + "\n## ")[1]
    said = " ".join(said.split())
    grade, *others = result["steps"]
    assert f"{result['exercises']} exercises and {result['written']} written" in said
    assert grade["cpu_s"] / result["students"] == pytest.approx(0.5, abs=0.1)  # half a second
    assert f"{grade['cpu_s']:.0f} seconds" in said
    assert f"{grade['memory_mb']} MB" in said
    assert all(step["cpu_s"] <= 2 for step in others)
    assert "at most two seconds" in said
    assert f"{result['folder_mb']:.0f} MB" in said


@pytest.mark.slow
def test_a_small_class_goes_the_whole_way():
    came = script.term(5)
    assert came["marks"] == came["pages"] == 5
    assert [step["command"].split()[0] for step in came["steps"]] == COMMANDS


def test_a_worksheet_in_which_more_than_a_grade_is_new_is_noticed(tmp_path):
    assignment = load_assignment(script.SAMPLE)
    _, sheet = script.downloads(assignment, tmp_path, 3)
    before = sheet.read_text(encoding="utf-8")
    filled = before.replace("Submitted,,", "Submitted,7,")
    assert list(script.changed(before, filled)) == ["7"] * 3
    for other in (
        filled.replace("s1@", "s9@"),
        filled.replace('"two\nlines"', '"two\n lines"'),
        filled.replace("Yes", '"Yes"'),
        filled.replace("\n", "\r\n"),
    ):
        with pytest.raises(RuntimeError, match=r"worksheet"):
            list(script.changed(before, other))


def test_a_right_answer_that_lost_points_is_noticed(tmp_path, monkeypatch):
    lost = [type("Item", (), {"slug": "kv-cache", "verdict": "TIMEOUT"})]
    name = f"{script.name_of(0)}_{script.place_of(0)}"
    grade = type("Grade", (), {"student": name, "code": lost})
    monkeypatch.setattr(script.Book, "grades", lambda book: [grade])
    with pytest.raises(RuntimeError, match=r"Ada Groß_4180000 .* lost \['kv-cache'\]"):
        script.require_right(tmp_path, 1)
