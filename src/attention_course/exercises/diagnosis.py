"""Names the mistakes in an answer, by what known mistakes do with the same inputs.

Probe by probe: a mistake may be there if some probe that fails gives exactly what the mistake
alone gives, and it is not there if the answer holds a property that the mistake would break.
The probes that an exercise sets apart for this, beside those that earn points, isolate one
property each: where only one of two mistakes can show, it shows alone. Where two are seen in
every number, they are tried together: most are edits of our solution, and two can be made.
"""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from attention_course.exercises.examine import (
    TOO_SLOW,
    Finding,
    Report,
    compare,
    finding_of,
    isolating,
    judge,
    public_right,
    trial_of,
)
from attention_course.exercises.exercise import Exercise, Wrong

# So many numbers that are finite and wrong, and equal to a mistake's, are no chance.
TELLING = 2
# A mistake that explains a part of what fails is seen in so many probes, if there are more; one
# that is named beside another, in such a share. One that only tells mistakes apart counts less:
# where an array is 0, several do the same.
LEAST, SHARE, APART = 2, 1 / 8, 1 / 2
# Two mistakes together may miss one in so many: not everybody writes as we do.
MISSED = 10
# So many pairs are tried, first on two probes each, and so many probes tell mistakes apart: a
# reader waits for it.
MOST_PAIRS, MOST_TELLING = 300, 12
# A known loop is stopped when it has taken this share of what an answer may take: it is twice
# what a right one needs, and nobody earns points by it.
LOOP = 1 / 4

Mistakes = tuple[Wrong, ...]


@dataclass(frozen=True)
class Diagnosis:
    """The mistakes that are named, and whether they explain all that fails."""

    mistakes: Mistakes = ()
    whole: bool = False


def remembers(source: str) -> bool:
    """Return whether an answer may keep something from one call to the next.

    A list, dictionary or set stands outside its functions, or among their defaults.

    >>> [remembers(x) for x in ("known = {}", "def f(x, kept=[]): pass", "def f(): x = []")]
    [True, True, False]
    """
    tree = ast.parse(source)
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    bodies: list[ast.Module | ast.ClassDef] = [tree, *classes]
    values: list[ast.AST] = [
        part.value
        for body in bodies
        for part in body.body
        if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value
    ]
    values += [
        x for node in ast.walk(tree) if isinstance(node, ast.arguments) for x in node.defaults
    ]
    kinds = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set)
    return any(isinstance(part, kinds) for value in values for part in ast.walk(value))


class Trial:
    """What an answer of ours does, probe by probe, as far as somebody asks."""

    def __init__(self, exercise: Exercise, source: str):
        self.exercise, self.source = exercise, source
        self.made: dict[int, Finding] = {}
        self.in_order = remembers(source)

    def __getitem__(self, number: int) -> Finding:
        # What remembers sees the probes in the order in which a student's answer does.
        for at in range(len(self.made) if self.in_order else number, number + 1):
            if at not in self.made:
                self.made[at] = self._find(at)
        return self.made[number]

    def _find(self, number: int) -> Finding:
        if not self.made:
            self.defined = trial_of(self.exercise, self.source, lenient=False)
        probe = (*self.exercise.probes, *isolating(self.exercise))[number]
        return finding_of(self.exercise, probe, self.defined, share=LOOP)


_TRIALS: dict[tuple[str, ...], Trial] = {}
_KEPT = 4000


def tried(exercise: Exercise, mistakes: Mistakes) -> Trial | Sequence[Finding] | None:
    """Return what mistakes do when they are made together; None if they cannot be."""
    key = (*exercise.key, *(wrong.name for wrong in mistakes))
    if key not in _TRIALS:
        source = exercise.source_of_both(*mistakes)
        if source is None:
            return None
        if len(_TRIALS) > _KEPT:
            _TRIALS.clear()
        # A single one may use what is forbidden, and is then refused.
        free = replace(exercise, forbidden=()) if mistakes[1:] else exercise
        _TRIALS[key] = Trial(free, source)
    return _TRIALS[key]


def recognise(report: Report) -> Wrong | None:
    """Return the known mistake that alone explains all that fails, if there is one."""
    found = diagnose(report)
    return found.mistakes[0] if found.whole and len(found.mistakes) == 1 else None


def diagnose(report: Report) -> Diagnosis:
    """Return the mistakes that an answer shows; silent ones are never named."""
    errors = {finding.outcome.error for finding in report.findings}
    if report.right or errors == {NotImplementedError.__name__}:
        return Diagnosis()
    case = _Case(report)
    known = [wrong for wrong in report.exercise.wrong if not wrong.silent]
    loops = case.loops(known)
    found = _diagnosed(case, known) if case.failing else Diagnosis(whole=True)
    whole = found.whole and (bool(loops) or not case.slow)
    return Diagnosis((*found.mistakes, *loops)[:2], whole)


def _diagnosed(case: "_Case", known: Sequence[Wrong]) -> Diagnosis:
    """Name what all properties but those about large inputs tell."""
    singles = [(wrong,) for wrong in known]
    whole = [one for one in singles if case.explains(one) and case.allows(one)]
    if whole:
        return Diagnosis(max(whole, key=case.likeness), True)
    if not case.telling:
        return Diagnosis()
    possible = [one for one in singles if case.allows(one)]
    spare = len(case.failing) // MISSED
    pairs = [
        pair
        for pair in _pairs(case, possible)
        if case.begins_as(pair) and case.explains(pair, spare) and case.allows(pair)
    ]
    both = [pair for pair in pairs if case.explains(pair)]
    if both:
        return Diagnosis(_common(both), len(both) == 1)
    if pairs and not any(case.explains(one, spare + LEAST) for one in possible):
        return Diagnosis(_common(pairs) or _in_part(case, possible))
    return Diagnosis(_in_part(case, possible))


def _pairs(case: "_Case", possible: Sequence[Mistakes]) -> list[Mistakes]:
    """Return pairs of possible mistakes, first those of which one is seen alone somewhere."""
    seen = sorted(
        (one for one in possible if case.matched(one)), key=lambda one: -len(case.matched(one))
    )
    first = [(a[0], b[0]) for a in seen for b in possible if a != b]
    rest = [(a[0], b[0]) for a, b in combinations(possible, 2)]
    found: dict[frozenset[str], Mistakes] = {}
    for pair in [*first, *rest]:
        found.setdefault(frozenset(one.name for one in pair), pair)
    return list(found.values())[:MOST_PAIRS]


def _in_part(case: "_Case", possible: Sequence[Mistakes]) -> Mistakes:
    """Return what explains most of what fails, and then much of the rest."""
    named: Mistakes = ()
    left, least = set(case.telling), float(min(LEAST, len(case.telling)))
    while left and len(named) < 2:
        weights = {guess: case.weight(case.matched(guess) & left) for guess in possible}
        most = max(weights.values(), default=0.0)
        best = [guess for guess, weight in weights.items() if weight == most]
        if most < least or len(best) > 1:
            break
        named += best[0]
        left -= case.matched(best[0])
        least = max(least, SHARE * len(case.telling))
    return named


def _common(guesses: Sequence[Mistakes]) -> Mistakes:
    """Return the mistakes that all guesses share: of the others nothing is known."""
    return tuple(w for w in guesses[0] if all(w in guess for guess in guesses))


class _Case:
    """What an answer did, against what known mistakes do."""

    def __init__(self, report: Report):
        self.exercise = report.exercise
        self.seen, self.earning = (*report.findings, *report.isolated), len(report.findings)
        # A slow run only tells a loop from a vectorised answer.
        numbers = [i for i, one in enumerate(self.seen) if not one.probe.large]
        self.large = [i for i, one in enumerate(self.seen) if one.probe.large]
        self.slow = [i for i in self.large if _is_slow(self.seen[i])]
        self.numbers = numbers
        self.failing = [i for i in numbers if self._breaks(self.seen[i])]
        self.holding = [i for i in numbers if i not in self.failing]
        telling = [i for i in self.failing if self._tells(self.seen[i])]
        self.telling = telling[:: -(-len(telling) // MOST_TELLING) or 1]
        self._matched: dict[Mistakes, set[int]] = {}

    def _fails(self, finding: Finding) -> bool:
        """Say whether a known mistake fails; what was charged earlier counts too."""
        if finding.complaint or not finding.outcome.state:
            return bool(finding.complaint)
        return self._breaks(finding)

    def _breaks(self, finding: Finding) -> bool:
        """Say whether a property fails with the public inputs, whatever it was charged."""
        if finding.complaint:
            return True
        right = public_right(self.exercise, finding.probe)
        return bool(judge(self.exercise, finding.probe, right, finding.outcome))

    def _tells(self, finding: Finding) -> bool:
        """Say whether an outcome is one that another mistake would hardly give by chance."""
        came = finding.outcome
        if came.error:
            return False
        right = public_right(self.exercise, finding.probe)
        pairs = list(zip(right.values, came.values, strict=False))
        texts = any(isinstance(a, str) or isinstance(b, str) for a, b in pairs)
        if texts or not any(compare(self.exercise, "", a, b) for a, b in pairs):
            return True  # a text, a dtype, an argument or the session
        count = 0
        for a, b in pairs:
            wrong = a != b if a.shape == b.shape else np.ones(b.shape, bool)
            count += int((wrong & np.isfinite(b)).sum())
        return count >= TELLING

    def allows(self, guess: Mistakes) -> bool:
        """Say whether no property holds that the guess would break."""
        trial = tried(self.exercise, guess)
        return trial is not None and not any(self._fails(trial[i]) for i in self.holding)

    def explains(self, guess: Mistakes, spare: int = 0) -> bool:
        """Say whether all that fails, but for a few, does so as under the guess."""
        trial = tried(self.exercise, guess)
        if trial is None:
            return False
        missed = (i for i in self.failing if not self._same(i, trial[i]))
        return next(islice(missed, spare, None), None) is None

    def begins_as(self, guess: Mistakes) -> bool:
        """Say whether two properties that tell something fail as under the guess."""
        trial, some = tried(self.exercise, guess), self.telling[:: len(self.telling) // 2 or 1]
        return trial is not None and all(self._same(i, trial[i]) for i in some[:2])

    def weight(self, numbers: Iterable[int]) -> float:
        """Return how much it tells that an outcome fits in these probes."""
        return sum(1.0 if i < self.earning else APART for i in numbers)

    def matched(self, guess: Mistakes) -> set[int]:
        """Return the telling probes that come out as under the guess."""
        if guess not in self._matched:
            trial = tried(self.exercise, guess)
            assert trial is not None  # it was tried before
            self._matched[guess] = {i for i in self.telling if self._same(i, trial[i])}
        return self._matched[guess]

    def likeness(self, guess: Mistakes) -> int:
        """Return on how many probes, failing or not, the outcome is the guess's own."""
        trial = tried(self.exercise, guess)
        assert trial is not None  # it was tried before
        return sum(self._equal(self.seen[i], trial[i]) for i in self.numbers)

    def loops(self, known: Iterable[Wrong]) -> Mistakes:
        """Return the known mistake that is slow alone, and where the answer is.

        On a busy machine another loop may seem slow there too, but not there only.
        """
        found = []
        for wrong in known if self.slow else ():
            trial = tried(self.exercise, (wrong,))
            if trial is None or any(self._fails(trial[i]) for i in self.numbers):
                continue
            slow = [i for i in self.large if _is_slow(trial[i])]
            if set(slow) >= set(self.slow):
                found.append((len(slow), wrong))
        return (min(found, key=lambda one: one[0])[1],) if found else ()

    def _same(self, number: int, other: Finding) -> bool:
        return self._fails(other) and self._equal(self.seen[number], other)

    def _equal(self, finding: Finding, other: Finding) -> bool:
        mine, known = finding.outcome, other.outcome
        if mine.error or known.error:
            return mine.error == known.error and mine.error not in ("", "NotImplementedError")
        if (mine.names, mine.changed, mine.state) != (known.names, known.changed, known.state):
            return False
        return not any(
            compare(self.exercise, "", theirs, own)
            for theirs, own in zip(known.values, mine.values, strict=True)
        )


def _is_slow(finding: Finding) -> bool:
    return finding.outcome.error == TOO_SLOW


def names_of(mistakes: Iterable[Wrong]) -> str:
    """Return mistakes in words, to follow *if*."""
    return AND.join(wrong.name for wrong in mistakes)


# Between two mistakes in one text; no mistake's own name holds it.
AND = " and if "
