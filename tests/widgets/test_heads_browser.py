"""The heads widget in Chromium: a head is silenced, and cut by the blade that is clicked."""

import pytest
from opened import SHOWN, STATE, settled, show, site

from attention_course.data.tensors import load_checkpoint
from attention_course.widgets import HeadsSideBySide
from attention_course.widgets.heads import pack_heads

pytestmark = pytest.mark.browser
__all__ = ["show", "site"]  # fixtures


def test_a_silent_head_is_cut_by_the_blade_that_is_clicked(show):
    given = {"models": pack_heads(load_checkpoint("heads/covered_letters")[0])}
    given |= {"words": ["question", "order", "under"]}
    place = show(HeadsSideBySide, given=given)
    place.get_by_label("Head 2").uncheck()
    said = []
    for text in ("nothing", "its mean", "another word’s"):
        place.get_by_role("radio", name=text, exact=True).check()
        settled(place)
        state = place.evaluate(STATE, [*HeadsSideBySide._state])
        assert state["silent"] == [1]
        widget = HeadsSideBySide(**given, **state)
        wanted = widget.described(widget.stored())["readouts"]
        shown = place.evaluate(SHOWN)
        assert shown["loss_now"] == pytest.approx(wanted["loss_now"], abs=1e-9)
        costs = [shown[f"cost-{h}"] for h in range(4)]
        assert costs == pytest.approx([wanted[f"cost-{h}"] for h in range(4)], abs=1e-9)
        assert f"Without head 2 ({text} instead)" in place.locator(".ac-readout").text_content()
        said.append(costs[1])
    assert len({*said}) == 3
