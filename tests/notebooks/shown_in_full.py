"""What each chapter shows in full, for ``tools/page_rules.py`` and the tests."""


def _within(place: str, names: str) -> tuple[str, ...]:
    return tuple(f"attention_course.{place}.{name}" for name in names.split())


# What a chapter exists for, and therefore shows in full: written in an open cell with the body
# that the package has, or displayed by ``show``. A name without a module is the page's own,
# where the package's has more to it than the idea. A chapter that turns has its row here.
SHOWN_IN_FULL: dict[str, tuple[str, ...]] = {
    "recurrent/score-functions": (
        "attention_course.reference.scores.dot_scores",
        "attention_course.reference.scores.scaled_dot_scores",
        "attention_course.reference.scores.additive_scores",
        "attention_course.reference.recurrent.luong_scores.general_scores",
        "attention_course.reference.recurrent.luong_scores.concat_scores",
        "attention_course.reference.recurrent.luong_scores.location_scores",
        "attention_course.reference.recurrent.score_functions.cosine_scores",
        "attention_course.reference.recurrent.score_functions.kernel_scores",
    ),
    "why/rnn-bottleneck": (
        "attention_course.reference.recurrent.fixed_vector.gru_step",
        "attention_course.reference.recurrent.fixed_vector.encode_by_loops",
        "attention_course.reference.recurrent.fixed_vector.decode_by_loops",
        "attention_course.reference.recurrent.fixed_vector.write_by_loops",
        "attention_course.reference.recurrent.memory.last_states",
        "attention_course.reference.recurrent.memory.read_out_recall",
        "attention_course.reference.recurrent.memory.latch",
    ),
    "recurrent/gnmt-and-lstmn": (
        "attention_course.reference.recurrent.gnmt.gnmt_step",
        "attention_course.layers.recurrent.gnmt.ResidualStack",
        "attention_course.reference.recurrent.lstmn.lstmn_look",
        "attention_course.reference.recurrent.lstmn.lstmn_step",
    ),
    "recurrent/bahdanau": (
        "attention_course.reference.recurrent.bahdanau.annotate_by_loops",
        "attention_course.reference.recurrent.bahdanau.align_by_loops",
        "attention_course.layers.recurrent.bahdanau.BahdanauAttention",
        "attention_course.reference.recurrent.bahdanau.decoder_step",
    ),
    "why/attention-by-hand": (
        "attention_course.reference.by_hand.dot_scores_by_loops",
        "attention_course.reference.by_hand.weights_by_loops",
        "attention_course.reference.by_hand.weighted_sum",
        "attention_course.reference.by_hand.write_with_teacher",
        "attention_course.reference.by_hand.write_freely",
    ),
    "recurrent/local-and-hard": (
        "attention_course.reference.recurrent.local.local_weights_by_loops",
        "attention_course.reference.recurrent.local.centre_gradient",
        "attention_course.reference.recurrent.hard.reinforce_gradients",
        "attention_course.reference.recurrent.gumbel.straight_through_gradient",
    ),
    "recurrent/captioning": (
        "attention_course.models.experiments.captioning.SceneEncoder",
        "attention_course.models.experiments.captioning.rewards_of",
        "attention_course.models.experiments.captioning.caption_loss",
        "attention_course.models.experiments.captioning.share_on_named",
    ),
    "vision/convolutional-networks": (
        "attention_course.reference.vision.convolutional_networks.spatial_gate",
        "attention_course.reference.vision.convolutional_networks.squeeze_and_excitation",
        "attention_course.reference.vision.convolutional_networks.non_local",
    ),
    "vision/asking-an-image": (
        "attention_course.models.experiments.asking.Asker.annotate",
        "attention_course.models.experiments.asking.Asker.weigh",
        "attention_course.models.experiments.asking.Asker.forward",
        "attention_course.models.experiments.asking.share_on_place",
        "attention_course.reference.vision.detection.matching_cost",
        "attention_course.models.experiments.detection.Look",
        "attention_course.models.experiments.detection.DetectorLayer",
        "attention_course.models.experiments.detection.set_loss",
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
    "transformer/masks-and-cross-attention": (
        "attention_course.reference.masks.causal_mask",
        "attention_course.reference.masks.padding_mask",
        "attention_course.layers.attention.weigh",
        "attention_course.reference.transformer.cross_attention.cross_attention_by_loops",
    ),
    "transformer/scaling": (
        "attention_course.reference.attention.attention_by_loops",
        "attention_course.layers.attention.scaled_dot_product_attention",
        "attention_course.reference.softmax.softmax_jacobian",
        "attention_course.reference.attention.one_query_backward",
    ),
    "transformer/multi-head": (
        "heads_in_a_loop",
        "split",
        "MultiHead",
        "GroupedQueries",
    ),
    "transformer/positions": (
        "attention_course.reference.positions.sinusoidal_positions",
        "attention_course.layers.positions.LearnedPositions",
        "attention_course.reference.positions.rotate_by_loops",
        "attention_course.reference.positions.alibi_by_loops",
        "attention_course.models.experiments.longer_positions.slowed_speeds",
    ),
    "transformer/transformer-block": (
        "attention_course.layers.transformer.transformer_block.FeedForward",
        "attention_course.reference.transformer.transformer_block.layer_norm",
        "attention_course.layers.transformer.plain_block.post_norm",
        "attention_course.layers.transformer.plain_block.pre_norm",
        "attention_course.layers.transformer.plain_block.PlainBlock",
    ),
    "vision/vision-transformer": (
        "attention_course.reference.vision.vision_transformer.patchify",
        "attention_course.reference.vision.vision_transformer.unpatchify",
        "attention_course.reference.vision.vision_transformer.plane_positions",
        "attention_course.reference.vision.vision_transformer.attention_rollout",
    ),
    "practice/bug-museum": (
        *("row_sums", "hears", "wrong_pairs", "padding_effect", "repeated"),
        *("order_effect", "cached_gap", "spread", "shift_effect", "prefers_far"),
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
    "scale/attention-today": _within(
        "reference.scale",
        "latent.latent_attention latent.absorbed_latent_attention mixed_windows.stack_reach "
        "mixed_windows.stack_cache_bytes native_sparse.native_sparse_attention "
        "native_sparse.summaries native_sparse.chosen_mask",
    ),
    "scale/complexity": (
        "attention_course.reference.scale.counting.Tally",
        "attention_course.reference.scale.counting.attention_counted",
        "attention_course.reference.scale.costs.waiting_steps",
        "attention_course.reference.scale.costs.positions_read",
        "attention_course.reference.scale.costs.signal_spread",
    ),
    "scale/numerics": _within(
        "reference",
        "number_formats.format_limits number_formats.to_bfloat16 "
        "scale.numerics.attention_in_format scale.numerics.fused_in_format "
        "scale.numerics.log_sum_exp scale.numerics.softmax_with_sink "
        "scale.numerics.sum_in_blocks scale.numerics.sum_one_by_one",
    ),
    "transformer/encoder-decoder": _within(
        "models.translators.assembled",
        "EncoderLayer DecoderLayer PlacedWords Encoder Decoder AssembledTransformer "
        "write_greedily training_step",
    ),
}

# What the code that a chapter shows takes from outside, and nothing that a reader copies has
# by then. The list only shrinks. What is left is of records or data, or is trained; but for
# MultiHeadAttention, which is too long for a page: multi-head shows its methods.
NOT_SHOWN: dict[str, str] = {
    "why/rnn-bottleneck": "runs",
    "recurrent/bahdanau": "pad translators",
    "recurrent/luong": "every",
    "recurrent/local-and-hard": "hard_runs",
    "recurrent/captioning": "WAYS WORDS",
    "vision/asking-an-image": "Found",
    "transformer/multi-head": "ac",
    "transformer/masks-and-cross-attention": "came translator",
    "transformer/transformer-block": "MultiHeadAttention loss_of text",
    "transformer/encoder-decoder": "LengthBatches MultiHeadAttention task",
    "scale/complexity": "layer_weights run_counted",
    "scale/triton-kernel": "measure",
}
