"""Completes an answer with the imports that stand in another cell of its notebook.

Only the marked cell is graded. ``check`` cannot know that, because in the student's session
``import numpy as np`` works from any cell; so an honest import is taken along. Nothing else is.
"""

import ast
from collections.abc import Iterator, Sequence

MODULES = {"numpy", "math", "torch", "itertools", "functools", "collections", "typing"}


def completed(source: str, others: Sequence[str]) -> tuple[str, list[str]]:
    r"""Return an answer with the imports it lacks, and these imports.

    They are put into the answer's first line, a comment, so that no other line moves.

    Args:
        source: the answer's cell.
        others: the notebook's other cells of code.

    >>> completed("# EXERCISE a\ndef f(x): return np.exp(x)", ["import numpy as np\nx = 1"])
    ('import numpy as np  # EXERCISE a\ndef f(x): return np.exp(x)', ['import numpy as np'])
    """
    lacking = _lacking(source)
    found: dict[str, str] = {}
    for other in others if lacking else ():
        for name, line in _imports(other):
            if name in lacking:
                found.setdefault(name, line)
    if not found:
        return source, []
    lines = list(dict.fromkeys(found.values()))
    first, rest = source.split("\n", 1) if "\n" in source else (source, "")
    joined = "; ".join(lines)
    if first.removeprefix("\ufeff").lstrip().startswith("#"):
        return f"{joined}  {first.removeprefix(chr(0xFEFF)).lstrip()}\n{rest}", lines
    return f"{joined}\n{source}", lines


def _lacking(source: str) -> set[str]:
    """Return the names that an answer uses and gives no meaning to."""
    tree = _tree(source)
    used, bound = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
    return used - bound


def _imports(source: str) -> Iterator[tuple[str, str]]:
    """Yield the names that a cell's own imports give, each with a line that does it."""
    for node in _tree(source).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _known(alias.name):
                    name = alias.asname or alias.name.split(".")[0]
                    yield name, ast.unparse(ast.Import(names=[alias]))
        elif isinstance(node, ast.ImportFrom) and not node.level and _known(node.module):
            for alias in node.names:
                line = ast.unparse(ast.ImportFrom(node.module, [alias], 0))
                yield alias.asname or alias.name, line


def _known(module: str | None) -> bool:
    return (module or "").split(".")[0] in MODULES


def _tree(source: str) -> ast.Module:
    try:
        return ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])
