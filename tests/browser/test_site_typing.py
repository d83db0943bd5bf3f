"""What a person does with an answer: types it, pastes it, saves it, loads it, has it graded."""

import re
from importlib.util import find_spec

import pytest
from editing import Editor

from attention_course.exercises import all_exercises

pytestmark = pytest.mark.browser
NUMPY = {slug: one for slug, one in all_exercises().items() if one.uses == "numpy"}
FEW = ("four-steps", "prefix-tree", "speculative-sampling")
WRONG = NUMPY["four-steps"].source_of(NUMPY["four-steps"].wrong[0])
ANSWERS = {slug: (slug, one.solution) for slug, one in NUMPY.items()}
ANSWERS |= {"a wrong one": ("four-steps", WRONG)}
EVERY = [
    pytest.param(*answer, id=name, marks=() if name in FEW else pytest.mark.thorough)
    for name, answer in ANSWERS.items()
]
VERDICT = re.compile(r": (?:right\. All|(\d+) of) (\d+) properties hold")


class InChromium(Editor):
    """An exercise on its own page."""

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


def same_everywhere(robot, slug, source, folder, sandboxes):
    """Assert one verdict at each station and, where there is a grader, in the grade."""
    said, files = walked(robot, NUMPY[slug], source, folder)
    assert said == said[:1] * 3
    verdict = holding(said[0])
    assert (verdict[0] == verdict[1]) == (source == NUMPY[slug].solution)
    for path in files.values() if sandboxes else ():
        assert graded(sandboxes, NUMPY[slug], path, folder) == verdict


@pytest.mark.parametrize(("slug", "source"), EVERY)
def test_an_answer_keeps_its_verdict_at_each_station(
    new_context, home, tmp_path, sandboxes, slug, source
):
    robot = InChromium(new_context, home, slug)
    same_everywhere(robot, slug, source, tmp_path, sandboxes)
