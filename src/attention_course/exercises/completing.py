"""A solution with one line taken out, and the lines that people have written in its place."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from attention_course.exercises.bank import exercise_named, targets
from attention_course.exercises.exercise import Exercise

SHORTEST = 20  # characters; what is shorter asks nothing
WRONG = 3  # lines to choose from, beside the right one
ALIKE = 0.8  # difflib's ratio; lines that are more alike are one question


@dataclass(frozen=True)
class Completion:
    """Three lines of a solution, of which one is asked.

    Attributes:
        lines: the three, with their indents.
        at: which of them is taken out.
        wrong: lines that mistakes of the bank write there, each with the mistake's hint.
    """

    lines: tuple[str, str, str]
    at: int
    wrong: dict[str, str]

    @property
    def right(self) -> str:
        """The line that is taken out, without its indent."""
        return self.lines[self.at].strip()


@cache
def completions() -> dict[str, Completion]:
    """Return the line that is asked of each exercise, with its neighbours, by the slug.

    It is the one that most mistakes change, alone, and two at least. Where solutions share a
    line, or nearly, it is asked of the exercise with most mistakes; the others ask their next.

    >>> completions()["scaled-dot-product-attention"].right
    'scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])'
    >>> completions()["attend-in-heads"].right
    'return joined @ W_o, weights'
    """
    possible = {slug: every for slug in targets() if (every := _possible(exercise_named(slug)))}
    found: dict[str, Completion] = {}
    for slug in sorted(possible, key=lambda slug: -possible[slug][0][0]):
        taken = [one.right for one in found.values()]
        ways = [one for _, one in possible[slug]]
        own = (one for one in ways if not get_close_matches(one.right, taken, 1, ALIKE))
        found[slug] = next(own, ways[0])
    return found


def _possible(exercise: Exercise) -> list[tuple[int, Completion]]:
    """Return the lines that two mistakes change, with how many do, the most first."""
    source = exercise.solution.splitlines()
    wrong: dict[int, dict[str, str]] = defaultdict(dict)
    for mistake in exercise.wrong:
        other = exercise.source_of(mistake).splitlines()
        changed = [i for i, (a, b) in enumerate(zip(source, other, strict=False)) if a != b]
        if not mistake.silent and len(other) == len(source) and len(changed) == 1:
            line = other[changed[0]].strip()
            if line != "pass":
                wrong[changed[0]].setdefault(line, mistake.hint)
    found = []
    for code in _functions(exercise.solution):
        for at in code[1:] if len(code) > 2 else ():
            if len(wrong[at]) > 1 and len(source[at].strip()) >= SHORTEST:
                # In the middle, unless it is the last line of its function.
                first = min(code.index(at) - 1, len(code) - 3)
                shown = code[first : first + 3]
                one, two, three = (source[i] for i in shown)
                hints = dict([*wrong[at].items()][:WRONG])
                asked = Completion((one, two, three), shown.index(at), hints)
                found.append((len(wrong[at]), asked))
    return sorted(found, key=lambda one: -one[0])


def _functions(source: str) -> Iterator[list[int]]:
    """Yield the lines of each function that are its head, or statements on one line."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            inside = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
            yield sorted({node.lineno - 1 for node in inside if _begins_on_one_line(node)})


def _begins_on_one_line(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False  # a text
    head = isinstance(node, (ast.For, ast.While, ast.If, ast.FunctionDef))
    return head or node.lineno == node.end_lineno
