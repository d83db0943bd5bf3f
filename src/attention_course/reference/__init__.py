"""The specification: every operation of the course in NumPy, as its formula reads.

What does not fit a function's annotations or what its arguments are said to be is refused: a
ValueError names the function, what it expected and what it got.

What is not finite: NaN stays NaN on its way through sums and products, as in torch, and comes
out where it went in. Infinity counts as its limit where there is one: tanh of it is 1, and a
score of minus infinity means "may not attend", weight 0, a row of nothing else zeros. A
function whose result would hide a NaN (a choice, a position, a window) refuses both, and one
that takes weights refuses rows that sum to neither 1 nor 0, unless it says otherwise.
"""

from attention_course._public import public_names as _public_names
from attention_course.reference.attention import (
    attention_by_loops,
    one_query_backward,
    query_gradient,
    scaled_dot_product_attention,
)
from attention_course.reference.attention_by_hand import (
    dot_scores_by_loops,
    weighted_sum,
    weights_by_loops,
    write_freely,
    write_with_teacher,
)
from attention_course.reference.labs.saturation import (
    lab_draws,
    saturation,
    scale_factor,
    softmax_in_format,
)
from attention_course.reference.labs.sentence import (
    named_draws,
    split_words,
)
from attention_course.reference.masks import causal_mask, padding_mask, window_mask
from attention_course.reference.metrics.translation import (
    alignment_error_rate,
    bleu,
    hardest_links,
)
from attention_course.reference.number_formats import (
    FORMATS,
    format_limits,
    round_in_blocks,
    round_short,
    round_to,
    spacing,
    to_bfloat16,
)
from attention_course.reference.positions import (
    alibi_by_loops,
    alibi_slopes,
    rotate_by_loops,
    shift_matrix,
    sinusoidal_positions,
)
from attention_course.reference.recurrent.bahdanau import (
    BahdanauWeights,
    GatedUnit,
    align_by_loops,
    annotate_by_loops,
    bahdanau_by_loops,
    decoder_step,
    gated_step,
    maxout,
)
from attention_course.reference.recurrent.fixed_vector import (
    decode_by_loops,
    encode_by_loops,
    gru_step,
    write_by_loops,
)
from attention_course.reference.recurrent.gnmt import (
    GNMTWeights,
    gnmt_by_loops,
    gnmt_encode_by_loops,
    gnmt_step,
    run_by_loops,
)
from attention_course.reference.recurrent.gumbel import (
    gumbel_noise,
    relaxed_choice,
    straight_through_gradient,
)
from attention_course.reference.recurrent.hard import (
    best_baseline,
    choose,
    expected_reward_gradient,
    moving_baselines,
    reinforce_gradients,
    reinforce_variance,
    stochastic_gradient_by_loops,
)
from attention_course.reference.recurrent.local import (
    centre_gradient,
    local_weights,
    local_weights_by_loops,
    predicted_centres,
    predictor_gradients,
    window,
)
from attention_course.reference.recurrent.lstm import lstm_gates, lstm_step
from attention_course.reference.recurrent.lstmn import (
    LSTMNWeights,
    lstmn_by_loops,
    lstmn_look,
    lstmn_step,
)
from attention_course.reference.recurrent.luong import (
    LuongWeights,
    attentional_vector,
    luong_by_loops,
    luong_encode_by_loops,
    luong_step,
    scores_by_loops,
    step_through,
)
from attention_course.reference.recurrent.luong_scores import (
    concat_scores,
    general_scores,
    location_scores,
)
from attention_course.reference.recurrent.memory import (
    constrained_read_back,
    fit_read_out,
    input_gradients,
    last_states,
    latch,
    linear_memory,
    orthogonal_matrix,
    read_back,
    read_out_recall,
    recall_by_position,
    tanh_recurrence,
)
from attention_course.reference.recurrent.score_functions import (
    cosine_scores,
    kernel_attention,
    kernel_scores,
)
from attention_course.reference.scale.costs import (
    LayerCost,
    layer_costs,
    maximum_path,
    positions_read,
    signal_path,
    signal_spread,
    waiting_steps,
)
from attention_course.reference.scale.counting import (
    Tally,
    additive_counted,
    attention_counted,
    layer_weights,
    run_counted,
)
from attention_course.reference.scale.delta_rule import gated_delta_in_chunks, gated_delta_rule
from attention_course.reference.scale.dilution import diluted_weights
from attention_course.reference.scale.latent import absorbed_latent_attention, latent_attention
from attention_course.reference.scale.linear_attention import linear_attention
from attention_course.reference.scale.mixed_windows import stack_cache_bytes, stack_reach
from attention_course.reference.scale.native_sparse import (
    chosen_mask,
    native_sparse_attention,
    summaries,
)
from attention_course.reference.scale.numerics import (
    attention_in_format,
    fused_in_format,
    log_sum_exp,
    softmax_with_sink,
    sum_in_blocks,
    sum_one_by_one,
)
from attention_course.reference.scale.occupancy import Occupancy, occupancy
from attention_course.reference.scale.online_softmax import (
    attention_in_blocks,
    merge_partials,
    partial_attention,
)
from attention_course.reference.scale.pipeline import Pipeline, UnitStep, tile_pipeline
from attention_course.reference.scale.ring import (
    block_that_hides,
    parallel_bytes,
    ring_bytes,
    ring_positions,
    ring_work,
)
from attention_course.reference.scale.roofline import (
    AttentionWork,
    DeviceSheet,
    RooflineTime,
    attention_work,
    device_sheets,
    roofline,
)
from attention_course.reference.scale.serving import (
    Report,
    Request,
    Served,
    ServedModel,
    Step,
    per_million,
    report,
    serve,
    used,
)
from attention_course.reference.scale.sparse import (
    block_pattern,
    block_sparse_attention,
    expand_blocks,
    receptive_field,
    sliding_window_attention,
)
from attention_course.reference.scale.speculative import (
    acceptance,
    draw_symbol,
    keep_guesses,
    residual,
    tokens_per_pass,
    written_by_guessing,
)
from attention_course.reference.scale.stabilised import rms_norm, soft_cap
from attention_course.reference.scale.varlen import varlen_attention
from attention_course.reference.scores import additive_scores, dot_scores, scaled_dot_scores
from attention_course.reference.softmax import entropy, softmax, softmax_jacobian
from attention_course.reference.transformer.attention_only import attention_only_by_loops
from attention_course.reference.transformer.cross_attention import (
    cross_attention_by_loops,
    masked_attention_by_loops,
)
from attention_course.reference.transformer.mask_errors import (
    input_reach,
    moved_outputs,
    weights_by_rule,
)
from attention_course.reference.transformer.multi_head import (
    kv_cache_bytes,
    merge_heads,
    multi_head_attention,
    multi_head_by_loops,
    split_heads,
)
from attention_course.reference.transformer.self_attention import (
    layer_cost,
    self_attention,
    self_attention_by_loops,
)
from attention_course.reference.transformer.transformer_block import (
    encoder_decoder_by_loops,
    feed_forward,
    layer_norm,
)
from attention_course.reference.vision.convolutional_networks import (
    non_local,
    spatial_gate,
    squeeze_and_excitation,
)
from attention_course.reference.vision.detection import match, matching_cost
from attention_course.reference.vision.vision_transformer import (
    attention_rollout,
    patchify,
    plane_positions,
    unpatchify,
)

__all__ = _public_names(globals())
