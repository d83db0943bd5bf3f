"""What is wrong with a figure's number or caption turns the build red.

What is right is seen on the built site (``tests/browser/test_site_pages.py``).
"""

import pytest
from small_book import FIGURE, build, code, text

pytestmark = pytest.mark.thorough


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
