"""Nothing of a private folder, nor of an assignment's sources, gets into the site.

A small book is built with the course's own configuration, once as it is and once without the
lines that keep those folders out. Unique words stand in every place that Sphinx could read.
"""

import shutil

import nbformat
import pytest
import yaml
from gate_tools import run, tool
from rules.notebooks import ROOT

TOC = "format: jb-book\nroot: book/index\n"
WORDS = {
    "private/own/assignment.toml": "quagga",
    "private/own/introduction.md": "okapizebra",
    "private/own/secret": "tarsierlemur",
    "private/own/example_exercise.py": "ocelotmargay",
    "private/own/solutions/own-solutions.ipynb": "axolotlnewt",
    "assignments/own/own-solutions.ipynb": "pangolinskunk",
    "assignments/own/introduction.md": "narwhaltusk",
}
IN_BOOK = "capybaratail"


@pytest.fixture
def site(tmp_path):
    """A small course with a teacher's folders beside the book."""
    (tmp_path / "src/attention_course").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC)
    (tmp_path / "book").mkdir()
    (tmp_path / "book/references.bib").write_text("")
    (tmp_path / "book/index.md").write_text(f"# The book\n\nA {IN_BOOK} stands here.\n")
    for name, word in WORDS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        page = f"# A page\n\nA {word} stands here.\n"
        if path.suffix == ".ipynb":
            cells = [nbformat.v4.new_markdown_cell(page)]
            nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
        else:
            path.write_text(page)
    return tmp_path


def _build(home, **changes):
    """Build with the course's configuration, of which some keys are changed; find the words."""
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))
    (home / "_config.yml").write_text(yaml.safe_dump(config | changes))
    options = ["--path-output", ".", "-n", "-q"]
    done = run(tool("jupyter-book"), "build", ".", *options, cwd=home)
    assert done.returncode == 0, done.stdout
    found = set()
    for path in filter(lambda built: built.is_file(), (home / "_build").rglob("*")):
        text = path.read_bytes().decode(errors="ignore").lower() + path.name
        found |= {word for word in (*WORDS.values(), IN_BOOK) if word in text}
    return found


@pytest.mark.gate(
    "site: private folders stay out",
    "a configuration that builds every file and excludes no private folder",
)
def test_a_configuration_that_lets_them_in_is_seen(site):
    patterns = yaml.safe_load((ROOT / "_config.yml").read_text())["exclude_patterns"]
    assert {"private", "assignments"} <= set(patterns)
    every = {"only_build_toc_files": False}
    assert _build(site, **every) == {IN_BOOK}
    open_ = [name for name in patterns if name not in ("private", "assignments")]
    shutil.rmtree(site / "_build")
    found = _build(site, exclude_patterns=open_, **every)
    pages = {word for name, word in WORDS.items() if name.endswith((".md", ".ipynb"))}
    assert found == pages | {IN_BOOK}
