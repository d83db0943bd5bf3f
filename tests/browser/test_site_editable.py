"""Chapter code that is edited and run in the page: its results change, and come back."""

import json
import re

import nbformat
import pytest
from built_site import SITE
from editing import START_MS, Editor
from page_gates import Visit, compressed, grave_violations, none, sideways_scrolling
from playwright.sync_api import expect
from rules.notebooks import ROOT, compared
from stored_text import differs, stored

from attention_course.site.editable import chapter_code

pytestmark = pytest.mark.browser
NAME = "book/why/attention-by-hand"
SOFTMAX, FORMATS, SCORES = "17ae9fe5", "0dbb9450", "2985eb33"
BOOK = {
    str(path.relative_to(ROOT).with_suffix("")): chapter_code(nbformat.read(path, 4))
    for path in sorted((ROOT / "book").glob("*/*.ipynb"))
}
FEW = ("book/recurrent/score-functions", "book/transformer/positions", "book/scale/numerics")
FEWER_LINES = {"34ecbb23", "a6e8c8b9"}  # the last needs torch, or a record
# Runs cells of a chapter, as the page has it, unedited, and gives what each prints.
RUN = """async ([chapter, ids]) => {
  const heard = {};
  for (const at of ids) {
    heard[at] = "";
    await acPython.run({ chapter, at, edits: "{}", say: (more) => (heard[at] += more),
      progress() {}, began() {} });
  }
  return heard;
}"""


class Cell(Editor):
    """One cell on one page, opened."""

    def __init__(self, page, cell=SOFTMAX):
        page.evaluate("for (const e of document.querySelectorAll('details')) e.open = true")
        page.locator(f"#cell-{cell} .ac-edit-open button").click()
        super().__init__(page.locator(f"#cell-{cell} .ac-try-here"))

    def replace(self, find, put):
        assert find in self.typed()
        self.type(self.typed().replace(find, put))


def changed(page, cell):
    return page.locator(f"#cell-{cell} .ac-changed")


@pytest.fixture(scope="module")
def started(browser, home):
    """The chapter's softmax on a page from a server, opened and run, with what it took."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme="dark")
    page = context.new_page()
    visit = Visit(page, home)
    page.goto(f"{home}{NAME}.html", wait_until="networkidle")
    before = visit.own_files()
    one = Cell(page)
    one.visit, one.before, one.opened = visit, before, visit.own_files() - before
    one.press("Run")
    one.says("Ran in")
    yield one
    context.close()


@pytest.fixture
def softmax(started):
    """The same, as the chapter has it."""
    code = next(cell["code"] for cell in BOOK[NAME] if cell["id"] == SOFTMAX)
    started.type(code)
    return started


def test_every_tagged_cell_has_its_button_and_its_code_beside_the_page():
    for name, code in BOOK.items():
        page = (SITE / f"{name}.html").read_text(encoding="utf-8")
        marked = re.findall(r'<div class="[^"]*\bac-edit\b[^"]*" id="cell-(\w+)"', page)
        assert {*marked} == {cell["id"] for cell in code if cell["edit"]}
        if marked:
            script = (SITE / f"_static/course/cells/{name}.js").read_text(encoding="utf-8")
            assert json.loads(script.split(" = ", 1)[1].rstrip(";\n"))["cells"] == code


def test_nothing_of_it_is_loaded_before_the_click_but_a_small_script(started):
    assert not [name for name in started.before if "/cells/" in name or "/python" in name]
    assert f"_static/course/cells/{NAME}.js" in started.opened
    assert compressed((SITE / "_static/course/editable.js").read_bytes()) < 3000
    none(started.visit.foreign_requests())
    none(started.visit.console)
    none(started.visit.missing)


def test_an_edited_definition_changes_the_examples_and_reset_brings_them_back(softmax):
    page = softmax.page
    softmax.replace("exps = np.exp(x - top)", "exps = np.exp((x - top) / 2)")
    softmax.press("Run")
    softmax.says("2 other printed results on this page change: 1, 2.")
    expect(changed(page, FORMATS)).to_contain_text("Changed. With your edits this prints:")
    expect(changed(page, FORMATS)).to_contain_text("smallest 1.7e-10")
    stored = page.locator(f"#cell-{FORMATS} .output.stream")
    expect(stored).to_contain_text("smallest 2.9e-20")
    assert softmax.place.locator(".ac-try-status a").first.get_attribute("href") == (
        f"#cell-{FORMATS}"
    )
    none(grave_violations(page))
    none(sideways_scrolling(page))
    softmax.press("Reset")
    softmax.says("Ran in")
    assert page.locator(".ac-changed").count() == 0
    assert "exps = np.exp(x - top)" in softmax.typed()
    page.keyboard.press("Control+z")
    assert "/ 2)" in softmax.typed()


def test_an_error_names_its_line_and_the_edit_stays(softmax):
    softmax.replace("top = x.max(axis=axis, keepdims=True)", "top = x.nothing")
    lines = softmax.typed().split("\n")
    at = next(n for n, line in enumerate(lines, start=1) if "x.nothing" in line)
    softmax.press("Run")
    softmax.says("Ran in")
    expect(changed(softmax.page, FORMATS)).to_contain_text(f'"<your code>", line {at}, in soft')
    softmax.replace("def softmax(", "def softmax((")
    softmax.press("Run")
    softmax.says("It stopped at an error")
    assert 'File "<your code>", line 2' in softmax.output()
    assert softmax.page.locator(".ac-changed").count() == 0


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FEW else pytest.mark.thorough) for n in BOOK]
)
def test_an_unedited_example_prints_in_the_page_what_is_stored(started, name):
    offered = {cell["id"] for cell in BOOK[name] if cell["edit"]} - FEWER_LINES
    notebook = nbformat.read(ROOT / f"{name}.ipynb", 4)
    cells = [c for c in notebook.cells if c.id in offered and compared(c) and stored(c)]
    script = (SITE / f"_static/course/cells/{name}.js").read_text(encoding="utf-8")
    ids = [cell.id for cell in (cells[::4] if name in FEW else cells)]
    heard = started.page.evaluate(RUN, [script.split(" = ", 1)[1].rstrip(";\n"), ids])
    assert heard.keys() == {*ids}
    none(
        [f"{c.id}: {line}" for c in cells if c.id in ids and (line := differs(c, heard[c.id]))]
    )


def test_a_cell_has_the_seconds_that_it_asks_for_and_is_told_from_the_stored_meanwhile(page):
    page.goto(f"file://{SITE}/{NAME}.html")
    one = Cell(page, SCORES)
    one.type("import time\nseconds=300\nwhile True:\n    print('mine')\n    time.sleep(1)")
    page.clock.install()
    one.press("Run")
    one.says("Running")
    expect(page.locator(f"#cell-{SCORES} .ac-as-stored")).to_be_visible()
    page.clock.fast_forward(11_000)
    one.says("Without an answer it ends after 320.", 5000)
    page.clock.fast_forward(61_000)
    one.press("Stop")
    one.says("Stopped.", 5000)


def test_from_disk_with_the_keyboard_and_kept_for_the_next_visit(page):
    visit = Visit(page, f"file://{SITE}/")
    page.goto(f"file://{SITE}/{NAME}.html")
    page.locator(f"#cell-{SCORES} .ac-edit-open button").focus()
    page.keyboard.press("Enter")
    page.locator(f"#cell-{SCORES} .cm-focused").wait_for()
    page.keyboard.press("Control+Home")
    page.keyboard.type("query = 2 * query\n")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    page.keyboard.press("Enter")
    place = page.locator(f"#cell-{SCORES} .ac-try-here")
    place.locator(".ac-try-status", has_text="printed results on this page change").wait_for(
        timeout=START_MS
    )
    assert "big 30  animal 120" in place.locator(".ac-try-output").text_content()
    expect(place.locator("xpath=..").locator(".ac-as-stored")).to_be_visible()
    none(visit.foreign_requests())
    again = page.locator(f"#cell-{SCORES} .ac-edit-open button")
    for _ in range(4):  # a page from disk at times gets an old view of what Chromium keeps
        page.reload()
        if again.text_content() == "Go on with your edit":
            break
    else:
        pytest.fail("after four visits the edit is gone")
    again.click()
    assert Cell(page, "64685582").typed().startswith("words = ")
    expect(page.locator(f"#cell-{SCORES} .cm-content")).to_contain_text("query = 2 * query")


def test_what_needs_torch_says_so_and_leads_to_what_runs(page, home):
    page.goto(f"{home}book/transformer/positions.html")
    said = page.locator(".tag_needs-torch .ac-edit-open").first
    assert "This needs torch" in said.text_content()
    assert said.locator("a[download]").get_attribute("href").endswith("positions.ipynb")
    assert said.locator("button").count() == 0
