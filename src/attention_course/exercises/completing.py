"""A solution with one line taken out, and the lines that people have written in its place."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from attention_course.exercises.exercise import Exercise

SHORTEST = 20  # characters; what is shorter asks nothing
WRONG = 3  # lines to choose from, beside the right one


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


def completion(exercise: Exercise) -> Completion | None:
    """Return the line of a solution that most mistakes change, with its neighbours.

    Returns:
        None if no line is changed, alone, by two mistakes.

    >>> from attention_course.exercises.bank import exercise_named
    >>> len(completion(exercise_named("self-attention")).lines)
    3
    """
    source = exercise.solution.splitlines()
    wrong: dict[int, dict[str, str]] = defaultdict(dict)
    for mistake in exercise.wrong:
        other = exercise.source_of(mistake).splitlines()
        changed = [i for i, (a, b) in enumerate(zip(source, other, strict=False)) if a != b]
        if not mistake.silent and len(other) == len(source) and len(changed) == 1:
            line = other[changed[0]].strip()
            if line != "pass":
                wrong[changed[0]].setdefault(line, mistake.hint)
    asked = [
        (len(wrong[i]), -i, code)
        for code in _functions(exercise.solution)
        for i in code[1:]
        if len(wrong[i]) > 1 and len(source[i].strip()) >= SHORTEST and len(code) > 2
    ]
    if not asked:
        return None
    _, at, code = max(asked)
    # In the middle, unless it is the last line of its function.
    first = min(code.index(-at) - 1, len(code) - 3)
    shown = code[first : first + 3]
    one, two, three = (source[i] for i in shown)
    return Completion((one, two, three), shown.index(-at), dict([*wrong[-at].items()][:WRONG]))


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
