"""What the teacher's pages list, name and link to is there."""

import json
import re
from urllib.parse import parse_qsl

import pytest
import yaml
from rules.source import ROOT

from attention_course.exercises import all_exercises, exercise_named

PAGES = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "book" / "teach").glob("*.md"))
}
PLANS, REFERENCE = PAGES["course-plans"], PAGES["reference"]
ROWS = re.findall(r"^\| \d+ \|(.*?)\|(.*?)\|$", PLANS.split("## A course of 12 weeks")[1], re.M)
SETTINGS = [
    match
    for text in PAGES.values()
    for match in re.findall(r'href="\.\./([\w/-]+)\.html#([\w-]+)\?([^"]+)"', text)
]
STATE = "application/vnd.jupyter.widget-state+json"


def test_each_exercise_that_a_plan_assigns_has_variants():
    named = set(re.findall(r"`([\w-]+)`", PLANS)) & set(all_exercises())
    assert len(named) >= 30
    assert {slug for slug in named if not exercise_named(slug).dealt} == set()


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
    chapters = [path.relative_to(ROOT / "book") for path in (ROOT / "book").glob("*/*.ipynb")]
    assert sorted(linked) == sorted(str(path.with_suffix("")) for path in chapters)


def test_the_settings_were_found():
    assert len(SETTINGS) >= 15
