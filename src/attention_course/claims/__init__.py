"""Decisions that chapters print: what a run shows, as True or False.

A loss curve differs from machine to machine, a conclusion should not. Each rule has a margin
wide enough for that, and a test with made-up measurements that turn it False. One module for
each chapter that needs rules of its own.
"""

from attention_course.claims.bahdanau import (
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
from attention_course.claims.score_functions import (
    dates_verdicts,
    lookup_verdicts,
    slower,
)
from attention_course.claims.transformer_block import find_fault

__all__ = [
    "a_place_each",
    "ahead_everywhere",
    "always_below",
    "at_chance",
    "best_is_between",
    "cheats",
    "concentrated",
    "dates_verdicts",
    "ends_alike",
    "equally_bad",
    "find_fault",
    "finds_most",
    "gets_worse",
    "interval",
    "keeps_more",
    "learnt",
    "leaves_earlier_alone",
    "looks_past",
    "lookup_verdicts",
    "misaligned",
    "must_compromise",
    "near_misses",
    "nearly_even",
    "none_carries_it_all",
    "roles_are_assigned",
    "runs_along",
    "same_score",
    "share_kept",
    "slower",
    "vanishes",
    "verdict",
]
