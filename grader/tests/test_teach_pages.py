"""What the teacher's pages tell to type and to write works, and says what they say."""

import json
import re
import shlex

import first_class
import pytest

from course_grader.cli.command import parser
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.verdicts import Verdict

PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((first_class.ROOT / "book" / "teach").glob("*.md"))
}
REFERENCE = PAGES["reference"]
BLOCKS = {
    page: re.findall(r"^```text\n(.*?)^```$", text, re.S | re.M) for page, text in PAGES.items()
}
COMMANDS = [
    line
    for blocks in BLOCKS.values()
    for block in blocks
    for line in block.replace("\\\n", " ").splitlines()
    if line.startswith("attention-course ")
]


def test_every_step_has_its_command():
    named = {command.split()[1] for command in COMMANDS}
    steps = {"new", "release", "solutions", "grade", "rubric", "feedback", "marks", "regrade"}
    assert named == steps | {
        "exercise",
        "alike",
        "gradescope",
        "classroom",
        "student",
        "term",
        "offline",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_is_one_that_the_course_knows(command):
    _, *words = shlex.split(command.partition(" > ")[0])
    assert parser().parse_args(words).command == words[0]


def test_the_tables_of_the_reference_list_every_command_and_every_verdict():
    listed = REFERENCE.split("## The commands\n")[1].split("\n## ")[0]
    known = re.findall(r"^    ([a-z]+)(?:  |$)", parser().format_help(), re.M)
    assert sorted(re.findall(r"^\| `([a-z]+)` \|", listed, re.M)) == sorted(known)
    verdicts = REFERENCE.split("| verdict |")[1].split("\n\n")[0]
    assert set(re.findall(r"`([A-Z_]{2,})`", verdicts)) == {*Verdict}


def test_the_assignment_of_the_page_can_be_read(tmp_path):
    (manifest,) = [block for block in BLOCKS["reference"] if block.count("[[items]]") > 1]
    folder = tmp_path / "positions-2026"
    folder.mkdir()
    (folder / "assignment.toml").write_text(manifest, encoding="utf-8")
    (folder / "secret").write_text("7" * 64, encoding="utf-8")
    assignment = load_assignment(folder)
    assert assignment.max_points == 18
    assert assignment.varies


def test_the_page_says_how_long_an_answer_may_compute():
    limits = Limits()
    said = f"may compute for {limits.cpu_s} seconds, and take {limits.wall_s:g} by the clock"
    assert said in " ".join(REFERENCE.split())


def test_the_first_class_works_as_it_is_written_and_its_pictures_show_it(tmp_path):
    said = first_class.run(tmp_path)
    assert "private/try: a download of Moodle, 3 students\n3 graded" in said
    stored = json.loads(first_class.WORDS.read_text(encoding="utf-8"))
    for name in first_class.SHOWN:
        now = first_class.words(first_class.written(tmp_path, name))
        assert now == stored[name], "run tools/first_class.py and look at the pictures"
        assert (first_class.PICTURES / f"{name}.png").is_file()
    grades = (tmp_path / "private/graded/grades.csv").read_text(encoding="utf-8-sig")
    assert re.search(r'"Ada Example_1001".*"12","12","OK"', grades)
    assert re.search(r'"Ben Example_1002".*"7","12","WRONG"', grades)
