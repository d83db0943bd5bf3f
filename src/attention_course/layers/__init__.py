"""The layers of the course in torch, equal to ``reference``. Importing this needs torch."""

from attention_course._public import public_names as _public_names
from attention_course.layers.attention import (
    Attention,
    attend,
    masked_softmax,
    scaled_dot_product_attention,
)
from attention_course.layers.parity import (
    ParityCell,
    mask_named,
    multihead_twin,
    parity_cells,
    parity_gaps,
)
from attention_course.layers.positions import (
    KINDS,
    LearnedPositions,
    Positions,
    RotaryPositions,
    new_positions,
)
from attention_course.layers.recurrent.bahdanau import (
    BahdanauAttention,
    GatedUnit,
    TwoWayEncoder,
    gated_step,
)
from attention_course.layers.recurrent.gnmt import ResidualStack, TwoWayLSTM, reverse_rows
from attention_course.layers.recurrent.hard import (
    GumbelAttention,
    HardAttention,
    MovingBaseline,
    reinforce_loss,
    take,
)
from attention_course.layers.recurrent.local import (
    LocalAttention,
    PredictedCentre,
    local_weights,
)
from attention_course.layers.recurrent.lstmn import LSTMN
from attention_course.layers.recurrent.luong_scores import (
    ConcatScore,
    GeneralScore,
    LocationScore,
)
from attention_course.layers.recurrent.score_functions import CosineScore, KernelScore
from attention_course.layers.recurrent.score_table import SCORE_NAMES, make_score
from attention_course.layers.scale.block_sparse import block_sparse_attention
from attention_course.layers.scale.caches import Cache, KVCache, WindowCache
from attention_course.layers.scale.delta_rule import RecurrentAttention
from attention_course.layers.scale.latent import (
    LatentAttention,
    absorbed_latent_attention,
    latent_attention,
)
from attention_course.layers.scale.linear_attention import linear_attention, linear_in_chunks
from attention_course.layers.scale.native_sparse import (
    NativeSparseAttention,
    chosen_mask,
    native_sparse_attention,
    summaries,
)
from attention_course.layers.scale.sliding_window import sliding_window_attention
from attention_course.layers.scale.stabilised import SteadyAttention
from attention_course.layers.scale.windowed import WindowedAttention
from attention_course.layers.scores import AdditiveScore, DotScore, ScaledDotScore, Score
from attention_course.layers.transformer.cross_attention import (
    CrossAttention,
    KeysValues,
    extend,
)
from attention_course.layers.transformer.multi_head import (
    MultiHeadAttention,
    share_keys_values,
)
from attention_course.layers.transformer.plain_block import (
    PlainBlock,
    post_norm,
    pre_norm,
)
from attention_course.layers.transformer.self_attention import SelfAttention
from attention_course.layers.transformer.transformer_block import FeedForward, TransformerBlock
from attention_course.layers.vision.convolutional_networks import (
    NonLocalBlock,
    SpatialGate,
    SqueezeAndExcitation,
)

__all__ = _public_names(globals())
