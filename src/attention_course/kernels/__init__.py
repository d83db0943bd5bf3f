"""Attention as fast hardware wants it: in tiles, by Triton, over several processes.

Numbers are taken as they are. A NaN spreads to every context that meets it; of an infinite key
one form makes NaN and another a number.
"""

from attention_course.kernels.decode import (
    attend_to_part,
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.kernels.paged import (
    BlockAllocator,
    PagedCache,
    paged_attention,
    place_for_next,
)
from attention_course.kernels.parallel import (
    ParallelRun,
    parallel_attention,
    simulate_parallel,
)
from attention_course.kernels.ring import RingPlan, ring_backward, ring_forward, see_part
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
from attention_course.kernels.triton_attention import (
    triton_attention,
    triton_partial_attention,
)
from attention_course.kernels.ulysses import (
    gather_backward,
    gather_forward,
    ulysses_backward,
    ulysses_forward,
)
from attention_course.kernels.varlen import triton_varlen_attention

__all__ = [
    "BlockAllocator",
    "PagedCache",
    "ParallelRun",
    "RingPlan",
    "all_at_once",
    "attend_to_part",
    "chunked_attention",
    "gather_backward",
    "gather_forward",
    "grouped_attention",
    "hide_future",
    "merge_partials",
    "naive_attention",
    "paged_attention",
    "parallel_attention",
    "place_for_next",
    "repeated_attention",
    "ring_backward",
    "ring_forward",
    "see_part",
    "simulate_parallel",
    "split_kv_attention",
    "take_in",
    "tiled_attention",
    "tiled_backward",
    "tiled_forward",
    "triton_attention",
    "triton_partial_attention",
    "triton_varlen_attention",
    "ulysses_backward",
    "ulysses_forward",
]
