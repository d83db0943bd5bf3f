"""The chapters whose pages show before they prove; ``tools/page_rules.py`` holds them to it.

The list only grows: ``tests/looked_at.json`` has a line for each page that has turned.
"""

TURNED: tuple[str, ...] = (
    "index",
    "recurrent/local-and-hard",
    "transformer/self-attention",
    "recurrent/luong",
    "transformer/scaling",
    "transformer/positions",
    "scale/complexity",
    "scale/long-sequences",
    "scale/gpu-attention",
    "scale/triton-kernel",
    "scale/decoding",
    "scale/numerics",
)

# What a chapter exists for, and therefore shows in full: written in an open cell with the body
# that the package has, or displayed by ``show``. A chapter that turns has its row here.
SHOWN_IN_FULL: dict[str, tuple[str, ...]] = {
    "recurrent/local-and-hard": (
        "attention_course.reference.recurrent.local.local_weights_by_loops",
        "attention_course.reference.recurrent.local.centre_gradient",
        "attention_course.reference.recurrent.hard.reinforce_gradients",
        "attention_course.reference.recurrent.gumbel.straight_through_gradient",
    ),
    "transformer/self-attention": (
        "attention_course.reference.transformer.self_attention.self_attention",
    ),
    "recurrent/luong": (
        "attention_course.reference.recurrent.luong.scores_by_loops",
        "attention_course.reference.recurrent.luong.step_through",
        "attention_course.reference.recurrent.luong.attentional_vector",
        "attention_course.reference.recurrent.luong.luong_step",
    ),
    "transformer/scaling": (
        "attention_course.reference.attention.attention_by_loops",
        "attention_course.layers.attention.scaled_dot_product_attention",
        "attention_course.reference.softmax.softmax_jacobian",
        "attention_course.reference.attention.one_query_backward",
    ),
    "transformer/positions": (
        "attention_course.reference.positions.sinusoidal_positions",
        "attention_course.layers.positions.LearnedPositions",
        "attention_course.reference.positions.rotate_by_loops",
        "attention_course.layers.positions.RotaryPositions",
        "attention_course.reference.positions.alibi_by_loops",
    ),
    "scale/gpu-attention": (
        "attention_course.kernels.tiled.all_at_once",
        "attention_course.reference.scale.online_softmax.attention_in_blocks",
        "attention_course.kernels.tiled.take_in",
        "attention_course.kernels.tiled.tiled_forward",
    ),
    "scale/long-sequences": (
        "attention_course.layers.scale.sliding_window.sliding_window_attention",
        "attention_course.kernels.ring.ring_forward",
    ),
    "scale/triton-kernel": (
        "attention_course.kernels.triton_softmax.softmax_kernel",
        "attention_course.kernels.triton_forward.addresses",
        "attention_course.kernels.triton_forward.load",
        "attention_course.kernels.triton_forward.take_in",
        "attention_course.kernels.triton_forward.exponential",
        "attention_course.kernels.triton_forward.multiply",
        "attention_course.kernels.triton_forward.attend",
        "attention_course.kernels.triton_forward.reach",
        "attention_course.kernels.triton_forward.forward_kernel",
        "attention_course.kernels.triton_forward.nothing_seen",
        "attention_course.kernels.triton_forward.store",
    ),
    "scale/decoding": (
        "attention_course.layers.scale.caches.KVCache",
        "attention_course.models.language.write",
        "attention_course.kernels.decode.grouped_attention",
        "attention_course.kernels.decode.attend_to_part",
        "attention_course.kernels.paged.place_for_next",
    ),
    "scale/complexity": (
        "attention_course.reference.scale.counting.Tally",
        "attention_course.reference.scale.counting.attention_counted",
        "attention_course.reference.scale.costs.waiting_steps",
        "attention_course.reference.scale.costs.positions_read",
        "attention_course.reference.scale.costs.signal_spread",
    ),
    "scale/numerics": (
        "attention_course.reference.number_formats.format_limits",
        "attention_course.reference.number_formats.to_bfloat16",
        "attention_course.reference.scale.numerics.attention_in_format",
        "attention_course.reference.scale.numerics.fused_in_format",
        "attention_course.reference.scale.numerics.log_sum_exp",
        "attention_course.reference.scale.numerics.softmax_with_sink",
        "attention_course.reference.scale.numerics.sum_in_blocks",
        "attention_course.reference.scale.numerics.sum_one_by_one",
    ),
}
