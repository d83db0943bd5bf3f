"""What the widget of the reader's GPU knows."""

import re

from attention_course.reference.scale.roofline import attention_work
from attention_course.widgets import GpuAttention
from attention_course.widgets.gpu_attention.tests.fixture import TILE
from attention_course.widgets.gpu_attention.widget import known
from attention_course.widgets.kit.compose import WIDGETS


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
