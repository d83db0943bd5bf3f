"""A page's headings and names, measured in a real browser."""

import pytest

from course_grader.marking.graded import CodeGrade, StudentGrade
from course_grader.reports.feedback import page

pytestmark = pytest.mark.browser
LONG = "Scaled dot-product attention with a mask, for a batch of sentences of unequal length"
PLACES = """() => [...document.querySelectorAll("h2")].map(h2 => {
  const all = h2.getBoundingClientRect(), points = h2.querySelector(".points");
  const box = points.getBoundingClientRect(), title = document.createRange();
  title.selectNode(h2.firstChild);
  const words = title.getClientRects();
  return {line: words[0].bottom, lines: words.length, top: box.top, left: all.right - box.right,
          over: document.documentElement.scrollWidth - innerWidth};
})"""


@pytest.mark.parametrize("width", [1280, 360])
def test_the_points_stand_at_the_right_however_long_the_title(browser, width):
    tab = browser.new_page(viewport={"width": width, "height": 800})
    try:
        code = [CodeGrade("a", "Short", "OK", 2, 4), CodeGrade("b", LONG, "OK", 17, 20)]
        tab.set_content(page(StudentGrade("ada", "x", "X", "k", "OK", code=code)))
        short, long = tab.evaluate(PLACES)
    finally:
        tab.close()
    assert short["lines"] == 1 < long["lines"]
    for place in (short, long):
        assert abs(place["left"]) < 1
        assert place["over"] <= 0
    if width == 1280:
        assert long["top"] < long["line"], "below the first line of the title"
