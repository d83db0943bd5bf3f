"""What the chapters train. Importing this needs torch."""

from attention_course.models.fixed_vector import (
    FixedVectorSeq2Seq,
    forward_flops,
    sequence_loss,
    translate,
)
from attention_course.models.g2p_en import load_g2p_en
from attention_course.models.step_tagger import StepTagger, step_loss

__all__ = [
    "FixedVectorSeq2Seq",
    "StepTagger",
    "forward_flops",
    "load_g2p_en",
    "sequence_loss",
    "step_loss",
    "translate",
]
