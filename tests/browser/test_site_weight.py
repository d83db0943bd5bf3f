"""What a page costs its reader, counted as it travels (compressed). The numbers are printed."""

import numpy as np
import pytest
from built_site import PAGES, SITE, read_through
from page_gates import KB, Visit, compressed, held_up, none, too_heavy
from page_weights import MORE, limit, recorded, seen_of, too_much
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


@pytest.mark.gate("main path of 2,000 words and ten folds", "one more of either")
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


def test_slides_weigh_less_than_their_chapter():
    slides = sorted((SITE / "slides").rglob("*.html"))
    for path in slides:
        chapter = SITE / "book" / path.relative_to(SITE / "slides")
        assert compressed(path.read_bytes()) < compressed(chapter.read_bytes()), path.name
    assert len(slides) >= 18


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


@pytest.mark.gate("first paint", "a script that is not deferred, too much style")
@pytest.mark.parametrize(
    ("head", "complaint"),
    [
        ('<script src="a.js"></script>', "a.js is not deferred"),
        ('<link rel="stylesheet" href="a.css?v=1">', "bytes of style, of 900"),
        ('<script defer src="a.js"></script><script>1</script>', ""),
    ],
)
def test_what_holds_up_the_first_paint_is_noticed(tmp_path, head, complaint):
    (tmp_path / "a.css").write_bytes(np.random.RandomState(0).bytes(1000))
    (tmp_path / "page.html").write_text(f"<html><head>{head}</head><body></body></html>")
    complaints = held_up(tmp_path / "page.html", 900)
    assert len(complaints) == bool(complaint)
    assert all(complaint in c for c in complaints)


LIMITS = {"before": 10_000, "after": 20_000}


@pytest.mark.gate(
    "weight of a page", "a file too many before scrolling or after, plotly early, no file"
)
@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ({"heavy.js"}, {"heavy.js"}, "bytes before scrolling"),
        (set(), {"heavy.js", "heavier.js"}, "bytes after scrolling"),
        ({"plotly.js"}, {"plotly.js"}, "plotly.js before anybody scrolled"),
        ({"gone.js"}, {"gone.js"}, "nothing was weighed"),
        ({"light.js"}, {"light.js"}, ""),
    ],
)
def test_a_page_over_its_limit_is_noticed(tmp_path, before, after, words):
    noise = np.random.RandomState(0)  # which does not compress
    (tmp_path / "heavy.js").write_bytes(noise.bytes(LIMITS["before"] + 1))
    (tmp_path / "heavier.js").write_bytes(noise.bytes(LIMITS["after"] - LIMITS["before"]))
    (tmp_path / "plotly.js").write_bytes(b"1")
    (tmp_path / "light.js").write_bytes(b"1" * LIMITS["after"])  # which does
    complaints = too_heavy(tmp_path, before, after, LIMITS)
    assert len(complaints) == bool(words)
    assert all(words in complaint for complaint in complaints)


def test_a_page_may_weigh_a_tenth_more_and_a_new_one_as_much_as_the_heaviest():
    record = {
        "a": {"before": 100, "after": 200},
        "b": {"before": 300, "after": 250, "allowed": {"before": 400, "after": 500}},
    }
    found = {page: [limit(page, when, record) for when in LIMITS] for page in "abc"}
    assert found == {"a": [100 * MORE, 200 * MORE], "b": [400, 500], "c": [300, 250]}


def test_every_increase_has_a_reason():
    raised = [row for row in recorded().values() if "allowed" in row]
    assert [row for row in raised if len(row.get("why", "").split()) < 3] == []
    assert len(recorded()) >= 18
