"""What the chapters train. Importing this needs torch."""

from attention_course.models.experiments.tagger import RecurrentTagger, tagging_loss
from attention_course.models.translators.fixed_vector import (
    FixedVectorSeq2Seq,
    forward_flops,
    sequence_loss,
    translate,
)
from attention_course.models.translators.g2p_en import load_g2p_en

__all__ = [
    "FixedVectorSeq2Seq",
    "RecurrentTagger",
    "forward_flops",
    "load_g2p_en",
    "sequence_loss",
    "tagging_loss",
    "translate",
]
