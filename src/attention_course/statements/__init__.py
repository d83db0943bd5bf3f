"""Decisions that chapters print: what a run shows, as True or False.

A loss curve differs from machine to machine, a conclusion should not. Each rule has a margin
wide enough for that, and a test with made-up measurements that turn it False. One module for
each chapter that needs rules of its own.
"""

from attention_course.statements.bahdanau import (
    ahead_everywhere,
    concentrated,
    finds_most,
    keeps_more,
    looks_past,
    misaligned,
    near_misses,
    nearly_even,
    runs_along,
    same_score,
    share_kept,
)
from attention_course.statements.bottleneck import (
    always_below,
    at_chance,
    equally_bad,
    gets_worse,
    interval,
    learnt,
    vanishes,
)

__all__ = [
    "ahead_everywhere",
    "always_below",
    "at_chance",
    "concentrated",
    "equally_bad",
    "finds_most",
    "gets_worse",
    "interval",
    "keeps_more",
    "learnt",
    "looks_past",
    "misaligned",
    "near_misses",
    "nearly_even",
    "runs_along",
    "same_score",
    "share_kept",
    "vanishes",
]
