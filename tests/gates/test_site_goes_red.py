"""The strict build of the site fails on a page with one defect.

A book of two small pages is built with the course's own configuration, a defect at a time.
"""

import re
import shutil

import nbformat
import pytest
from gate_tools import run, tool
from normalise import KERNELSPEC, LANGUAGE
from rules.notebooks import ROOT

pytestmark = pytest.mark.thorough

TOC = "format: jb-book\nroot: book/index\nchapters:\n  - file: book/page\n"
PAPER = "https://arxiv.org/abs/1706.03762"
PAGE = (
    '# A page\n\n<a id="here"></a>\n## A section\n\n'
    f"See [the section](#here) and [A (2017)]({PAPER}), or read on ([A, 2017]({PAPER})).\n\n"
    '<a id="dead-query"></a>\n**dead query**: one that learns nothing.\n'
)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """A small sound book with the course's configuration."""
    home = tmp_path_factory.mktemp("book")
    shutil.copy(ROOT / "_config.yml", home)
    (home / "_toc.yml").write_text(TOC)
    (home / "book").mkdir()
    (home / "book/references.bib").write_text(
        "@misc{vaswani2017, title={T}, author={A}, year={2017}, eprint={1706.03762},"
        " archiveprefix={arXiv}}\n"
    )
    _sound(home)
    return home


def _sound(home):
    (home / "book/page.md").write_text(PAGE + "\n```{bibliography}\n:all:\n```\n")
    _notebook(home, [])


def _notebook(home, outputs):
    cell = nbformat.v4.new_code_cell("1", id="one", outputs=outputs, execution_count=1)
    text = "# The book\n\n[A section](page.md#here) and [another page](page.md)"
    title = nbformat.v4.new_markdown_cell(text, id="title")
    metadata = {"kernelspec": KERNELSPEC, "language_info": LANGUAGE}
    notebook = nbformat.v4.new_notebook(cells=[title, cell], metadata=metadata)
    nbformat.write(notebook, home / "book/index.ipynb")


def _build(home):
    shutil.rmtree(home / "_build", ignore_errors=True)
    options = ["--path-output", ".", "-n", "-W", "--keep-going", "-q"]
    return run(tool("jupyter-book"), "build", ".", *options, cwd=home)


def _shows(**data):
    return lambda home: _notebook(home, [nbformat.v4.new_output("display_data", data=data)])


_mime = _shows(**{"application/x-unheard-of": "1"})
_mute = _shows(**{"application/vnd.plotly.v1+json": {"data": []}})
_gone = _shows(**{"application/vnd.jupyter.widget-view+json": {"model_id": "gone"}})


def _say(text):
    return lambda home: (home / "book/page.md").write_text(PAGE + text)


_bad_formula = _say("\n$\\frac{1}$\n")
_lost_link = _say("\nSee [nothing](#nowhere).\n")
_lost_anchor = _say("\nSee [the book](index.ipynb#nowhere).\n")
_lost_source = _say("\nSee [Nobody (1999)](https://example.org/nobody).\n")
_wrong_year = _say(f"\nSee [A (2018)]({PAPER}).\n")


def test_the_sound_book_builds(book):
    _sound(book)
    done = _build(book)
    assert done.returncode == 0, done.stdout
    page = (book / "_build/html/book/page.html").read_text()
    assert '<span id="here"></span>' in page
    assert re.findall(r'href="(#vaswani2017)"[^>]*>(.*?)</a>', page) == [
        ("#vaswani2017", "A (2017)"),
        ("#vaswani2017", "A, 2017"),
    ]
    search = (book / "_build/html/searchindex.js").read_text()
    assert '"dead query":[[1,"dead-query",true]]' in search
    door = (book / "_build/html/book/index.html").read_text()
    assert 'href="page.html#here"' in door


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        pytest.param(_mime, "unknown output mime type", marks=pytest.mark.gate(
            "site: every output can be shown", "an unknown MIME type")),
        pytest.param(_mute, "figure must have its sentence", marks=pytest.mark.gate(
            "site: figures have their sentence", "a figure without one")),
        pytest.param(_gone, "no such widget", marks=pytest.mark.gate(
            "site: widgets are stored", "a widget that its notebook does not hold")),
        pytest.param(_bad_formula, "latex must be what KaTeX knows", marks=pytest.mark.gate(
            "site: formulas can be set", "half a fraction")),
        pytest.param(_lost_link, "target not found", marks=pytest.mark.gate(
            "site: references lead somewhere", "a link to a label that does not exist")),
        pytest.param(_lost_anchor, "local id not found", marks=pytest.mark.gate(
            "site: links between pages lead somewhere", "an anchor that no page has")),
        pytest.param(_lost_source, "no source in the bibliography", marks=pytest.mark.gate(
            "site: sources are in the bibliography", "an unknown source")),
        pytest.param(_wrong_year, "expected A (2017) or A, 2017", marks=pytest.mark.gate(
            "site: citations name author and year", "another year")),
    ],
)  # fmt: skip
def test_the_build_fails(book, break_it, words):
    _sound(book)
    break_it(book)
    done = _build(book)
    assert done.returncode != 0
    assert words in done.stdout


@pytest.mark.gate(
    "site: every page is in the contents", "a page named in _toc.yml and not there"
)
def test_a_page_that_is_not_there_fails_the_build(book):
    _sound(book)
    (book / "_toc.yml").write_text(TOC + "  - file: book/lost\n")
    done = _build(book)
    (book / "_toc.yml").write_text(TOC)
    assert done.returncode != 0
    assert "book/lost" in done.stdout
