"""Decisions that chapters print: what a run shows, as True or False.

A loss curve differs from machine to machine, a conclusion should not. Each rule has a margin
wide enough for that, and a test with made-up measurements that turn it False. One module for
each chapter that needs rules of its own.
"""

from attention_course.claims.luong import (
    verdict,
)
from attention_course.claims.rnn_bottleneck import (
    always_below,
    interval,
)
from attention_course.claims.transformer_block import find_fault

__all__ = [
    "always_below",
    "find_fault",
    "interval",
    "verdict",
]
