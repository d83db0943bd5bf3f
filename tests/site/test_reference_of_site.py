"""The built API reference: complete, out of the search, and every link arrives."""

import json
import re

import pytest
from reference_gates import ROOT, Page, astray, imported_names, missing, public_definitions

pytestmark = pytest.mark.site

SITE = ROOT / "_build" / "html"
REFERENCE = "book/api/"


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
    definitions = public_definitions()
    assert missing(definitions, modules) == []
    assert len(definitions) >= 750


@pytest.mark.gate("API reference: every public definition", "one that its page lacks")
def test_a_definition_that_its_page_lacks_is_named(modules):
    name = ("layers/attention", "Attention.forward")
    seeded = modules | {"layers/attention": Page('<i id="Attention"></i>')}
    assert missing({name}, modules) == []
    assert missing({name}, seeded) == ["layers/attention: Attention.forward"]


def test_definitions_say_which_chapter_has_them(texts):
    softmax = texts[f"{REFERENCE}reference/softmax.html"]
    assert 'Taught in <a href="../../why/attention-by-hand.html">' in softmax
    found = [re.findall(r"(Taught|Used) in <a", text) for text in texts.values()]
    assert sum(map(len, found)) >= 500


def test_a_definition_says_its_signature_its_shapes_its_errors_and_its_source(texts):
    page = texts[f"{REFERENCE}reference/attention.html"]
    assert (
        "<code>scaled_dot_product_attention(q, k, v, mask=None, *, scale=None)</code>" in page
    )
    assert '<code>q</code> <code class="ac-type">Float[*batch q d_k]</code></dt><dd>que' in page
    assert "<code>ValueError</code> if the shapes do not fit" in page
    assert "Vaswani et al. (2017), equation 1." in page
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


@pytest.mark.gate(
    "API reference: links arrive", "a name that is on no page, and a missing page"
)
def test_a_link_that_leads_nowhere_is_named(pages):
    chapter = "book/transformer/scaling.html"
    links = ("../api/layers/attention.html#Attentoin", "../api/layers/gone.html", "#nowhere")
    seeded = Page("".join(f'<a class="ac-name" href="{link}">x</a>' for link in links))
    assert astray(chapter, seeded, pages) == [f"{chapter}: {link}" for link in links]


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
