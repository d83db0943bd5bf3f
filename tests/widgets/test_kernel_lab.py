"""The kernel lab: every cut is on record, and what it shows is what the compiler made of it."""

import itertools

import pytest
from frames import frames

from attention_course.widgets import KernelLab
from attention_course.widgets.kernel_lab.widget import CUT, ROWS

CHOICES = [KernelLab.class_traits()[name].limits["options"] for name in CUT]
RUNS = {cut: row for cut, row in ROWS.items() if not row["why"]}


def lab(cut):
    return KernelLab(**dict(zip(CUT, cut, strict=True)))


def test_the_record_has_every_cut_that_can_be_chosen_and_no_other():
    assert set(ROWS) == set(itertools.product(*CHOICES))
    assert len(RUNS) > 150


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_highest_bound_is_found_by_trying_and_stays_found(show, theme):
    made = KernelLab()
    beside = [cut for cut in RUNS if cut[:2] == (made.gpu, made.d)]
    best = max(beside, key=lambda cut: RUNS[cut]["apart"])
    said = KernelLab.described(lab(best).stored())["sentence"]
    assert said.endswith("No cut of this GPU and width has a higher bound apart.")
    page = show(made, size=(360, 800), theme=theme)
    target = page.locator(".ac-cut-target")
    assert "To find:" in target.inner_text()
    shown = page.locator(".ac-cut-mark").count()
    for name, label in (
        ("block_q", "Queries"),
        ("block_k", "Keys"),
        ("warps", "Warps"),
        ("stages", "Stages"),
    ):
        group = page.get_by_role("group", name=label)
        group.get_by_role("radio", name=str(best[CUT.index(name)]), exact=True).check(
            force=True
        )
        frames(page)
    assert page.locator(".ac-readout").inner_text() == said
    assert target.inner_text().startswith("Found. ")
    page.get_by_role("radio", name="32", exact=True).check(force=True)
    frames(page)
    assert target.inner_text().startswith("Found. ")
    assert page.locator(".ac-cut-tried").count() > 2
    assert page.locator(".ac-cut-mark").count() == shown
    wide = "document.documentElement.scrollWidth <= window.innerWidth"
    assert page.evaluate(wide)
    page.get_by_text("All cuts as a table").click()
    frames(page)
    assert page.locator(".ac-chart-table tbody tr").count() == 48
