"""The chapters whose pages show before they prove; ``tools/page_rules.py`` holds them to it.

The list only grows: ``tests/looked_at.json`` has a line for each page that has turned.
"""

TURNED: tuple[str, ...] = (
    "index",
    "transformer/scaling",
    "scale/long-sequences",
    "scale/gpu-attention",
    "scale/decoding",
)

# What a chapter exists for, and therefore shows in full: written in an open cell with the body
# that the package has, or displayed by ``show``. A chapter that turns has its row here.
SHOWN_IN_FULL: dict[str, tuple[str, ...]] = {
    "transformer/scaling": (
        "attention_course.reference.attention.attention_by_loops",
        "attention_course.layers.attention.scaled_dot_product_attention",
        "attention_course.reference.softmax.softmax_jacobian",
        "attention_course.reference.attention.one_query_backward",
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
    "scale/decoding": (
        "attention_course.layers.scale.caches.KVCache",
        "attention_course.models.language.write",
        "attention_course.kernels.decode.grouped_attention",
        "attention_course.kernels.decode.attend_to_part",
        "attention_course.kernels.decode.split_kv_attention",
        "attention_course.layers.scale.caches.WindowCache",
        "attention_course.kernels.paged.place_for_next",
        "attention_course.kernels.paged.paged_attention",
    ),
}
