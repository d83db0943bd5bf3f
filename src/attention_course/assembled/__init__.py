"""A Transformer of your own parts: a translator of the small world, in NumPy."""

from attention_course.assembled.guard import PartError
from attention_course.assembled.learner import train_with
from attention_course.assembled.slots import SLOTS, Slot
from attention_course.assembled.translator import (
    AssembledTranslator,
    Comparison,
    Departure,
    assemble,
)

__all__ = [
    "SLOTS",
    "AssembledTranslator",
    "Comparison",
    "Departure",
    "PartError",
    "Slot",
    "assemble",
    "train_with",
]
