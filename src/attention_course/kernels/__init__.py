"""Attention as fast hardware wants it: in tiles, by Triton, over several processes."""

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
    "all_at_once",
    "chunked_attention",
    "hide_future",
    "merge_partials",
    "naive_attention",
    "take_in",
    "tiled_attention",
    "tiled_backward",
    "tiled_forward",
]
