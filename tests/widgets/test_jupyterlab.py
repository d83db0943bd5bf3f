"""In a real JupyterLab: widgets, not run, run and saved, and by keyboard; a chapter's words.

JupyterLab runs with the environment of ``make lab`` in a home of its own, on 127.0.0.1 and
behind a token; it and its kernels end with the tests.
"""

import copy
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from execute_notebooks import ROOT, book_notebooks, store
from normalise import STATE, VIEW, reachable

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not find_spec("jupyterlab"), reason="needs JupyterLab: make thorough"),
]
PATIENCE = 60_000  # milliseconds for a page on a busy machine
CELLS = (
    "from attention_course.widgets import Temperature",
    "Temperature(temperature=10)",
    "import os\nprint('run by', os.getpid())",
)
# Every cell at once, not only those in view, and no question about news.
SETTINGS = {
    "notebook-extension/tracker": {"windowingMode": "none"},
    "apputils-extension/notification": {"fetchNews": "false"},
}


def gathered():
    """One stored widget of each class, with its state, from the book's notebooks."""
    together = nbformat.v4.new_notebook()
    states = {}
    for path in book_notebooks():
        notebook = nbformat.read(path, as_version=4)
        models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                model_id = output.get("data", {}).get(VIEW, {}).get("model_id")
                kind = models.get(model_id, {}).get("state", {}).get("_anywidget_id")
                if kind and kind not in {
                    m["state"].get("_anywidget_id") for m in states.values()
                }:
                    together.cells.append(cell)
                    states |= {key: models[key] for key in reachable(model_id, models)}
    together.metadata = notebook.metadata | {
        "widgets": {STATE: {"version_major": 2, "version_minor": 0, "state": states}}
    }
    return together


class Lab:
    """A running JupyterLab with the notebooks of one folder."""

    def __init__(self, home: Path):
        self.folder, self.token = home / "notebooks", secrets.token_hex(16)
        self.folder.mkdir()
        self.environment = os.environ | {
            "HOME": str(home),
            "IPYTHONDIR": str(home / "ipython"),
            "JUPYTER_CONFIG_DIR": str(home / "config"),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        }
        for name, settings in SETTINGS.items():
            path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True)
            path.write_text(json.dumps(settings))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}"
        port = self.address.rsplit(":", 1)[1]
        options = {
            "ServerApp.ip": "127.0.0.1",
            "ServerApp.port": port,
            "ServerApp.port_retries": "0",
            "ServerApp.root_dir": self.folder,
            "ServerApp.allow_root": "True",
            "ServerApp.open_browser": "False",
            "IdentityProvider.token": self.token,
            "LabApp.extension_manager": "readonly",
        }
        command = [sys.executable, "-m", "jupyter", "lab"]
        command += [f"--{name}={value}" for name, value in options.items()]
        self.log = home / "log"
        with self.log.open("w") as log:
            self.server = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )

    def wait(self):
        """Return when the server answers."""
        until = time.monotonic() + 60
        while time.monotonic() < until and self.server.poll() is None:
            try:
                return self.ask("GET", "status")
            except OSError:
                time.sleep(0.2)
        raise AssertionError(f"JupyterLab did not start:\n{self.log.read_text()}")

    def ask(self, method, what):
        """Ask the server's interface."""
        request = urllib.request.Request(f"{self.address}/api/{what}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def put(self, notebook, *, trusted):
        """Store a notebook in the folder: as if it was run here, or as one from elsewhere."""
        notebook = copy.deepcopy(notebook)
        # Trust is kept for what a notebook says, whatever the file is called.
        notebook.cells.append(nbformat.v4.new_markdown_cell(secrets.token_hex(8)))
        path = self.folder / f"{secrets.token_hex(4)}.ipynb"
        nbformat.write(notebook, path)
        if trusted:
            command = [sys.executable, "-m", "jupyter", "trust", path]
            subprocess.run(command, env=self.environment, check=True, capture_output=True)
        return path

    def open(self, page, name):
        """Open a notebook and wait until its cells and its kernel are there."""
        page.goto(f"{self.address}/lab/tree/{name}?token={self.token}&reset")
        page.wait_for_selector(".jp-Notebook .jp-Cell")
        until = time.monotonic() + PATIENCE / 1000
        while not any(self._connected(session) for session in self.ask("GET", "sessions")):
            assert time.monotonic() < until, "the notebook got no kernel"
            page.wait_for_timeout(200)

    def _connected(self, session):
        kernel = session["kernel"]
        return kernel["connections"] > 0 and kernel["execution_state"] == "idle"

    def end_kernels(self):
        """Shut down every kernel, as a reader does by closing JupyterLab."""
        for session in self.ask("GET", "sessions"):
            self.ask("DELETE", f"sessions/{session['id']}")

    def end(self):
        """Stop the server and its kernels."""
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    lab = Lab(tmp_path_factory.mktemp("lab"))
    try:
        lab.wait()
        yield lab
    finally:
        lab.end()


@pytest.fixture
def page(browser, lab):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(PATIENCE)
    yield context.new_page()
    context.close()
    lab.end_kernels()


@pytest.fixture(scope="module")
def dial(tmp_path_factory):
    """A notebook with one widget, stored as the book's are."""
    path = tmp_path_factory.mktemp("dial") / "dial.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    store(path)
    return nbformat.read(path, as_version=4)


def shown(page):
    """What the places of the widgets say."""
    return page.locator(".jp-OutputArea-output").all_inner_texts()


@pytest.fixture(scope="module")
def book():
    """Every kind of widget of the book in one notebook; all classes are there."""
    notebook = gathered()
    assert len(notebook.cells) >= 10
    return notebook


def test_a_notebook_that_is_trusted_and_not_run_shows_its_widgets(lab, page, book):
    lab.open(page, lab.put(book, trusted=True).name)

    page.wait_for_function(
        "(n) => document.querySelectorAll('.ac-root .ac-readout:not(:empty)').length === n",
        arg=len(book.cells),
    )
    assert not [text for text in shown(page) if "widget" in text and "not found" in text]


def test_a_notebook_from_elsewhere_shows_the_fallback(lab, page, book):
    lab.open(page, lab.put(book, trusted=False).name)

    page.wait_for_function(
        "(n) => [...document.querySelectorAll('.jp-OutputArea-output')].filter((output) =>"
        " output.querySelector('table caption, details > summary, ol > li')).length === n",
        arg=len(book.cells),
    )
    assert page.locator(".ac-root").count() == 0
    assert not [text for text in shown(page) if "not found" in text]


def run_all(page):
    """Run every cell from the menu; return when the last one said who ran it."""
    last = page.locator(".jp-OutputArea-output", has_text="run by")
    before = last.inner_text()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_text("Run All Cells", exact=True).click()
    page.wait_for_function(
        "(before) => [...document.querySelectorAll('.jp-OutputArea-output')].some((output) =>"
        " output.innerText.startsWith('run by') && output.innerText !== before)",
        arg=before,
    )


def test_a_notebook_that_was_run_and_saved_shows_its_widgets_again(lab, page, dial):
    path = lab.put(dial, trusted=True)
    before = path.read_text()
    lab.open(page, path.name)
    run_all(page)
    page.wait_for_selector(".ac-root .ac-readout:not(:empty)")
    page.keyboard.press("Control+s")
    page.wait_for_selector(".lm-TabBar-tab.jp-mod-current:not(.jp-mod-dirty)")
    lab.end_kernels()
    assert path.read_text() != before

    lab.open(page, path.name)
    page.wait_for_selector(".ac-root .ac-readout:not(:empty)")
    assert not [text for text in shown(page) if "not found" in text]


ACTIVE = (
    "[...document.querySelectorAll('.jp-Notebook .jp-Cell')]"
    ".findIndex((cell) => cell.classList.contains('jp-mod-active'))"
)


def test_arrow_keys_move_the_slider_and_not_the_selected_cell(lab, page, dial):
    lab.open(page, lab.put(dial, trusted=True).name)
    slider = page.locator(".ac-root input[type=range]").first
    slider.wait_for()
    slider.focus()
    cell, value = page.evaluate(ACTIVE), int(slider.input_value())

    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)

    assert int(slider.input_value()) == value + 2
    assert page.evaluate(ACTIVE) == cell

    # What the attribute does: without it JupyterLab takes the key for its own.
    slider.evaluate("(slider) => slider.removeAttribute('data-lm-suppress-shortcuts')")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("(cell) => " + ACTIVE + " !== cell", arg=cell)
    assert int(slider.input_value()) == value + 2


def test_a_chapter_reads_as_it_was_meant(lab, page):
    """What ``rules/plain_markdown.py`` calls plain is so: folds, anchors, formulas, sources."""
    chapter = nbformat.read(ROOT / "book/transformer/multi-head.ipynb", as_version=4)
    chapter.cells = [cell for cell in chapter.cells if cell.cell_type == "markdown"]
    source = "\n".join(cell.source for cell in chapter.cells)
    lab.open(page, lab.put(chapter, trusted=False).name)
    page.wait_for_function(
        "(n) => document.querySelectorAll('.jp-RenderedMarkdown details').length === n",
        arg=source.count("<details>"),
    )
    assert page.locator(".jp-RenderedMarkdown details[open]").count() == 0

    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    page.wait_for_selector(".jp-RenderedMarkdown details mjx-container")
    said = "\n".join(page.locator(".jp-RenderedMarkdown").all_inner_texts())
    assert "Vaswani et al. (2017)" in said
    assert not re.findall(r"<\w+|:::|\{[\w:]+\}|\]\(|^\(.*\)=$|\$\S", said, re.M)

    page.get_by_role("link", name="exercise 6").click()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.jp-RenderedMarkdown p')].some((p) =>"
        " p.innerText.includes('A row for each number of heads (read')"
        " && Math.abs(p.getBoundingClientRect().top - 120) < 120)"
    )
