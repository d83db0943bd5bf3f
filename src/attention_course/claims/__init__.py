"""What a few runs show: better or worse, within which bounds, which fault.

Chapters print the numbers; these rules say what follows from them, and a test with made-up
measurements turns each the other way. One module for each chapter that needs rules of its own.
"""

from attention_course.claims.luong import (
    verdict,
)
from attention_course.claims.rnn_bottleneck import (
    interval,
)
from attention_course.claims.transformer_block import find_fault

__all__ = [
    "find_fault",
    "interval",
    "verdict",
]
