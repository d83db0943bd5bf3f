"""Attention as fast hardware wants it: in tiles, by Triton, over several processes."""

from attention_course.kernels.ring import (
    RingPlan,
    RingRun,
    attend_to_part,
    ring_attention,
    ring_backward,
    ring_forward,
    simulate_ring,
)
from attention_course.kernels.tiled import (
    all_at_once,
    chunked_attention,
    hide_future,
    merge_partials,
    naive_attention,
    take_in,
    tiled_attention,
    tiled_backward,
    tiled_forward,
)

__all__ = [
    "RingPlan",
    "RingRun",
    "all_at_once",
    "attend_to_part",
    "chunked_attention",
    "hide_future",
    "merge_partials",
    "naive_attention",
    "ring_attention",
    "ring_backward",
    "ring_forward",
    "simulate_ring",
    "take_in",
    "tiled_attention",
    "tiled_backward",
    "tiled_forward",
]
