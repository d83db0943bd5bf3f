"""What a person does with an answer: types it, pastes it, saves it, loads it, has it graded."""

import json
import re
import string
from importlib.util import find_spec

import headless
import pytest
from built_site import OPEN_FOLDS
from editing import Editor

from attention_course.exercises import all_exercises
from attention_course.site.offline import offline_page

pytestmark = pytest.mark.browser
NUMPY = {slug: one for slug, one in all_exercises().items() if one.uses == "numpy"}
FEW = ("four-steps", "prefix-tree", "delta-rule")
WRONG = NUMPY["four-steps"].source_of(NUMPY["four-steps"].wrong[0])
ANSWERS = {slug: (slug, one.solution) for slug, one in NUMPY.items()}
ANSWERS |= {"a wrong one": ("four-steps", WRONG)}
EVERY = [
    pytest.param(*answer, id=name, marks=() if name in FEW else pytest.mark.thorough)
    for name, answer in ANSWERS.items()
]
VERDICT = re.compile(r": (?:right\. All|(\d+) of) (\d+) properties hold")


class Robot(Editor):
    """An exercise on its own page, worked as a person does."""

    def __init__(self, new_context, home, slug):
        context = new_context(permissions=["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        page.goto(f"{home}book/exercises/{slug}.html")
        super().__init__(page.locator(".ac-try-here"))

    def check(self):
        self.press("Check")
        self.says("Checked in")
        return self.output()

    def save(self):
        with self.page.expect_download() as download:
            self.press("Save as a notebook")
        return download.value.path().read_text(encoding="utf-8")

    def load(self, path):
        self.place.locator("input[type=file]").set_input_files(path)
        self.says("Answers loaded", 5000)

    def reopen(self, cleared=False):
        if cleared:
            self.page.evaluate("localStorage.clear()")
        self.page.reload()
        self.place.wait_for()


def walked(robot, exercise, source, folder):
    """Take an answer past all stations: what *Check* says, and the files that were saved.

    It is typed, then pasted over everything, so that its marker is lost; each is loaded again.
    """
    typed = f"{exercise.marker}\n{source}".rstrip()
    said, files = [], {}

    def leave(name):
        files[name] = folder / f"{name}.ipynb"
        files[name].write_text(robot.save(), encoding="utf-8")

    robot.keys(typed)
    assert robot.typed() == typed
    leave("typed")
    robot.reopen()
    assert robot.typed() == typed
    robot.reopen(cleared=True)
    assert robot.typed() == f"{exercise.marker}\n{exercise.stub}".rstrip()
    robot.load(files["typed"])
    assert robot.typed() == typed
    said.append(robot.check())
    robot.paste(source)
    assert robot.typed() == source
    said.append(robot.check())
    leave("pasted")
    robot.press("Reset")
    robot.load(files["pasted"])
    assert robot.typed() == f"{exercise.marker}\n{source}"
    said.append(robot.check())
    leave("exported")
    return said, files


def holding(said):
    """How many properties hold of how many, in the words of *Check*."""
    some, total = VERDICT.search(said).groups()
    return int(some or total), int(total)


@pytest.fixture(scope="module")
def sandboxes():
    if not find_spec("course_grader"):
        yield None
        return
    from course_grader.marking.one_student import Sandboxes
    from course_grader.sandbox.limits import Limits

    with Sandboxes(Limits()) as started:
        yield started


def graded(sandboxes, exercise, path, folder):
    """How many properties of how many hold when a file is graded."""
    from course_grader.marking.one_student import Job, Setup, grade_job
    from course_grader.sandbox.limits import Limits
    from course_grader.submissions.assignment import load_assignment

    items = f'title = "Typed"\nseed = "s"\n[[items]]\nexercise = "{exercise.slug}"\n'
    asked = folder / "typed"
    asked.mkdir(exist_ok=True)
    (asked / "assignment.toml").write_text(items, encoding="utf-8")
    setup = Setup(load_assignment(asked), b"5" * 32, Limits(), "")
    (item,) = grade_job(Job("ada", path.read_bytes()), setup, sandboxes).code
    total = len(exercise.probes)
    assert (item.points == item.max_points) == (not item.failed), item.message
    return total - len(item.failed), total


@pytest.mark.parametrize(("slug", "source"), EVERY)
def test_an_answer_keeps_its_verdict_at_each_station(
    new_context, home, tmp_path, sandboxes, slug, source
):
    """It is one verdict, in the grade too where there is a grader."""
    robot = Robot(new_context, home, slug)
    said, files = walked(robot, NUMPY[slug], source, tmp_path)
    # Each check takes other numbers: they stand in lines further in.
    told = [[row for row in one.splitlines() if not row.startswith(" " * 6)] for one in said]
    assert told == told[:1] * 3
    verdict = holding(said[0])
    assert (verdict[0] == verdict[1]) == (source == NUMPY[slug].solution)
    for path in files.values() if sandboxes else ():
        assert graded(sandboxes, NUMPY[slug], path, tmp_path) == verdict


def test_a_file_that_was_loaded_keeps_all_it_has_and_takes_further_answers(
    new_context, home, tmp_path
):
    one, path = Robot(new_context, home, "four-steps"), tmp_path / "answers.ipynb"
    four, softmax = NUMPY["four-steps"], NUMPY["stable-softmax"]
    one.paste(f"{softmax.marker}\n{four.solution}")  # copied in the wrong place
    notebook = json.loads(one.save())
    _, own, _ = notebook["cells"]
    assert own["source"] == f"{four.marker}\n{softmax.marker}\n{four.solution}"
    own["source"] = four.solution  # as a page once wrote it
    notebook["cells"].insert(0, own | {"id": "earlier", "source": f"{four.marker}\n1"})
    path.write_text(json.dumps(notebook), encoding="utf-8")
    one.load(path)
    assert one.typed() == four.solution
    one.page.goto(f"{home}book/exercises/stable-softmax.html")
    one.paste(f"def helper(x):\n    return x\n\n\n{softmax.solution}")
    cells = {cell["id"]: cell["source"] for cell in json.loads(one.save())["cells"]}
    names = [four.slug, softmax.slug]
    assert [*cells][:2] == ["earlier", "setup"]
    assert [*cells][2:] == [name + more for name in names for more in ("", "-check")]
    assert cells["earlier"].endswith("\n1")
    assert cells[four.slug] == f"{four.marker}\n{four.solution}"
    assert cells[softmax.slug].startswith(f"{softmax.marker}\ndef helper")
    assert cells[f"{softmax.slug}-check"] == 'check(stable_softmax, "stable-softmax")'


KEYS = "/" + "".join(key for key in string.printable if key not in string.whitespace) + " ."
CHAPTER = "book/why/attention-by-hand.html"
# Where one types: the page, what is brought into view and pressed before, the field.
FIELDS = {
    "an exercise's own page": ("book/exercises/four-steps.html", "", ".cm-content"),
    "Try it here": (CHAPTER, ".ac-try-open button", ".cm-content"),
    "Edit and run": (CHAPTER, ".ac-edit-open button", ".cm-content"),
    "a kernel": ("book/scale/gpu-attention.html", "fused-row", ".ac-row-editor"),
    "a sentence": (
        "book/transformer/transformer-block.html",
        "living-sentence",
        ".ac-ls .ac-sentence",
    ),
    "the search": (CHAPTER, "button[aria-label=Search]", "#pst-search-dialog input"),
    "the page of the search": ("search.html", "", ".bd-search-container input"),
    "an assignment's code": ("work.html", "", ".cm-content"),
    "an assignment's words": ("work.html", "", "textarea"),
}
TYPED = """(field) => field.value
  ?? field.closest(".ac-try-here").acEditor.state.doc.toString()"""


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """Where an assignment's page lies, which asks for code and for words."""
    one = NUMPY["four-steps"]
    cells = [
        ("code", f"{one.marker}\n{one.stub}"),
        ("code", 'check(four_steps, "four-steps")'),
        ("markdown", "<!-- WRITTEN why -->"),
    ]
    notebook = {"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}
    path = tmp_path_factory.mktemp("assignment") / "work.html"
    path.write_text(offline_page(json.dumps(notebook), "work.ipynb"), encoding="utf-8")
    return f"{path.parent.as_uri()}/"


def field_of(page, home, work, name, before, selector):
    """Open a page and bring a field of it into use."""
    page.goto((work if name == "work.html" else home) + name)
    page.evaluate(OPEN_FOLDS)
    if before.endswith(("button", "]")):
        page.locator(before).first.click()
    elif before:
        page.locator(f'[data-ac-key^="{before}"]').first.scroll_into_view_if_needed()
    field = page.locator(selector).first
    field.click()
    return field


@pytest.mark.parametrize("kind", FIELDS)
def test_every_key_that_prints_reaches_the_field(page, home, work, kind):
    field = field_of(page, home, work, *FIELDS[kind])
    most = int(field.get_attribute("maxlength") or len(KEYS))
    for start in range(0, len(KEYS), most):
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.press("Delete")
        page.keyboard.type(KEYS[start : start + most])
        assert field.evaluate(TYPED) == KEYS[start : start + most]


def test_an_assignment_is_saved_with_the_marker_that_was_typed_over(page, work, tmp_path):
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{work}work.html")
    one, four = Editor(page.locator(".ac-try-here:has(.ac-try-editor)")), NUMPY["four-steps"]
    one.keys(four.solution.strip())
    page.locator("textarea").fill("Because.")
    path, hand_in = tmp_path / "work.ipynb", page.locator(".ac-hand-in")
    with page.expect_download() as download:
        hand_in.get_by_role("button", name="Save work.ipynb").click()
    download.value.save_as(path)
    sources = [cell["source"] for cell in json.loads(path.read_bytes())["cells"]]
    marked = f"{four.marker}\n{four.solution.strip()}"
    assert sources[::2] == [marked, "<!-- WRITTEN why -->\n\nBecause."]
    one.press("Reset")
    hand_in.locator("input[type=file]").set_input_files(path)
    hand_in.get_by_text("Answers loaded: four-steps, why").wait_for()
    assert one.typed() == marked


def test_a_browser_without_webassembly_is_told_where_its_code_runs(browser, home, work):
    """iOS in Lockdown Mode, Edge's stricter security and some managed machines have none."""
    args = [*headless.ARGUMENTS, "--js-flags=--jitless"]
    strict = browser.browser_type.launch(executable_path=headless.found(), args=args)
    page = strict.new_page()
    for kind, button, words in [
        ("an exercise's own page", "Check", "Save your answer as a notebook"),
        ("Edit and run", "Run", "The chapter's notebook has this code"),
        ("an assignment's code", "Check", "Save work.ipynb below"),
    ]:
        field_of(page, home, work, *FIELDS[kind])
        one = Editor(page.locator(".ac-try-here:has(.ac-try-editor)"))
        one.press(button)
        one.says(re.compile(f"WebAssembly switched off.*{words}"), 5000)
    strict.close()
