"""A book of a few small notebooks, built strictly with the course's extension."""

import subprocess
import sys
from types import SimpleNamespace

import nbformat

PLOTLY = "application/vnd.plotly.v1+json"
FIGURE = {PLOTLY: {"data": [{"y": [1, 2]}], "layout": {"meta": {"alt": "Two points."}}}}
CONFIG = """
title: A small book
author: Nobody
only_build_toc_files: true
execute: {execute_notebooks: "off"}
parse: {myst_enable_extensions: [amsmath, colon_fence, dollarmath]}
sphinx: {extra_extensions: [attention_course.site], config: {language: en-GB}}
"""


def text(source, *tags, **metadata):
    """A Markdown cell."""
    cell = nbformat.v4.new_markdown_cell(source)
    return _tagged(cell, tags, metadata)


def code(source="1", *tags, shows=(), **metadata):
    """A code cell with its outputs, each a MIME bundle."""
    cell = nbformat.v4.new_code_cell(source, execution_count=1)
    cell.outputs = [nbformat.v4.new_output("display_data", data) for data in shows]
    return _tagged(cell, tags, metadata)


def _tagged(cell, tags, metadata):
    cell.metadata.update(metadata)
    if tags:
        cell.metadata["tags"] = list(tags)
    return cell


def build(folder, pages, files=None):
    """Build notebooks (name to cells; ``index`` is the root) and return the result."""
    source = folder / "source"
    (source / "book").mkdir(parents=True, exist_ok=True)
    (source / "_config.yml").write_text(CONFIG, "utf-8")
    chapters = ", ".join(f"{{file: book/{name}}}" for name in pages if name != "index")
    toc = f"format: jb-book\nroot: book/index\nchapters: [{chapters}]\n"
    (source / "_toc.yml").write_text(toc, "utf-8")
    for name, cells in pages.items():
        for number, cell in enumerate(cells):
            cell.id = f"c{number}"
        made = nbformat.v4.new_notebook(cells=cells)
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        made.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
        nbformat.write(made, source / "book" / f"{name}.ipynb")
    for name, content in (files or {}).items():
        (source / name).write_text(content, "utf-8")
    html = folder / "_build" / "html"
    arguments = ["build", "-n", "-W", "--keep-going", "--path-output", str(folder), str(source)]
    start = "import sys; from jupyter_book.cli.main import main; sys.argv[0] = 'jb'; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=source,
    )
    log = done.stdout + done.stderr
    return SimpleNamespace(
        code=done.returncode,
        log=log,
        warnings=[line for line in log.splitlines() if "WARNING" in line or "ERROR" in line],
        html=html,
        page=lambda name: (html / "book" / f"{name}.html").read_text("utf-8"),
    )
