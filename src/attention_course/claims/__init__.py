"""Decisions that chapters print: what a run shows, as True or False.

A loss curve differs from machine to machine, a conclusion should not. Each rule has a margin
wide enough for that, and a test with made-up measurements that turn it False. One module for
each chapter that needs rules of its own.
"""

from attention_course.claims.luong import (
    verdict,
)
from attention_course.claims.masks_and_cross_attention import (
    cheats,
    leaves_earlier_alone,
)
from attention_course.claims.multi_head import (
    a_place_each,
    best_is_between,
    ends_alike,
    must_compromise,
    none_carries_it_all,
    roles_are_assigned,
)
from attention_course.claims.rnn_bottleneck import (
    always_below,
    at_chance,
    equally_bad,
    gets_worse,
    interval,
    learnt,
    vanishes,
)
from attention_course.claims.transformer_block import find_fault, holds_up

__all__ = [
    "a_place_each",
    "always_below",
    "at_chance",
    "best_is_between",
    "cheats",
    "ends_alike",
    "equally_bad",
    "find_fault",
    "gets_worse",
    "holds_up",
    "interval",
    "learnt",
    "leaves_earlier_alone",
    "must_compromise",
    "none_carries_it_all",
    "roles_are_assigned",
    "vanishes",
    "verdict",
]
