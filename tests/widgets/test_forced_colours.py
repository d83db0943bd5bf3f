"""Where the reader's colours replace ours, what is chosen still looks chosen."""

import pytest

from attention_course.widgets import SaturationLab, Stepper

PICKED = """() => [...document.querySelectorAll(".ac-radios, .ac-presets")].map((row) => {
  const all = [...row.querySelectorAll(".ac-radio + span, button")].map((one) => {
    const on = one.matches(".ac-radio:checked + span, [aria-pressed=true]");
    const { backgroundColor, color } = getComputedStyle(one);
    return [on, backgroundColor, color];
  });
  return [true, false].map((on) => all.filter(([is]) => is === on).map((x) => x.slice(1)));
})"""


@pytest.mark.browser
def test_in_forced_colours_the_choice_that_is_taken_differs(browser, tmp_path):
    bare_page = pytest.importorskip("bare_page")
    rows = 0
    for number, widget in enumerate((Stepper(), SaturationLab())):
        file = tmp_path / f"{number}.html"
        file.write_text(bare_page.bare_page(widget), "utf-8")
        with browser.new_context(forced_colors="active") as context:
            page = context.new_page()
            page.goto(file.as_uri())
            page.wait_for_selector(".ac-readout", state="attached")
            for taken, others in page.evaluate(PICKED):
                rows += bool(taken and others)
                for one in taken:
                    assert all(one[0] != other[0] and one[1] != other[1] for other in others)
    assert rows >= 2
