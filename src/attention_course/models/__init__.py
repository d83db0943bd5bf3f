"""What the chapters train. Importing this needs torch."""

from attention_course._public import public_names as _public_names
from attention_course.models.experiments.asking import (
    Asker,
    GarmentEncoder,
    answer_loss,
    asked_tensors,
    cut_places,
    garment_tensors,
    load_asker,
    naming_loss,
    normal,
    share_on_place,
)
from attention_course.models.experiments.calls import CallReader, call_loss, call_tensors
from attention_course.models.experiments.captioning import (
    Captioner,
    GridEncoder,
    caption_loss,
    gradient_noise,
    rewards_of,
)
from attention_course.models.experiments.convolutional_networks import (
    AttentiveConvNet,
    answers_covered,
    cost_of_covered_pixels,
    cut_attention,
    load_attentive_networks,
    patches_of,
)
from attention_course.models.experiments.detection import (
    Detector,
    DetectorLayer,
    Look,
    box_tensors,
    matched_queries,
    set_loss,
)
from attention_course.models.experiments.longer_positions import (
    SlowedRotary,
    slow_down,
    slowed_speeds,
)
from attention_course.models.experiments.lookup import (
    LookupModel,
    lookup_accuracy,
    lookup_loss,
    lookup_tensors,
)
from attention_course.models.experiments.next_symbol import (
    CausalHead,
    NextSymbolModel,
    next_symbol_loss,
)
from attention_course.models.experiments.tagger import RecurrentTagger, tagging_loss
from attention_course.models.experiments.uniform_attention import diagnose, plant
from attention_course.models.experiments.vision_transformer import (
    ImageBatches,
    SmallConvNet,
    VisionTransformer,
    image_accuracy,
    image_loss,
    load_vision_transformer,
    without_head,
)
from attention_course.models.language import LanguageModel, load_language_model, write
from attention_course.models.pretrained.decoder import (
    GatedFeedForward,
    llama_like,
    load_smollm2,
    read_tokens,
)
from attention_course.models.pretrained.encoder import (
    BidirectionalEncoder,
    SmoothFeedForward,
    load_minilm,
    load_rxnmapper,
    random_twin,
    sentence_vector,
)
from attention_course.models.pretrained.files import MissingModelError, find_model
from attention_course.models.pretrained.interventions import evened, norm_weighted, silenced
from attention_course.models.pretrained.scores import (
    flip_p_values,
    induction_scores,
    looks_back,
    looks_first,
    t_statistic,
)
from attention_course.models.translators.assembled import (
    AssembledTransformer,
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    PlacedWords,
    training_step,
    write_greedily,
)
from attention_course.models.translators.attention_only import (
    AttentionOnlySeq2Seq,
    attention_only_weights,
    heads_of,
)
from attention_course.models.translators.bahdanau import (
    BahdanauSeq2Seq,
    FixedContextSeq2Seq,
    bahdanau_weights,
    fixed_twin,
)
from attention_course.models.translators.decoding import replace_unknown
from attention_course.models.translators.encoder_decoder import (
    EncoderDecoder,
    blocks_of,
    from_torch,
    norm_of,
)
from attention_course.models.translators.fixed_vector import (
    FixedVectorSeq2Seq,
    sequence_loss,
    translate,
)
from attention_course.models.translators.gnmt import GNMT, gnmt_weights
from attention_course.models.translators.luong import DecoderState, LuongSeq2Seq, luong_weights
from attention_course.models.translators.trained import load_translator
from attention_course.models.translators.transformer import Transformer

__all__ = _public_names(globals())
