"""A translator of the small world from your own parts, in NumPy: a Transformer or older."""

from attention_course.assembled.guard import PartError
from attention_course.assembled.learner import train_with
from attention_course.assembled.slots import LINES, SLOTS, Line, Slot
from attention_course.assembled.translator import (
    AssembledTranslator,
    Comparison,
    Departure,
    assemble,
)

__all__ = [
    "LINES",
    "SLOTS",
    "AssembledTranslator",
    "Comparison",
    "Departure",
    "Line",
    "PartError",
    "Slot",
    "assemble",
    "train_with",
]
