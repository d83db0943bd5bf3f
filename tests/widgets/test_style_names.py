"""A widget's style stands on the whole page, so its names are its own."""

import re
from pathlib import Path

import pytest

from attention_course.drawing.palette import ROLES

SOURCE = Path(__file__).resolve().parents[2] / "src" / "attention_course"
WIDGETS = sorted(path.parent.name for path in SOURCE.glob("widgets/*/style.css"))
# The classes of formulas (ac-key and so on), and what the pages themselves style.
ROLE_NAMES = {f"ac-{role}" for role in ROLES}


def names(css):
    return set(re.findall(r"\.(ac-[\w-]+)", css))


def text(pattern):
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCE.glob(pattern))


def taken(css):
    """Return the classes of a widget's style that belong to the page or to its formulas."""
    shared = names(text("widgets/kit/style.css"))
    return names(css) & (names(text("site/styles/*.css")) | ROLE_NAMES) - shared


def test_every_widget_has_a_style_to_look_at():
    assert len(WIDGETS) - 1 >= 15


@pytest.mark.parametrize("widget", [name for name in WIDGETS if name != "kit"])
def test_a_widget_styles_nothing_of_the_page(widget):
    assert taken(text(f"widgets/{widget}/style.css")) == set()


@pytest.mark.gate(
    "style of widgets", "a widget styles the page's folds, or a formula's letters"
)
@pytest.mark.parametrize("name", ["ac-fold", "ac-key"])
def test_a_name_of_the_page_is_noticed(name):
    assert taken(f".{name} {{ color: red; }}") == {name}
