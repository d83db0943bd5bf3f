"""The specification: every operation of the course in NumPy, as its formula reads.

What is not finite: NaN stays NaN on its way through sums and products, as in torch, and comes
out where it went in. Infinity counts as its limit where there is one: tanh of it is 1, and a
score of minus infinity means "may not attend", weight 0, a row of nothing else zeros. A
function whose result would hide a NaN (a choice, a position, a window) refuses both, and one
that takes weights refuses rows that sum to neither 1 nor 0, unless it says otherwise.
"""

from attention_course.reference.attention import (
    attention_by_loops,
    query_gradient,
    scaled_dot_product_attention,
)
from attention_course.reference.labs.saturation import (
    lab_draws,
    saturation,
    scale_factor,
    softmax_in_format,
)
from attention_course.reference.labs.sentence import (
    named_draws,
    sentence_attention,
    split_words,
)
from attention_course.reference.masks import causal_mask, padding_mask, window_mask
from attention_course.reference.number_formats import round_to
from attention_course.reference.positions import sinusoidal_positions
from attention_course.reference.recurrent.fixed_vector import (
    decode_by_loops,
    encode_by_loops,
    gru_step,
)
from attention_course.reference.recurrent.luong_scores import (
    concat_scores,
    general_scores,
    location_scores,
)
from attention_course.reference.recurrent.memory import (
    fit_read_out,
    input_gradients,
    linear_memory,
    orthogonal_matrix,
    read_back,
    recall_by_position,
    tanh_recurrence,
)
from attention_course.reference.recurrent.score_functions import (
    cosine_scores,
    kernel_attention,
    kernel_scores,
)
from attention_course.reference.scores import additive_scores, dot_scores, scaled_dot_scores
from attention_course.reference.softmax import entropy, softmax, softmax_jacobian
from attention_course.reference.transformer.cross_attention import (
    cross_attention_by_loops,
    masked_attention_by_loops,
)
from attention_course.reference.transformer.multi_head import (
    kv_cache_bytes,
    merge_heads,
    multi_head_attention,
    multi_head_by_loops,
    split_heads,
)
from attention_course.reference.transformer.self_attention import (
    bare_self_attention,
    layer_cost,
    self_attention,
    self_attention_by_loops,
)

__all__ = [
    "additive_scores",
    "attention_by_loops",
    "bare_self_attention",
    "causal_mask",
    "concat_scores",
    "cosine_scores",
    "cross_attention_by_loops",
    "decode_by_loops",
    "dot_scores",
    "encode_by_loops",
    "entropy",
    "fit_read_out",
    "general_scores",
    "gru_step",
    "input_gradients",
    "kernel_attention",
    "kernel_scores",
    "kv_cache_bytes",
    "lab_draws",
    "layer_cost",
    "linear_memory",
    "location_scores",
    "masked_attention_by_loops",
    "merge_heads",
    "multi_head_attention",
    "multi_head_by_loops",
    "named_draws",
    "orthogonal_matrix",
    "padding_mask",
    "query_gradient",
    "read_back",
    "recall_by_position",
    "round_to",
    "saturation",
    "scale_factor",
    "scaled_dot_product_attention",
    "scaled_dot_scores",
    "self_attention",
    "self_attention_by_loops",
    "sentence_attention",
    "sinusoidal_positions",
    "softmax",
    "softmax_in_format",
    "softmax_jacobian",
    "split_heads",
    "split_words",
    "tanh_recurrence",
    "window_mask",
]
