"""Measures how well two mistakes at once are named: pairs of the bank's own edits.

Pairs are drawn at random from all that can be made at once and of which neither hides the
other. The diagnosis tries such pairs itself, so they are also named without that step, and with
one of the two taken out of the bank: then any name but the other's is wrong.

    python benchmarks/diagnosis.py           # about 5 minutes on one core
    python benchmarks/diagnosis.py --quick   # a smoke test that records nothing
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median

import numpy as np
from shared import command_line, store

from attention_course.exercises import (
    Exercise,
    Report,
    Wrong,
    all_exercises,
    diagnose,
    diagnosis,
    examine_source,
    exercise_named,
)

EACH, SEED = 12, 14


def pairs_of(exercise: Exercise, most: int) -> list[tuple[tuple[Wrong, Wrong], Report]]:
    """Return pairs of mistakes drawn from those that can both be seen, with what was found."""
    known = [wrong for wrong in exercise.wrong if wrong.edits and not wrong.source]
    pairs = list(combinations(known, 2))
    found: list[tuple[tuple[Wrong, Wrong], Report]] = []
    for number in np.random.default_rng(SEED).permutation(len(pairs)):
        source = exercise.source_of_both(*pairs[number])
        if source is None:
            continue
        report = examine_source(exercise, source)
        if not report.right and not any(_alike(report, one) for one in pairs[number]):
            found.append((pairs[number], report))
        if len(found) == most:
            break
    return found


def _alike(report: Report, mistake: Wrong) -> bool:
    """Say whether an answer does just what one mistake alone does: the other is hidden."""
    other = diagnosis.tried(report.exercise, (mistake,))
    assert other is not None
    return all(
        one.complaint == other[i].complaint
        for i, one in enumerate((*report.findings, *report.isolated))
    )


def named(report: Report, without: Sequence[Wrong] = (), pairs: bool = True) -> tuple[str, ...]:
    """Return the names that an answer's mistakes are given, with fewer known, or no pairs."""
    known = tuple(w for w in report.exercise.wrong if w not in without)
    fewer, most = replace(report.exercise, wrong=known), diagnosis.MOST_PAIRS
    diagnosis.MOST_PAIRS = most if pairs else 0
    try:
        return tuple(w.name for w in diagnose(replace(report, exercise=fewer)).mistakes)
    finally:
        diagnosis.MOST_PAIRS = most


def tally(rows: Sequence[tuple[Sequence[str], Sequence[str]]]) -> dict[str, int]:
    """Count, of pairs of what is there and what was named, how many are right and wrong."""
    right = [len(set(there) & set(said)) for there, said in rows]
    return {
        "answers": len(rows),
        "one_named": sum(count > 0 for count in right),
        "both_named": sum(count == 2 for count in right),
        "names": sum(len(said) for _, said in rows),
        "wrong_names": sum(len(set(said) - set(there)) for there, said in rows),
    }


def of_the_bank(exercises: Sequence[Exercise], each: int) -> dict[str, object]:
    """Return the counts for so many pairs of each exercise."""
    whole, single, fewer = [], [], []
    seconds = []
    for exercise in exercises:
        for pair, report in pairs_of(exercise, each):
            there = tuple(wrong.name for wrong in pair)
            began = time.process_time()
            whole.append((there, named(report)))
            seconds.append(time.process_time() - began)
            single.append((there, named(report, pairs=False)))
            fewer += [(there[1 - i :][:1], named(report, [pair[i]])) for i in (0, 1)]
    return {
        "pairs": tally(whole),
        "probe by probe": tally(single),
        "one of the two unknown": tally(fewer),
        "exercises": len(exercises),
        "median_cpu_s": round(median(seconds), 3),
        "longest_cpu_s": round(max(seconds), 2),
    }


def main() -> None:
    """Read the command line, run all, record."""
    options = command_line(__doc__, quick="two exercises, two pairs each").parse_args()
    exercises, each = list(all_exercises().values()), EACH
    if options.quick:
        exercises, each = [exercise_named("four-steps"), exercise_named("self-attention")], 2
    result = of_the_bank(exercises, each)
    print(result)
    if not options.quick:
        store(__file__, result, seed=SEED, pairs_each=each)


if __name__ == "__main__":
    main()
