"""What a page costs its reader, counted as it travels (compressed). The numbers are printed."""

import pytest
from built_site import PAGES, SITE, read_through
from page_gates import KB, Visit, compressed, held_up, none, too_heavy
from page_weights import limit, recorded, seen_of, too_much
from widgets_on_pages import STATE_JSON

pytestmark = pytest.mark.browser

STATE = 90 * KB  # the multi-head page has its sentences with it
STYLE = 40 * KB
SOURCE = 43 * KB  # a module with its style, indented; the lab has two versions in one


def test_the_widgets_of_every_page_fit_their_budget():
    states = {name: STATE_JSON.search((SITE / name).read_text("utf-8")) for name in PAGES}
    sizes = {name: compressed(found[2].encode()) for name, found in states.items() if found}
    sources = (SITE / "_static" / "course" / "widgets").glob("*.js")
    weights = {path.name: compressed(path.read_bytes()) for path in sources}
    print(sizes, weights, sep="\n")
    assert {name: size for name, size in sizes.items() if size > STATE} == {}
    assert {name: size for name, size in weights.items() if size > SOURCE} == {}
    assert (len(sizes), len(weights)) >= (25, 23)


CHAPTERS = [
    n for n in PAGES if n.count("/") == 2 and not n.startswith(("book/teach", "book/api"))
]


def test_a_chapter_shows_at_most_2000_words_and_ten_folds():
    """Where it had more, no more than that."""
    pages = {name: (SITE / name).read_text(encoding="utf-8") for name in CHAPTERS}
    found = {name: seen_of(page) for name, page in pages.items()}
    print(*(f"{name}: {seen}" for name, seen in found.items()), sep="\n")
    none([line for name, page in pages.items() for line in too_much(name, page, recorded())])
    assert sum(seen["words"] for seen in found.values()) >= 37900


@pytest.mark.parametrize(
    ("more", "complaints"),
    [
        ("", 0),
        ("<p>word</p>", 1),
        ("<details><summary>1</summary>hidden</details>", 1),
        ("<details><summary>Plain words</summary>hidden</details>", 2),
        ("<section id='exercises'>word</section><p>word</p>", 0),
        ("<div class='cell_input'>word</div> 0.97 <span class='math'>word</span>", 0),
    ],
)
def test_a_word_or_a_fold_too_many_is_noticed(more, complaints):
    fold = "<details><summary>1</summary>hidden <details>in it</details></details>"
    page = f"<article><div>{'word ' * 2000} {fold * 10}{more}</div></article>"
    assert len(too_much("a", page, {})) == complaints
    assert too_much("a", page, {"a": {"words": 2002, "folds": 11}}) == []


# The build's own files; and slides, which are turned and not scrolled through.
NOT_READ = ("_", "slides/")


def test_a_page_outside_the_contents_weighs_no_more_than_a_chapter(new_context, home):
    """The reference of the package, the search and the index: of these, the largest."""
    pages = [path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")]
    rest = [name for name in pages if name not in PAGES and not name.startswith(NOT_READ)]
    heaviest = max(rest, key=lambda name: compressed((SITE / name).read_bytes()))
    page = new_context(width=360).new_page()
    visit = Visit(page, home)
    page.goto(home + heaviest, wait_until="networkidle")
    before = visit.own_files()
    read_through(page)
    limits = {when: limit(heaviest, when, recorded()) for when in ("before", "after")}
    none(too_heavy(SITE, before, visit.own_files(), limits))
    assert len(rest) >= 140


def test_no_script_and_little_style_comes_before_the_first_paint():
    pages = [path for path in SITE.rglob("*.html") if "_static" not in path.parts]
    none([f"{path.relative_to(SITE)}: {c}" for path in pages for c in held_up(path, STYLE)])
    assert len(pages) >= 190


def test_every_increase_has_a_reason():
    raised = [row for row in recorded().values() if "allowed" in row]
    assert [row for row in raised if len(row.get("why", "").split()) < 3] == []
    assert len(recorded()) >= 18
