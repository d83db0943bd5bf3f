"""Exercises that run in the page: the verdicts and words of a notebook, and no server."""

import json

import pytest
from built_site import SITE
from editing import Editor
from page_gates import Visit, compressed, grave_violations, none, sideways_scrolling

from attention_course.exercises import all_exercises
from attention_course.exercises.in_page import run

pytestmark = pytest.mark.browser
PAGE, SLUG = "book/why/attention-by-hand.html", "four-steps"
MB = 1_000_000
NUMPY = {slug: one for slug, one in all_exercises().items() if one.uses == "numpy"}
WRONG = f"""# EXERCISE {SLUG}
import numpy as np


def four_steps(q, k, v):
    weights = np.exp(k @ q)
    return weights / weights.sum(), weights / weights.sum() @ v


print("begun")
four_steps(np.ones(2), np.eye(2), np.eye(2))
"""
# Runs a source by the page's own means and gives what was said.
RUN = """([slug, source]) => {
  let text = "";
  return acPython.run({ slug, source, checked: true, say: (more) => (text += more),
    progress() {}, began() {} }).then(({ whole }) => [text, whole]);
}"""


def natively(slug: str, source: str, attempt: int = 1) -> tuple[str, bool]:
    """What the same module says in a Python of its own."""
    said: list[str] = []
    whole = run(source, slug, True, said.append, attempt)
    return "".join(said), whole


class Try(Editor):
    """One exercise on one page."""

    def __init__(self, page, home, name=PAGE, slug=SLUG):
        self.visit = Visit(page, home)
        page.goto(home + name)
        page.locator(f".ac-try:has-text('EXERCISE {slug}') + .ac-try-open button").click()
        super().__init__(page.locator(f'.ac-try-here:has([aria-label="Your answer: {slug}"])'))

    def attempts(self):
        return self.place.locator(".ac-try-attempts").text_content()


@pytest.fixture(scope="module")
def started(browser, home):
    """A page from a server in which Python has started, with what it took."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    one = Try(context.new_page(), home)
    one.before = one.visit.own_files()
    one.press("Run")
    one.says("Ran in")
    one.after = one.visit.own_files() - one.before
    one.complaints = [*one.visit.console, *one.visit.missing]
    yield one
    context.close()


def test_nothing_is_loaded_before_it_is_run_and_then_ten_megabytes_of_this_host(started):
    assert not [name for name in started.before if "/python" in name and ".min." not in name]
    assert len(started.after) == 8
    loaded = started.after | {"_static/course/python/codemirror.min.js"}
    assert sum(compressed((SITE / name).read_bytes()) for name in loaded) < 10 * MB
    assert max(p.stat().st_size for p in (SITE / "_static/course/python").iterdir()) < 5 * MB
    none(started.visit.foreign_requests())
    none(started.complaints)


def test_an_answer_is_run_checked_and_hinted_at_in_the_words_of_a_notebook(new_context, home):
    started = Try(new_context(360, "dark").new_page(), home)
    show = started.place.get_by_role("button", name="Show the solution")
    started.press("Check")
    started.says("Checked in")
    assert started.output() == natively(SLUG, started.typed())[0]
    assert "then check again" in started.output()
    assert show.is_disabled()
    assert "none yet" in started.attempts()  # nothing was written
    started.type(WRONG)
    started.press("Run")
    started.says("Ran in")
    assert started.output() == "begun\n(array([0.5, 0.5]), array([0.5, 0.5]))\n"
    started.press("Check")
    started.says("with numbers 1.")
    first = started.output()
    started.press("Check")
    started.says("with numbers 2.")
    assert first != started.output() == natively(SLUG, WRONG, 2)[0]
    started.page.get_by_text("Attempts: 2", exact=True).click()
    assert "stay hidden" in started.attempts()
    started.place.get_by_role("button", name="Same numbers").first.click()
    started.says("with numbers 1.")
    assert started.output() == first == natively(SLUG, WRONG)[0]
    assert "if the largest score is not subtracted" in started.output()
    assert "\nHint opens a hint.\nFailing case shows an input that fails." in started.output()
    started.press("Failing case")
    started.says("Ran in")
    assert "expected weights" in started.output()
    started.press("Hint")
    assert started.place.locator("details[open] > summary").first.is_visible()
    show.click()
    assert started.page.locator("details[open] >> text=EXERCISE").count() == 0
    none(grave_violations(started.page))
    none(sideways_scrolling(started.page))
    started.press("Reset")
    assert "NotImplementedError" in started.typed()
    started.page.keyboard.press("Control+z")
    assert started.typed() == WRONG


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import torch", "In the page there are Python and NumPy"),
        ("x = (1,\n\ny = 2", 'File "<your code>", line 1'),
        ("def f():\n    return np.zeros(3)[5]\n\nf()", 'File "<your code>", line 2, in f'),
        ("open('notes.txt')", "no files of yours"),
        ("from urllib.request import urlopen\nurlopen('http://example.org')", "no network"),
        ("from pyodide.http import open_url\nopen_url('https://example.org')", "no network"),
        ("import js\njs.importScripts('https://example.org/a.js')", "no network"),
        ("input('?')", "waits for typed text"),
        ("check = print = np = 3\ndef four_steps(q, k, v):\n    return q", "All 6 fail alike"),
        ("print('x' * 300_000)", "which the page leaves out"),
        ("raise MemoryError", "less memory than a notebook"),
    ],
)
def test_what_cannot_work_says_so_at_the_readers_line(started, source, words):
    said, _ = started.page.evaluate(RUN, [SLUG, source])
    assert words in said
    assert "in_page.py" not in said
    none(started.visit.foreign_requests())


@pytest.mark.parametrize(
    "poison",
    [
        "import builtins\nbuiltins.len = builtins.print = builtins.isinstance = None",
        "import numpy\nnumpy.abs = numpy.isnan = numpy.exp = None",
        "import sys\nsys.modules.clear()",
        "import sys\nsys.stdout = sys.stderr = sys.__stdout__ = None",
    ],
)
def test_what_a_run_spoils_is_whole_in_the_next(started, poison):
    started.page.evaluate(RUN, [SLUG, poison])
    solution = NUMPY[SLUG].solution
    assert started.page.evaluate(RUN, [SLUG, solution]) == list(natively(SLUG, solution))


def test_a_loop_without_end_is_stopped_and_what_was_typed_stays(started):
    started.type("while True:\n    print('again')")
    started.press("Run")
    started.says("Running")
    started.place.locator(".ac-try-output", has_text="the page leaves out").wait_for()
    assert len(started.output()) < 250_000
    started.press("Stop")
    started.says("Stopped")
    assert started.typed().startswith("while True")


def test_python_that_is_stopped_while_it_starts_starts_again(started):
    started.page.evaluate("acPython.stop()")  # Python that may have started before
    started.type("print('begun')")
    started.press("Run")
    started.press("Stop")
    started.says("Stopped")
    started.press("Run")
    started.says("Ran in")
    assert started.output() == "begun\n"


def test_a_page_from_disk_asks_after_ten_seconds_and_ends_after_sixty(page):
    one = Try(page, f"file://{SITE}/")
    one.press("Check")
    one.says("Checked in")
    assert "not written yet" in one.output()
    none(one.visit.foreign_requests())
    one.type("while True:\n    pass")
    page.clock.install()
    for button, words in [("Wait", ""), ("", "It ran out of time")]:
        one.press("Run")
        one.says("Running")
        page.clock.fast_forward(11_000)
        one.says("stop it, or wait?", 5000)
        if button:
            one.press(button)
        page.clock.fast_forward(60_000)
        if words:
            one.says(words, 5000)
        else:
            one.says("Running. Stop ends it.", 5000)
            one.press("Stop")
            one.says("Stopped", 5000)
    assert one.typed() == "while True:\n    pass"


def test_a_damaged_wheel_is_named_and_the_answer_stays(page, home):

    def damage(route):
        content = bytearray(route.fetch().body())
        middle = len(content) // 2
        content[middle : middle + 99] = bytes(99)
        route.fulfill(body=bytes(content))

    page.route("**/*.whl?*", damage)
    one = Try(page, home)
    one.type(WRONG)
    one.press("Run")
    one.says("numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl is damaged")
    assert one.typed() == WRONG


FORBIDDEN = (
    """Object.defineProperty(window, "localStorage", { get() { throw new Error("no"); } })"""
)
FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }"


@pytest.mark.parametrize("storage", [FORBIDDEN, FULL])
def test_where_the_browser_keeps_nothing_the_page_says_so(new_context, home, storage, tmp_path):
    context = new_context()
    context.add_init_script(storage)
    one = Try(context.new_page(), home)
    one.type(WRONG)
    one.says("keeps nothing", 5000)
    assert one.typed() == WRONG
    path, cell = (
        tmp_path / "one.ipynb",
        {"cell_type": "code", "source": "# EXERCISE Four_Steps"},
    )
    path.write_text(json.dumps({"cells": [cell]}), encoding="utf-8")
    one.page.on("dialog", lambda dialog: dialog.accept())
    one.place.locator("input[type=file]").set_input_files(path)
    one.says(f"Answers loaded: {SLUG}. This browser keeps nothing", 5000)
    assert one.typed() == cell["source"]


def test_answers_leave_as_a_notebook_and_come_back(new_context, page, home, tmp_path):
    page.on("dialog", lambda dialog: dialog.accept())
    one = Try(page, home)
    one.type(f"# EXERCISE {SLUG}\n{NUMPY[SLUG].solution}")
    one.press("Check")
    one.says("with numbers 1.")
    told = one.attempts()
    assert "numbers 1: right." in told
    with page.expect_download() as download:
        one.press("Save as a notebook")
    notebook = tmp_path / "answers.ipynb"
    download.value.save_as(notebook)
    answer = one.typed()
    one.type(WRONG)
    marked = '{"cells": [null, 3, {"cell_type": "markdown", "source": "# EXERCISE x"}]}'
    for content in ("{", "null", "\xe9\0", '{"cells": []}', '{"cells": {}}', marked):
        words = "no notebook"
        (tmp_path / "other.ipynb").write_text(content, encoding="utf-8")
        one.place.locator("input[type=file]").set_input_files(tmp_path / "other.ipynb")
        one.says(words, 5000)
        assert one.typed() == WRONG
    one.place.locator("input[type=file]").set_input_files(notebook)
    one.says("Answers loaded", 5000)
    assert one.typed() == answer
    saved = json.loads(notebook.read_text(encoding="utf-8"))
    assert [cell["id"] for cell in saved["cells"]] == ["setup", SLUG, f"{SLUG}-check"]
    other = Try(new_context().new_page(), home)
    for more in ([], [None, 3, {"numbers": "x", "when": 0}]):  # loaded twice, each counts once
        saved["cells"][1]["metadata"]["attempts"] += more
        notebook.write_text(json.dumps(saved), encoding="utf-8")
        other.place.locator("input[type=file]").set_input_files(notebook)
        other.says("Answers loaded", 5000)
        assert other.attempts() == told
