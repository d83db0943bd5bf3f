"""What is said of a class of 200 was counted by its script, which notices what it must."""

import json
import re
from types import SimpleNamespace

import class_of_200 as script
import pytest

PAGE = (script.ROOT / "book/teach/reference.md").read_text(encoding="utf-8")
COSTS = re.search(r"(?s)## What a class costs\n(.*?)\n## ", PAGE + "\n## ")[1]
COMMANDS = ["grade", "rubric", "rubric", "feedback", "alike", "marks", "regrade"]


def test_the_reference_says_what_the_script_counted_of_two_hundred():
    record = json.loads((script.RESULTS / "class_of_200.json").read_text("utf-8"))
    result, said = record["result"], " ".join(COSTS.split())
    steps = result["steps"]
    assert (result["students"], result["marks"], result["pages"]) == (200, 200, 200)
    assert [step["command"].split()[0] for step in steps] == COMMANDS
    assert f"{result['exercises']} exercises and {result['written']} written" in said
    grade, *others = steps
    assert grade["cpu_s"] / 200 < 1
    assert all(round(step["cpu_s"]) <= 2 for step in others)
    assert "less than a second a student; each other command takes about two at most" in said
    cells = {
        "commands": len(steps),
        "minutes of one core": f"{sum(step['cpu_s'] for step in steps) / 60:.1f}",
        "MB of memory": max(step["memory_mb"] for step in steps),
        "MB that are kept": f"{result['folder_mb']:.0f}",
    }
    for name, value in cells.items():
        assert f"| {name} | {value} |" in COSTS


def test_what_the_reference_quotes_is_what_a_command_says():
    folder = script.ROOT / "grader/src/course_grader"
    texts = "".join(path.read_text() for path in sorted(folder.rglob("*.py")))
    texts = re.sub(r'"\n? *f?"', "", texts)  # texts are cut where a line is full
    quoted = re.findall(r"`([a-z' ]+ [a-zA-Z0-9' -]+)`", COSTS)
    assert len(quoted) == 7
    assert [one for one in quoted if one not in texts] == []


@pytest.mark.slow
def test_a_small_class_goes_the_whole_way():
    came = script.term(5)
    assert (came["marks"], came["pages"]) == (5, 5)
    assert [step["command"].split()[0] for step in came["steps"]] == COMMANDS


@pytest.mark.parametrize(
    ("verdict", "said"),
    [("TIMEOUT", "lost ['kv-cache']"), ("OK", "has 3 points, the table '7'")],
)
def test_a_point_that_was_lost_and_a_mark_of_somebody_else_are_noticed(
    monkeypatch, verdict, said
):
    grade = SimpleNamespace(
        student=script.student_of(0), code=[SimpleNamespace(slug="kv-cache", verdict=verdict)]
    )
    book = SimpleNamespace(marks=lambda: {grade.student: {}}, grades=lambda: [grade])
    monkeypatch.setattr(script, "total", lambda *one: SimpleNamespace(points=3.0))
    with pytest.raises(RuntimeError, match=f"Ada Groß_4180000 .*{re.escape(said)}"):
        script.require_right(book, 1, "Grade\n7\n")
