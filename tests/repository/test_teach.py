"""What the teacher's page tells to type, to write and to read is there."""

import re
import shlex

import pytest
import yaml
from source_rules import ROOT

from attention_course.exercises import all_exercises, exercise_named
from attention_course.grading.assignment import load_assignment
from attention_course.grading.command import parser
from attention_course.grading.limits import Limits

PAGE = (ROOT / "book" / "teach.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```text\n(.*?)^```$", PAGE, re.S | re.M)
COMMANDS = [
    line
    for block in BLOCKS
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("attention-course ")
]
ROWS = re.findall(r"^\| \d+ \|(.*?)\|(.*?)\|$", PAGE.split("## A course of 12 weeks")[1], re.M)


def test_every_step_has_its_command():
    named = {command.split()[1] for command in COMMANDS}
    assert named == {"new", "release", "solutions", "grade", "rubric", "feedback", "regrade"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_is_one_that_the_course_knows(command):
    _, *words = shlex.split(command)
    assert parser().parse_args(words).command == words[0]


def test_the_assignment_of_the_page_can_be_read(tmp_path):
    (manifest,) = [block for block in BLOCKS if "[[items]]" in block]
    folder = tmp_path / "positions-2026"
    folder.mkdir()
    (folder / "assignment.toml").write_text(manifest, encoding="utf-8")
    assignment = load_assignment(folder)
    assert assignment.max_points == 16
    assert assignment.varies


def test_the_page_says_how_long_an_answer_may_compute():
    limits = Limits()
    said = f"may compute for {limits.cpu_s} seconds, and take {limits.wall_s:g} by the clock"
    assert said in " ".join(PAGE.split())


def test_the_exercise_that_the_page_says_has_no_variants_has_none():
    assert "where it has variants; `kv-cache` has none" in PAGE
    assert not exercise_named("kv-cache").variants
    assert exercise_named("rotary-positions:halves")


def test_the_page_gives_a_fork_its_address_as_the_readme_does():
    (command,) = re.findall(r"python tools/stamp\.py .*", PAGE)
    assert f".venv/bin/{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_twelve_weeks_are_the_chapters_in_their_order():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in toc["parts"]]
    files = [chapter["file"].removeprefix("book/") for part in parts for chapter in part]
    planned = [re.search(r"\((.*?)\.ipynb\)", chapter)[1] for chapter, _ in ROWS]
    assert planned == [file for file in files if "/" in file]


def test_the_twelve_weeks_name_every_exercise_of_the_bank_beside_its_chapter():
    named = {
        slug: re.search(r"\((.*?)\.ipynb\)", chapter)[1]
        for chapter, work in ROWS
        for slug in re.findall(r"`([\w-]+)`", work)
    }
    assert named == {slug: exercise.chapter for slug, exercise in all_exercises().items()}


def test_the_four_weeks_name_exercises_of_the_bank():
    plan = PAGE.split("## A course of 4 weeks")[1].split("## A course of 12 weeks")[0]
    named = set(re.findall(r"`([\w-]+)`", plan))
    assert len(named) >= 10
    assert named <= set(all_exercises())
