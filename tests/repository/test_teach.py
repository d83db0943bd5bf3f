"""What the teacher's pages tell to type, to write and to read is there."""

import json
import re
import shlex
from urllib.parse import parse_qsl

import first_class
import pytest
import yaml
from rules.source import ROOT

import attention_course
from attention_course.exercises import all_exercises, exercise_named
from attention_course.site.slides import plans
from course_grader.cli.command import parser
from course_grader.sandbox.limits import Limits
from course_grader.submissions.assignment import load_assignment
from course_grader.verdicts import Verdict

PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book" / "teach").glob("*.md"))
}
PLANS, REFERENCE = PAGES["course-plans"], PAGES["reference"]
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
ROWS = re.findall(r"^\| \d+ \|(.*?)\|(.*?)\|$", PLANS.split("## A course of 12 weeks")[1], re.M)
SETTINGS = [
    match
    for text in PAGES.values()
    for match in re.findall(r'href="\.\./([\w/-]+)\.html#([\w-]+)\?([^"]+)"', text)
]
STATE = "application/vnd.jupyter.widget-state+json"


def test_every_step_has_its_command():
    named = {command.split()[1] for command in COMMANDS}
    steps = {"new", "release", "solutions", "grade", "rubric", "feedback", "marks", "regrade"}
    assert named == steps | {"exercise", "alike", "gradescope", "classroom", "student"}


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
    (manifest,) = [block for block in BLOCKS["reference"] if "[[items]]" in block]
    folder = tmp_path / "positions-2026"
    folder.mkdir()
    (folder / "assignment.toml").write_text(manifest, encoding="utf-8")
    (folder / "secret").write_text("7" * 64, encoding="utf-8")
    assignment = load_assignment(folder)
    assert assignment.max_points == 16
    assert assignment.varies


def test_the_page_says_how_long_an_answer_may_compute():
    limits = Limits()
    said = f"may compute for {limits.cpu_s} seconds, and take {limits.wall_s:g} by the clock"
    assert said in " ".join(REFERENCE.split())


def test_each_exercise_that_a_plan_assigns_has_variants():
    named = set(re.findall(r"`([\w-]+)`", PLANS)) & set(all_exercises())
    assert len(named) >= 30
    assert {slug for slug in named if not exercise_named(slug).dealt} == set()


def test_the_variant_that_the_page_names_is_there():
    assert "`rotary-positions:halves`" in REFERENCE
    assert exercise_named("rotary-positions:halves")


def test_the_page_gives_a_fork_its_address_as_the_readme_does():
    (command,) = re.findall(r"python tools/stamp\.py .*", REFERENCE)
    assert f".venv/bin/{command}\n" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert command.endswith(f" v{attention_course.__version__}")


def is_chapter(file):
    return "/" in file and (ROOT / "book" / f"{file}.ipynb").is_file()


def test_the_twelve_weeks_are_the_chapters_in_their_order():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    parts = [part["chapters"] for part in toc["parts"]]
    files = [chapter["file"].removeprefix("book/") for part in parts for chapter in part]
    planned = [re.search(r"\(\.\./(.*?)\.ipynb\)", chapter)[1] for chapter, _ in ROWS]
    assert planned == [file for file in files if is_chapter(file)]


def test_the_twelve_weeks_name_every_exercise_of_the_bank_beside_its_chapter():
    named = {
        slug: re.search(r"\(\.\./(.*?)\.ipynb\)", chapter)[1]
        for chapter, work in ROWS
        for slug in re.findall(r"`([\w-]+)`", work)
    }
    assert named == {slug: exercise.chapter for slug, exercise in all_exercises().items()}


def test_the_four_weeks_name_exercises_of_the_bank():
    plan = PLANS.split("## A course of 4 weeks")[1].split("## A course of 12 weeks")[0]
    named = set(re.findall(r"`([\w-]+)`", plan))
    assert len(named) >= 10
    assert named <= set(all_exercises())


def test_each_chapter_of_the_plans_has_all_that_a_lecture_needs():
    said = PLANS.split("## Chapter by chapter")[1].split("\n### ")[1:]
    named = [re.search(r"\[(.*?)\]", chapter)[1] for chapter, _ in ROWS]
    assert [entry.split("\n")[0] for entry in said] == named
    for entry in said:
        parts = re.findall(r"^- \*\*(.+?)\.\*\*", entry, re.M)
        assert parts == ["Key picture", "Ask", "Common error", "Play", "Slides"]
        assert re.search(r"picture\.\*\*\s\[.*?\]\(\S+#fig-", entry, re.S)


PREDICTIONS = re.findall(r'href="\.\./([\w/-]+)\.html#(predict-[\w-]+)"', PLANS)


@pytest.mark.parametrize(("page", "key"), PREDICTIONS)
def test_a_prediction_that_is_linked_is_on_its_page(page, key):
    text = (ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8")
    assert f'"key": "{key}"' in text


@pytest.mark.parametrize(("page", "key", "setting"), SETTINGS)
def test_a_widget_that_is_linked_with_a_setting_takes_it(page, key, setting):
    """The setting is one that the widget's class accepts."""
    from attention_course import widgets

    notebook = json.loads((ROOT / "book" / f"{page}.ipynb").read_text(encoding="utf-8"))
    stored = notebook["metadata"]["widgets"][STATE]["state"].values()
    (state,) = [m["state"] for m in stored if m["state"].get("key") == key][:1]
    asked = dict(parse_qsl(setting, strict_parsing=True))
    if "spec" in state:  # an explorer has what its sliders have
        assert asked.keys() <= state["chosen"].keys()
        return
    asked = {k: v if isinstance(state[k], str) else json.loads(v) for k, v in asked.items()}
    kinds = [getattr(widgets, name) for name in widgets.__all__]
    (kind,) = [k for k in kinds if k.__name__ == state["_anywidget_id"].split(".")[-1]]
    kind(**asked)  # refuses a value that it does not know


def test_the_plans_lead_to_every_chapters_slides():
    linked = re.findall(r'href="\.\./\.\./slides/([\w/-]+)\.html"', PLANS)
    assert sorted(linked) == sorted(plans(ROOT))


def test_the_settings_were_found():
    assert len(SETTINGS) >= 15


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
