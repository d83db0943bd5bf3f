"""Real corpora with their provenance, small tasks, and batches. NumPy only."""

from attention_course.data.batches import Batch, LengthBatches, pad
from attention_course.data.cmudict import hold_out, load_cmudict
from attention_course.data.tasks import (
    random_strings,
    reverse,
    running_maximum,
    swap_neighbours,
)
from attention_course.data.verses import load_verses
from attention_course.data.vocabulary import Vocabulary

__all__ = [
    "Batch",
    "LengthBatches",
    "Vocabulary",
    "hold_out",
    "load_cmudict",
    "load_verses",
    "pad",
    "random_strings",
    "reverse",
    "running_maximum",
    "swap_neighbours",
]
