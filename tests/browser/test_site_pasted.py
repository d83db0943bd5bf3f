"""What is pasted into an editor of a page is read as a notebook and the grader read it.

The whole table runs in ``tests/exercises/test_pasted_cells.py``; here a few come by clipboard.
"""

import pytest
from editing import START_MS, Editor
from pasted_cells import CELLS, FOUR, MARKED

pytestmark = pytest.mark.browser
# Several at once: a page starts its Python for each run of this file.
ALL_AT_ONCE = (
    MARKED.replace("\n", "\n%matplotlib inline\n1 / 0\n", 1).replace("    ", "\xa0" * 4)
    + "\ndisplay(“it’s”)\nawait_ = input('name? ')\n"
)


def pasted(one: Editor, text: str, words: str) -> str:
    """Paste a text over all, check it, wait for words of its own, and return what is said."""
    one.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
    one.place.locator(".cm-content").click()
    one.page.keyboard.press("ControlOrMeta+a")
    one.page.keyboard.press("ControlOrMeta+v")
    assert one.typed() == text
    one.press("Check")
    one.place.locator(".ac-try-output", has_text=words).wait_for(timeout=START_MS)
    one.says("Checked in")
    return one.output()


def test_a_paste_is_checked_and_what_was_read_differently_is_said(new_context, home):
    context = new_context()
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{home}book/exercises/{FOUR.slug}.html")
    one = Editor(page.locator(".ac-try-here"))
    said = pasted(one, ALL_AT_ONCE, "matplotlib")
    for words in (
        "left out: %matplotlib inline (line 2)",
        "spaces that Python does not know were read as plain ones (lines",
        "typographic quotes were read as plain ones (line",
        "ZeroDivisionError: division by zero",
        "'it’s'",
        "right. All 6 properties hold.",
        "line 3 raised ZeroDivisionError",
        "raised EOFError: input() waits for typed text",
    ):
        assert words in said
    said = pasted(one, CELLS["prompts and results"].source, "taken for results")
    assert "right. All 6 properties hold." in said
    said = pasted(one, CELLS["a question inside"].source, "0 of 6 properties")
    assert "raised EOFError" in said
    assert "right. All" not in said
