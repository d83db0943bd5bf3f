"""Measure *Defend it*: how much the questions about each exercise's solution differ.

    python tools/questions.py [EXERCISE …]

Of 25 names it counts whoever is asked, whoever shares one question, and for how many one choice
is right. It takes half a minute for all.
"""

import sys
from collections import Counter
from functools import cache

from attention_course.exercises.bank import exercise_named, targets
from attention_course.exercises.defend import Question, question_of
from attention_course.exercises.examine import Report, examine_source
from attention_course.exercises.exercise import Exercise

NAMES = 25
FEWEST_ASKED, MOST_SHARE, MOST_RIGHT = 20, 5, 13


def measured(exercise: Exercise) -> tuple[int, int, int]:
    """Return how many names are asked, share a question, and have one right choice."""
    report = cache(lambda source: examine_source(plain[0], source))
    plain: list[Exercise] = []

    def examined(asked: Exercise, source: str) -> Report:
        plain[:] = [asked]
        return report(source)

    names = (f"student {number}" for number in range(NAMES))
    found = [question_of(exercise, exercise.solution, name, examined) for name in names]
    asked = [one for one in found if isinstance(one, Question)]
    shared = Counter(one.source for one in asked)
    right = Counter(one.right for one in asked)
    return len(asked), max(shared.values(), default=0), max(right.values(), default=0)


def differ(asked: int, share: int, right: int) -> bool:
    """Say whether questions differ enough for points to depend on them."""
    return asked >= FEWEST_ASKED and share <= MOST_SHARE and right <= MOST_RIGHT


def main(slugs: list[str]) -> None:
    """Print one table."""
    print(f"{'of 25 names':32}{'asked':>8}{'share':>8}{'right':>8}  for points")
    for slug in slugs:
        exercise = exercise_named(slug)
        if exercise.uses != "triton":
            counts = measured(exercise)
            row = "".join(f"{count:8}" for count in counts)
            print(f"{slug:32}{row}  {'yes' if differ(*counts) else 'no'}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or list(targets()))
