"""A small site is built and its pages are read: what they load, say and warn of."""

import json
import re

import nbformat
import pytest
from bs4 import BeautifulSoup
from small_book import PLOTLY, VIEW, built, notebook_of

pytestmark = pytest.mark.thorough

STATE = "application/vnd.jupyter.widget-state+json"
CONFIG = """
title: A small book
author: Nobody
only_build_toc_files: true
execute: {{execute_notebooks: "off"}}
parse: {{myst_enable_extensions: [amsmath, colon_fence, dollarmath]}}
repository: {{url: "{url}", branch: v1}}
html: {{baseurl: "{site}"}}
launch_buttons: {{colab_url: "https://colab.research.google.com"}}
sphinx: {{extra_extensions: [attention_course.site]}}
"""
TEXT = r"""# Page

Inline $\mathbf{q}^\top\mathbf{k}$.

$$ \alpha_{ij} = 1 $$ (eq-one)

See {eq}`eq-one`.

## A section
"""


class Page:
    """What a page loads and where it points."""

    def __init__(self, text):
        page = BeautifulSoup(text, "lxml")
        shown = page.select("script[src], img[src], iframe[src], source[src]")
        links = page.select("link:not([rel=next], [rel=prev], [rel=index], [rel=search])")
        self.text = text
        self.loaded = [*(one["src"] for one in shown), *(one["href"] for one in links)]
        self.links = [one.get("href", "") for one in page.select("a")]


def output(**data):
    return nbformat.v4.new_output("display_data", data)


def notebook(*outputs, text=TEXT, state=None):
    cells = [nbformat.v4.new_markdown_cell(text, id="text")]
    for number, made in enumerate(outputs):
        cell = nbformat.v4.new_code_cell("1", id=f"c{number}", execution_count=1)
        cell.outputs = [made]
        cells.append(cell)
    made = notebook_of(cells)
    if state:
        made.metadata["widgets"] = {STATE: {"version_major": 2, "state": state}}
    return made


def build(folder, made, url="https://github.com/-set-owner-/x", site=""):
    source = folder / "source"
    (source / "book").mkdir(parents=True)
    (source / "_config.yml").write_text(CONFIG.format(url=url, site=site), "utf-8")
    (source / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\n"
        "chapters: [{file: book/page}, {file: book/before-you-start}]\n",
        "utf-8",
    )
    (source / "book" / "index.md").write_text("# Start\n\nText.\n", "utf-8")
    (source / "book" / "before-you-start.md").write_text("# Before\n\n(report)=\n## Report\n")
    nbformat.write(made, source / "book" / "page.ipynb")
    book = built(folder)
    page = book.html / "book" / "page.html"
    book.page = Page(page.read_text("utf-8")) if page.is_file() else None
    return book


def widget(number):
    state = {"_esm": "export default {}", "fallback": f"<p>Widget {number}.</p>", "n": number}
    return {"model_name": "AnyModel", "model_module": "anywidget", "state": state}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    figure = {"data": [{"y": [1, 2]}], "layout": {"meta": {"alt": "Two points."}}}
    made = notebook(
        output(**{PLOTLY: figure, "text/plain": "Figure"}),
        output(**{VIEW: {"model_id": "a"}, "text/plain": "Lab()"}),
        output(**{VIEW: {"model_id": "b"}, "text/plain": "Lab()"}),
        state={"a": widget(1), "b": widget(2)},
    )
    setup = nbformat.v4.new_code_cell("import this", id="s", execution_count=1)
    setup.metadata["tags"] = ["setup"]
    made.cells.insert(1, setup)
    return build(tmp_path_factory.mktemp("site"), made)


def test_the_strict_build_succeeds(site):
    assert site.code == 0, site.log


def test_no_page_loads_anything_from_elsewhere_or_anything_missing(site):
    pages = [p for p in site.html.rglob("*.html") if "_static" not in p.parts]

    assert len(pages) >= 5
    for file in pages:
        for address in Page(file.read_text("utf-8")).loaded:
            assert not re.match(r"(https?:)?//", address), (file.name, address)
            if not address.startswith("data:"):
                assert (file.parent / address.split("?")[0]).is_file(), (file.name, address)


def test_neither_thebe_nor_mathjax_nor_a_loader_is_on_the_page(site):
    scripts = " ".join(site.page.loaded) + " ".join(
        re.findall(r"<script[^>]*>(.*?)</script>", site.page.text, re.DOTALL)
    )

    for name in ("thebe", "mathjax", "require", "unpkg", "fontawesome"):
        assert name not in scripts.lower()


def test_formulas_are_set_and_numbered(site):
    assert site.page.text.count('class="katex"') >= 2
    assert 'class="enclosing ac-query"' in site.page.text
    assert '<span class="eqno">(1)' in site.page.text
    assert 'href="#equation-eq-one"' in site.page.text
    assert ".katex" in (site.html / "_static/course/site.css").read_text("utf-8")


def test_the_figure_stands_there_with_its_sentence_and_its_script(site):
    assert 'role="img" aria-label="Two points."' in site.page.text
    assert any("figures.js" in address for address in site.page.loaded)
    plotly = re.search(r'data-plotly="(.*?)"', site.page.text).group(1)
    assert (site.html / "book" / plotly).is_file()


def test_every_widget_has_its_place_and_the_state_stands_at_the_end(site):
    text = site.page.text

    assert "<p>Widget 1.</p>" in text
    assert "<p>Widget 2.</p>" in text
    body = re.search(rf'<script type="{re.escape(STATE)}">(.*?)</script>', text).group(1)
    assert json.loads(body)["state"]["b"]["state"] == {"_esm": {"same_as": "a"}, "n": 2}
    assert text.index('data-model-id="b"') < text.index(STATE)
    assert any("widget-host.js" in address for address in site.page.loaded)


def test_the_set_up_cell_is_left_to_the_notebook_and_the_others_are_open(site):
    assert "import this" not in re.sub(r"<[^>]*>", "", site.page.text)
    assert '<details class="hide above-input">' not in site.page.text
    assert any(link.endswith(".ipynb") for link in site.page.links)


def test_a_page_without_live_parts_loads_none_of_their_scripts(site):
    plain = Page((site.html / "book" / "index.html").read_text("utf-8"))

    for name in (
        "figures.js",
        "widget-host.js",
        "plotly",
        "toggle",
        "tabs",
        "search",
        "design",
    ):
        assert not any(name in address for address in plain.loaded)


def test_while_nobody_owns_the_repository_no_link_leads_there(site):
    assert "before-you-start.html#report" in site.page.links
    assert not any("-set-owner-" in link or "colab" in link for link in site.page.links)


def test_every_page_says_the_licences_and_shows_its_sections(site):
    assert "Text and figures: CC BY 4.0. Code: BSD-3-Clause." in site.page.text
    assert 'class="ac-here"' in site.page.text
    assert "#a-section" in site.page.links


def test_without_an_address_a_page_says_only_what_needs_none(site):
    door = (site.html / "index.html").read_text("utf-8")
    for text in (site.page.text, door):
        assert '<meta name="twitter:card" content="summary">' in text
    assert '<meta property="og:title" content="Page">' in site.page.text
    assert '<meta property="og:title" content="Start">' in door
    assert '<meta property="og:description" content="Text.">' in door
    for said in ('rel="canonical"', "og:url", "og:image"):
        assert said not in site.page.text + door
    assert not (site.html / "sitemap.xml").exists()


def test_with_an_owner_and_an_address_the_page_launches_reports_and_says_them(tmp_path):
    owner, address = "https://github.com/someone/x", "https://someone.github.io/x/"
    site = build(tmp_path, notebook(), url=owner, site=address)

    assert site.code == 0, site.log
    page = f"{address}book/page.html"
    assert f'<link rel="canonical" href="{page}" />' in site.page.text
    assert f'<meta property="og:url" content="{page}">' in site.page.text
    (picture,) = re.findall(r'property="og:image" content="(.*?)"', site.page.text)
    assert (site.html / picture.removeprefix(address)).is_file()
    assert f"<loc>{page}</loc>" in (site.html / "sitemap.xml").read_text("utf-8")
    missing = (site.html / "404.html").read_text("utf-8")
    assert missing.index('<base href="/x/">') < missing.index("<link")
    assert f"{address}404" not in missing
    assert any(
        link.startswith("https://github.com/someone/x/issues/new?title=book%2Fpage")
        for link in site.page.links
    )
    assert (
        "https://colab.research.google.com/github/someone/x/blob/v1/book/page.ipynb"
        in site.page.links
    )


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    error = nbformat.v4.new_output(
        "error", ename="KeyError", evalue="3", traceback=["KeyError"]
    )
    made = notebook(
        output(**{"application/x-unheard-of": "1"}),
        error,
        output(**{PLOTLY: {"data": []}}),
        output(**{VIEW: {"model_id": "gone"}}),
        text="# Page\n\n$\\frac{1}$\n",
    )
    return build(tmp_path_factory.mktemp("faulty"), made)


@pytest.mark.parametrize(
    "said",
    [
        "unknown output mime type: application/x-unheard-of",
        "cell 3 raised KeyError: 3",
        "set_formula: latex must be what KaTeX knows",
        "figure must have its sentence",
        "no such widget",
    ],
)
def test_what_must_not_be_published_turns_the_build_red(faulty, said):
    assert faulty.code != 0
    assert len(faulty.warnings) == 5
    assert sum(said in line for line in faulty.warnings) == 1
