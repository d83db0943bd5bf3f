"""Figures are numbered, captioned and linked to, in a small book that is built strictly."""

import re

import pytest
from small_book import DRAWING, FIGURE, WIDGET, build, code, text

pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    cells = [
        text("# Page\n\nSee [figure 2](#fig-two) and [the first](#fig-one)."),
        code(shows=[FIGURE]),
        text('<a id="fig-one"></a>**Figure 1.** Two *points*, $x$ apart.'),
        text("## Next"),
        code(shows=[DRAWING]),
        text('<a id="fig-two"></a>**Figure 2.** A drawing.'),
        code(shows=[FIGURE]),
        text("**Figure 3.** No label."),
        code(shows=[WIDGET]),
        text('<a id="fig-toy"></a>**Figure 4.** A widget.'),
        code(shows=[WIDGET]),
    ]
    other = [
        text("# Other\n\nSee [figure 2](#fig-two), [here](page.ipynb#fig-one) too."),
        code(shows=[FIGURE]),
        code(shows=[DRAWING]),
    ]
    pages = {"index": [text("# Start")], "page": cells, "other": other}
    return build(tmp_path_factory.mktemp("captions"), pages)


def test_the_strict_build_succeeds(book):
    assert book.code == 0, book.log


def test_the_caption_stands_in_its_figure_and_the_label_on_it(book):
    page = book.page("page")

    figure = re.search(r'<figure class="ac-figure" id="fig-one">.*?</figure>', page, re.DOTALL)
    assert 'href="#fig-one">Figure 1.</a>' in figure[0]
    assert "<em>points</em>" in figure[0]
    assert figure[0].index("ac-caption") < figure[0].index("<details")
    drawing = re.search(r'<figure class="ac-drawn" id="fig-two">.*</figure>', page, re.DOTALL)
    assert 'href="#fig-two">Figure 2.</a> A drawing.' in re.sub(r"\s+", " ", drawing[0])
    assert page.count('class="ac-caption"') == 4


def test_a_widget_is_a_figure_where_it_has_a_caption(book):
    page = book.page("page")

    toy = re.search(
        r"<figure class=\"ac-live ac-wide\" id=\"fig-toy\">.*?</figure>", page, re.S
    )
    assert 'data-ac-key="toy"' in toy[0]
    assert 'href="#fig-toy">Figure 4.</a> A widget.' in re.sub(r"\s+", " ", toy[0])
    assert page.count('data-ac-key="toy"') == 2


def test_references_lead_there_from_every_page(book):
    assert 'href="#fig-two"' in book.page("page")
    assert 'href="page.html#fig-two"' in book.page("other")
    assert 'href="page.html#fig-one"' in book.page("other")


def test_figures_without_captions_are_numbered_by_page(book):
    other = book.page("other")

    assert 'class="ac-figure" id="figure-1"' in other
    assert 'href="#figure-2">Figure 2.</a>' in other


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    cells = [
        text("# Page\n\nSee [figure 2](#fig-one), [figure 9](#fig-none)."),
        code(shows=[FIGURE]),
        text('<a id="fig-one"></a>**Figure 1.** Right.'),
        code(shows=[FIGURE]),
        text("**Figure 7.** Wrong."),
        code(shows=[FIGURE]),
        text("Text.\n\n**Figure 5.** Below no figure."),
        code(shows=[FIGURE]),
    ]
    other = [
        text("# Other"),
        code(shows=[FIGURE]),
        text('<a id="fig-one"></a>**Figure 1.** A label taken twice.'),
    ]
    pages = {"index": [text("# Start")], "page": cells, "other": other}
    return build(tmp_path_factory.mktemp("faulty"), pages)


@pytest.mark.parametrize(
    "said",
    [
        "'figure 2' leads to figure 1",
        "target not found: 'fig-none'",
        "'Figure 7.' stands below figure 2",
        "'Figure 5.' must stand directly below a figure",
        "figures without a caption: 3, 4",
        "figure label 'fig-one' is also on",
    ],
)
@pytest.mark.gate(
    "site: figures are numbered and captioned",
    "a wrong number, a wrong label, a caption without a figure, a label taken twice",
)
def test_a_wrong_number_or_label_turns_the_build_red(faulty, said):
    assert faulty.code != 0
    assert sum(said in line for line in faulty.warnings) == 1, faulty.warnings
