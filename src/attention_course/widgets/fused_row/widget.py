"""The fused row of attention, written and checked in the page."""

from typing import Any

from attention_course.widgets.kit.base import CourseWidget, table
from attention_course.widgets.kit.traits import text

BEGIN = """\
fn attend(i: u32) -> array<f32, D> {   // the context of query i
  var acc: array<f32, D>;              // weighted sum of the values so far
  var m = -1e30;                       // largest score so far
  var l = 0.0;                         // sum of the exponentials so far
  // For each key j that query i sees: its score, then the three above.

  return acc;
}"""
GIVEN = (
    ("query(c)", "number c of this query"),
    ("key(j, c)", "number c of key j; each is read once"),
    ("value(j, c)", "number c of value j"),
    ("D, n", "width of the head, and how many keys there are"),
    ("CAUSAL", "whether query i sees the keys up to i only"),
)


class FusedRow(CourseWidget, folder="fused_row"):
    """An exercise in WGSL: one query's context in one pass over its keys.

    Nothing runs before a press of *Check*. Then the answer is compiled and run on small inputs
    on the reader's GPU and held against attention in float64; a wrong one is compared with
    wrong answers that have a name. What was written stays in the browser.

    Args:
        code: the answer, at most 4,000 characters.
        key: names the widget in links; "fused-row" unless given.

    Raises:
        ValueError: if the answer is longer.

    >>> "fn attend" in FusedRow().code
    True
    """

    code = text("at most 4,000 characters of WGSL", 0, 4000, BEGIN)

    def readouts(self) -> dict[str, Any]:
        """Return no number: it shows none before an answer is checked."""
        return {}

    def _fallback(self) -> str:
        sentence = (
            "<p>With a script and WebGPU this page compiles and checks a function "
            "<code>attend(i)</code> in WGSL. It may call and read:</p>"
        )
        return sentence + table(("name", "what it is"), GIVEN, "What the answer has at hand")
