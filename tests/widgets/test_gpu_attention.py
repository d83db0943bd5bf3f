"""What the widget of the reader's GPU counts, what it knows, and what it refuses."""

import re

import pytest

from attention_course.reference.scale.roofline import attention_work
from attention_course.widgets import GpuAttention
from attention_course.widgets.gpu_attention.widget import SIZES, TILE, known, work_of
from attention_course.widgets.kit.compose import WIDGETS

SHAPES = [(128, 32, 1), (1024, 64, 8), (8192, 64, 2)]


@pytest.mark.parametrize(("n", "d", "heads"), SHAPES)
def test_counts_are_those_of_the_chapter(n, d, heads):
    """The chapter's tiled form also writes a statistic a query, which these kernels do not."""
    for form, variant, more in (("passes", "naive", 0), ("fused", "tiled", 4 * heads * n)):
        ours = work_of(form, n, d, heads, causal=False)
        theirs = attention_work(variant, n, d, heads=heads, dtype="float32", cache=1e12)
        assert ours["operations"] == theirs.matmul
        assert ours["moved"] == theirs.moved - more


@pytest.mark.parametrize("n", [1, 31, 32, 33, 100, 256])
def test_a_causal_fused_kernel_computes_the_tiles_up_to_the_diagonal(n):
    pairs = sum(min(n, TILE * (i // TILE + 1)) for i in range(n))
    assert work_of("fused", n, 64, 1, causal=True)["operations"] == 4 * 64 * pairs
    assert work_of("passes", n, 64, 1, causal=True)["operations"] == 4 * 64 * n * n


def test_the_script_has_the_same_tile():
    script = (WIDGETS / "gpu_attention" / "kernels.js").read_text(encoding="utf-8")
    assert int(re.search(r"export const TILE = (\d+);", script)[1]) == TILE


def test_published_points_lie_below_the_roof_of_their_device():
    about = known()
    assert len(about["points"]) > 50
    assert "Shah et al., 2024" in about["source"]
    for name, n, causal, intensity, rate in about["points"]:
        where = name, n, causal
        assert 1e12 < rate < min(about["peak"], about["bandwidth"] * intensity), where


def test_the_fallback_has_a_row_a_length_and_no_time():
    text = GpuAttention(longest=1024).fallback
    assert text.count("<tr>") == 1 + SIZES.index(1024) + 1
    assert " ms" not in text


@pytest.mark.parametrize(
    ("trait", "value"), [("d", 128), ("heads", 3), ("longest", 100), ("causal", 1)]
)
def test_what_the_kernels_are_not_made_for_is_refused(trait, value):
    with pytest.raises(ValueError, match=f"GpuAttention: {trait} must be"):
        GpuAttention(**{trait: value})
