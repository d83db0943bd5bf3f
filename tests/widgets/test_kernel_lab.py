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


def test_what_is_resident_is_what_is_on_record():
    for cut, row in ROWS.items():
        found = lab(cut).resident()
        assert (found.programs if found else None) == row["programs"]
        assert (found.limited_by if found else None) == row["limited_by"]
        assert (round(found.share, 4) if found else None) == row["occupancy"]
        assert row["why"] or found.programs >= 1


def test_a_cut_that_runs_has_all_numbers_and_one_that_does_not_says_why():
    for cut, row in ROWS.items():
        made = lab(cut)
        assert ("apart" in made.readouts()) == (not row["why"])
        assert (f"this cut cannot run, {row['why']}." in made.sentence()) == bool(row["why"])
        assert made.fallback.count("<tr>") == 1 + 4


def test_the_highest_is_told_of_one_cut_or_more_of_each_gpu_and_width():
    told = {cut for cut in RUNS if "No cut of this GPU" in lab(cut).sentence()}
    assert {cut[:2] for cut in told} == set(itertools.product(*CHOICES[:2]))
    for cut in told:
        others = [row["apart"] for other, row in RUNS.items() if other[:2] == cut[:2]]
        assert RUNS[cut]["apart"] == max(others)
        assert min(others) < max(others)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"gpu": "T4"}, "gpu must be one of 'sm_80', 'sm_90'"),
        ({"d": 96}, "d must be one of 64, 128, got 96"),
        ({"block_q": 32}, "block_q must be one of 64, 128, got 32"),
        ({"block_k": 256}, "block_k must be one of 32, 64, 128, got 256"),
        ({"warps": 16}, "warps must be one of 4, 8, got 16"),
        ({"stages": 0}, "stages must be one of 1, 2, 3, 4, got 0"),
    ],
)
def test_a_bad_argument_is_named_with_what_is_expected(given, said):
    with pytest.raises(ValueError, match=f"KernelLab: {said}"):
        KernelLab(**given)


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_highest_bound_is_found_by_trying_and_stays_found(browser, tmp_path, theme):
    bare_page = pytest.importorskip("bare_page")
    made = KernelLab()
    best = next(
        cut
        for cut, row in RUNS.items()
        if cut[:2] == (made.gpu, made.d) and "No cut" in lab(cut).sentence()
    )
    page = browser.new_page(viewport={"width": 360, "height": 800})
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    file = tmp_path / "widget.html"
    file.write_text(bare_page.bare_page(made, theme), "utf-8")
    page.goto(file.as_uri())
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
    assert page.locator(".ac-readout").inner_text() == lab(best).sentence()
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
    page.close()
    assert wrong == []
