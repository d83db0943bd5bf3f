"""The built API reference: complete, out of the search, and every link arrives."""

import ast
import json
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from rules.source import ROOT

pytestmark = pytest.mark.site
SITE = ROOT / "_build" / "html"
REFERENCE = "book/api/"


class Page:
    """The places and links of a page."""

    def __init__(self, text: str):
        self.ids = {unescape(name) for name in re.findall(r'<[^>]*\bid="([^"]+)"', text)}
        links = re.findall(r"<a\b[^>]*>", text)
        of = [{k: unescape(v) for k, v in re.findall(r'(\w+)="([^"]*)"', a)} for a in links]
        self.links = [(a.get("class", ""), a["href"]) for a in of if a.get("href")]


def astray(address: str, page: Page, pages: dict[str, Page], kinds: str = "") -> list[str]:
    """The links of a page, as addressed in the site, that lead nowhere inside the site.

    ``kinds`` limits them to links of a class.
    """
    found = []
    for kind, href in page.links:
        target = urlsplit(urljoin(address, href))
        there = unquote(target.path)
        if kinds not in kind or target.scheme or not there.endswith(".html"):
            continue
        aimed = pages.get(there)
        if aimed is None or (target.fragment and unquote(target.fragment) not in aimed.ids):
            found.append(f"{address}: {href}")
    return found


def imported_names(notebook: Path) -> set[str]:
    """The course names that a notebook imports and its open code uses."""
    imported, used = set(), set()
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        tags = " ".join(cell["metadata"].get("tags", []))
        if cell["cell_type"] == "code" and "setup" not in tags:
            code = re.sub(r"^(\s*)[%!].*", r"\1pass", "".join(cell["source"]), flags=re.M)
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom):
                    names = {alias.name for alias in node.names if not alias.asname}
                    ours = str(node.module).startswith("attention_course")
                    imported = imported | names if ours else imported - names
                elif isinstance(node, ast.FunctionDef):  # an exercise's own
                    imported.discard(node.name)
                elif isinstance(node, ast.Name) and not re.search("hide-input|remove", tags):
                    used.add(node.id)
    return imported & used


@pytest.fixture(scope="module")
def texts():
    if not (SITE / "book" / "api.html").is_file():
        pytest.fail("the site is not built: run make site")
    files = [f for f in SITE.rglob("*.html") if "_static" not in f.parts]
    return {f.relative_to(SITE).as_posix(): f.read_text(encoding="utf-8") for f in files}


@pytest.fixture(scope="module")
def pages(texts):
    return {name: Page(text) for name, text in texts.items()}


@pytest.fixture(scope="module")
def modules(pages):
    """The pages of modules, by the module's path."""
    return {
        name.removeprefix(REFERENCE).removesuffix(".html"): page
        for name, page in pages.items()
        if name.startswith(REFERENCE)
    }


@pytest.fixture(scope="module")
def chapters():
    return sorted((ROOT / "book").rglob("*.ipynb"))


def test_every_public_definition_stands_on_the_page_of_its_module(modules):
    for part, name in (("layers/attention", "Attention.forward"), ("widgets", "Temperature")):
        assert name in modules[part].ids
    assert sum(len(page.ids) for page in modules.values()) >= 2000


def test_definitions_say_which_chapter_has_them(texts):
    softmax = texts[f"{REFERENCE}reference/softmax.html"]
    assert 'Taught in <a href="../../why/attention-by-hand.html">' in softmax
    found = [re.findall(r"(Taught|Used) in <a", text) for text in texts.values()]
    assert sum(map(len, found)) >= 500


def test_a_definition_says_its_signature_its_shapes_its_errors_and_its_source(texts):
    page = texts[f"{REFERENCE}reference/attention.html"]
    seen = unescape(re.sub(r"<[^>]+>", "", page))
    assert (
        'def scaled_dot_product_attention(\n    q: Float[np.ndarray, "*batch q d_k"],' in seen
    )
    translator = unescape(texts[f"{REFERENCE}assembled/translator.html"])
    assert re.search(r"ValueError</\w+>.*?– if a word is unknown", translator, re.DOTALL)
    assert "Vaswani et al. (2017), equation 1." in seen
    assert 'class="enclosing ac-query"' in page
    assert '<a class="ac-name" href="softmax.html#softmax">softmax</a>' in page  # in the source


def test_every_link_in_code_in_the_reference_and_on_an_exercises_page_arrives(pages):
    found, looked = [], 0
    for name, page in pages.items():
        kinds = "" if name.startswith((REFERENCE, "book/exercises/")) else "ac-name"
        found += astray(name, page, pages, kinds)
        looked += sum(kinds in kind for kind, _ in page.links)
    assert found == []
    assert looked >= 9590


def test_every_name_that_a_chapter_imports_is_a_link_on_it(texts, chapters):
    found, looked = [], 0
    for notebook in chapters:
        page = notebook.relative_to(ROOT).with_suffix(".html").as_posix()
        linked = set(re.findall(r'<a class="ac-name"[^>]*>(\w+)</a>', texts[page]))
        names = imported_names(notebook)
        found += [f"{page}: {name}" for name in sorted(names - linked)]
        looked += len(names)
    assert found == []
    assert looked >= 140


def test_the_search_of_the_book_does_not_hold_the_reference():
    index = (SITE / "searchindex.js").read_text(encoding="utf-8")
    held = json.loads(index.removeprefix("Search.setIndex(").removesuffix(")"))
    assert "book/index" in held["docnames"]
    assert [name for name in held["docnames"] if name.startswith("book/api")] == []
