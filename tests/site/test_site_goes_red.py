"""The strict build of the site fails on each of many defects, which stand in one small book.

It is built once, with the course's own configuration; of each defect there is one warning.
"""

import pytest
from rules.notebooks import ROOT
from small_book import FIGURE, build, code, text

pytestmark = pytest.mark.thorough
PAPER = "https://arxiv.org/abs/1706.03762"
SOURCE = (
    "@misc{v, title={T}, author={A}, year={2017}, eprint={1706.03762}, archiveprefix={arXiv}}"
)
MOVES = """
"a.html" = "book/nowhere.html"
"b.html" = "book/index.html#nothing"
"book/index.html" = "book/links.html"
"book/long.html#one" = "book/links.html"
"c.html#d" = "book/links.html"
"""
# It can be documented, but not imported.
TOY = {
    "toy/__init__.py": "raise RuntimeError('imported')",
    "toy/one.py": '''"""One function."""

def twice(q):
    r"""Double the queries; see :func:`forgotten`.

    .. math:: \\sqrt

    Args:
        q: the `queries.
    """
''',
}
API = "# The modules\n\n```{course-reference} one\n```\n\n```{course-reference} nowhere\n```\n"
PAGES = {
    "index": [text("# Door\n\n- [Long](long.ipynb), 5 min\n")],
    "api": [text(API)],
    "long": [text("# Long\n\n## One\n\n" + "word " * 3000)],
    "links": [
        text("# Links\n\n$\\frac{1}$ and [nothing](#nowhere), [the door](index.ipynb#lost)."),
        text(f"[Nobody (1999)](https://example.org/nobody), [A (2018)]({PAPER})."),
    ],
    "outputs": [
        text("# Outputs"),
        code(shows=[{"application/x-unheard-of": "1"}]),
        code(shows=[{"application/vnd.plotly.v1+json": {"data": []}}]),
        code(shows=[{"application/vnd.jupyter.widget-view+json": {"model_id": "gone"}}]),
    ],
    "captions": [
        text("# Captions\n\nSee [figure 2](#fig-one), [figure 9](#fig-none)."),
        code(shows=[FIGURE]),
        text('<a id="fig-one"></a>**Figure 1.** Right.'),
        code(shows=[FIGURE]),
        text("**Figure 7.** Wrong."),
        code(shows=[FIGURE]),
        text("Text.\n\n**Figure 5.** Below no figure."),
        code(shows=[FIGURE]),
    ],
    "other": [
        text("# Other"),
        code(shows=[FIGURE]),
        text('<a id="fig-one"></a>**Figure 1.** A label taken twice.'),
    ],
}
DEFECTS = (
    "unknown output mime type",
    "figure must have its sentence",
    "no such widget",
    "\\frac{1}': set_formula: latex must be what KaTeX knows",
    "target not found: 'nowhere'",
    "local id not found",
    "no source in the bibliography",
    "expected A (2017) or A, 2017",
    "says 5 minutes where the chapter takes 15",
    "'figure 2' leads to figure 1",
    "target not found: 'fig-none'",
    "'Figure 7.' stands below figure 2",
    "'Figure 5.' must stand directly below a figure",
    "figures without a caption: 3, 4",
    "figure label 'fig-one' is also on",
    "nothing in the package is called forgotten",
    "expected a part of the package, got nowhere",
    "\\sqrt': set_formula: latex must be what KaTeX knows",
    "start-string without",
    "a.html leads to book/nowhere.html, which is not there",
    "b.html leads to book/index.html#nothing, which is not there",
    "book/index.html has moved to book/links.html and is still there",
    "book/long.html#one has moved to book/links.html and is still",
    "c.html#d has moved, and so has its page",
)


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "source/toy").mkdir(parents=True)
    config = (ROOT / "_config.yml").read_text("utf-8")
    files = TOY | {
        "_config.yml": config.replace("language: en-GB", "course_package: toy"),
        "book/references.bib": SOURCE,
        "book/redirects.toml": MOVES,
    }
    return build(folder, PAGES, files)


@pytest.mark.parametrize("said", DEFECTS)
def test_the_build_is_red_and_says_it_once(faulty, said):
    assert faulty.code != 0
    assert sum(said in line for line in faulty.warnings) == 1, faulty.log
