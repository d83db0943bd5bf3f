"""Completes an answer with the imports that stand in another cell of its notebook.

Only the marked cell is graded. ``check`` cannot know that, because in the student's session
``import numpy as np`` works from any cell; so an honest import is taken along. Nothing else is.
The other way round, calls of ``check`` and the like, which only a notebook knows, are left out.
"""

import ast
import io
import symtable
import sys
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from course_grader.submissions.parsing import tree_of

MODULES = {
    *("numpy", "math", "torch", "itertools", "functools", "collections", "typing"),
    *("time", "random", "dataclasses", "enum", "copy", "operator", "warnings"),
}
# What only a notebook knows: its calls, and the modules whose imports are for them.
CALLS = {"check", "hint", "assert_part", "display", "get_ipython"}
SHOWING = {"attention_course", "matplotlib", "IPython"}
ALWAYS_THERE = {"numpy", *sys.stdlib_module_names}
_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def completed(source: str, imports: Mapping[str, str]) -> tuple[str, list[str]]:
    r"""Return an answer with the imports it lacks, and these imports, of those :func:`given`.

    They are put where no line moves: into the answer's first line, a comment, or behind its
    last import from ``__future__``, before which nothing may stand.

    >>> numpy = given([facts("import numpy as np\nx = 1")])
    >>> completed("# EXERCISE a\ndef f(x): return np.exp(x)", numpy)
    ('import numpy as np  # EXERCISE a\ndef f(x): return np.exp(x)', ['import numpy as np'])
    """
    lacking = _lacking(source)
    lines = list(dict.fromkeys(line for name, line in imports.items() if name in lacking))
    if not lines:
        return source, []
    joined = "; ".join(lines)
    body = _tree(source).body
    future = [n for n in body if isinstance(n, ast.ImportFrom) and n.module == "__future__"]
    if future:
        plain_source = source.removeprefix("\ufeff")
        end = _Places(plain_source).end(future[-1])
        return f"{plain_source[:end]}; {joined}{plain_source[end:]}", lines
    first, rest = source.split("\n", 1) if "\n" in source else (source, "")
    if first.removeprefix("\ufeff").lstrip().startswith("#"):
        return f"{joined}  {first.removeprefix(chr(0xFEFF)).lstrip()}\n{rest}", lines
    return f"{joined}\n{source}", lines


@dataclass(frozen=True)
class Facts:
    """What a cell's code gives outside every function; of no Python, nothing is known.

    Args:
        imports: the names that its imports give, each with the line that does it.
        defines: the names of its functions, classes and variables, and whether there is
            nothing in them, as in a stub.
    """

    imports: dict[str, str] = field(default_factory=dict)
    defines: dict[str, bool] = field(default_factory=dict)


def facts(source: str) -> Facts:
    r"""Return what a cell gives; its code is parsed once and never run.

    >>> facts("import numpy as np, os\ntry:\n    from math import exp\nexcept: pass").imports
    {'np': 'import numpy as np', 'exp': 'from math import exp'}
    >>> facts("def f(x):\n    raise NotImplementedError\ng = 1").defines
    {'f': True, 'g': False}
    """
    tree = _tree(source)
    imports: dict[str, str] = {}
    for name, line in _imports(tree.body):
        imports.setdefault(name, line)
    return Facts(imports, dict(_definitions(tree.body)))


def given(cells: Iterable[Facts]) -> dict[str, str]:
    """Return the names that cells' own imports give, each with the line that does it."""
    found: dict[str, str] = {}
    for cell in cells:
        for name, line in cell.imports.items():
            found.setdefault(name, line)
    return found


def lacks(source: str, names: Container[str]) -> bool:
    """Return whether an answer uses a name of these and does not give it itself."""
    return any(name in names for name in _lacking(source))


def without_calls(source: str) -> tuple[str, list[str]]:
    r"""Return an answer without what only a notebook knows, and the names of what was left out.

    Left out are calls of ``check``, ``hint`` and the like, imports of the course and of what
    draws, with the calls of what they give, and imports that nothing uses, because what they
    fetch may not be there; each where it stands by itself outside every block. In its place
    stands an empty pair of brackets over as many lines, so no line moves.

    >>> without_calls("def f(x): return x\ncheck(\n    f)")
    ('def f(x): return x\n(\n)', ['check'])
    """
    tree = _tree(source)
    names, used = CALLS - _defined(tree), _used(tree)
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {_given_name(alias) for alias in _needless(node, used)}
    plain_source = source.removeprefix("\ufeff")
    place = _Places(plain_source)
    kept, left, before = [], [], 0
    for node in tree.body:
        if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom):
            continue
        instead = _instead(node, names, used)
        if instead is None:
            continue
        begin, end = place.begin(node), place.end(node)
        lines = "\n" * plain_source.count("\n", begin, end)
        kept += [plain_source[before:begin], instead or f"({lines})"]
        before = end
        left.append(_named(node, used))
    if not left:
        return source, []
    return "".join(kept) + plain_source[before:], list(dict.fromkeys(left))


def _instead(
    node: ast.Expr | ast.Import | ast.ImportFrom, names: set[str], used: set[str]
) -> str | None:
    """Return what a statement becomes: empty if it is left out, None if it stays."""
    if isinstance(node, ast.Expr):
        called = isinstance(node.value, ast.Call) and _root(node.value.func) in names
        return "" if called else None
    needless = _needless(node, used)
    if not needless:
        return None
    others = [alias for alias in node.names if alias not in needless]
    return ast.unparse(ast.Import(others)) if others else ""


def _needless(node: ast.Import | ast.ImportFrom, used: set[str]) -> list[ast.alias]:
    """Return which of an import's names show or check, or are used nowhere."""

    def drops(module: str, aliases: list[ast.alias]) -> bool:
        top = module.split(".")[0]
        idle = not used & {_given_name(alias) for alias in aliases}
        return top in SHOWING or (idle and top not in ALWAYS_THERE)

    if isinstance(node, ast.ImportFrom):
        star = any(alias.name == "*" for alias in node.names)
        if node.level or (star and (node.module or "").split(".")[0] not in SHOWING):
            return []
        return list(node.names) if drops(node.module or "", node.names) else []
    return [alias for alias in node.names if drops(alias.name, [alias])]


def _used(tree: ast.Module) -> set[str]:
    """Return the names that are read or deleted anywhere, or said to be others'."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Global):
            found |= set(node.names)
    return found


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call):
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return node.id if isinstance(node, ast.Name) else ""


def _named(node: ast.Expr | ast.Import | ast.ImportFrom, used: set[str]) -> str:
    if isinstance(node, ast.Expr):
        called = node.value.func if isinstance(node.value, ast.Call) else node.value
        attribute = f".{called.attr}" if isinstance(called, ast.Attribute) else ""
        return f"{_root(called)}{attribute}"
    module = _needless(node, used)[0].name if isinstance(node, ast.Import) else node.module
    return f"import {module}"


def _defined(tree: ast.Module) -> set[str]:
    """Return what a cell itself calls so."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


class _Places:
    """Where statements begin and end in a source; Python counts their columns in bytes."""

    def __init__(self, source: str):
        self._lines = io.StringIO(source, newline="").readlines()
        self._starts = list(accumulate(map(len, self._lines), initial=0))

    def begin(self, node: ast.stmt) -> int:
        return self._place(node.lineno, node.col_offset)

    def end(self, node: ast.stmt) -> int:
        return self._place(node.end_lineno or node.lineno, node.end_col_offset or 0)

    def _place(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode("utf-8")[:column]
        return self._starts[line - 1] + len(before.decode("utf-8"))


def _lacking(source: str) -> set[str]:
    """Return the names that an answer uses from outside every function, and does not give."""
    try:
        table = symtable.symtable(source.removeprefix("\ufeff"), "<cell>", "exec")
    except _UNREADABLE:
        return set()
    used, bound = set(), set()
    tables = [table]
    while tables:
        scope = tables.pop()
        tables += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                used.add(symbol.get_name())
            if symbol.is_global() and (symbol.is_assigned() or symbol.is_imported()):
                bound.add(symbol.get_name())
    return used - bound


def _definitions(nodes: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Yield the names that statements define, and whether there is nothing in them."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, _is_stub(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((name.id, False) for name in targets if isinstance(name, ast.Name))
        else:
            yield from _definitions(_inside(node))


def _is_stub(node: ast.stmt) -> bool:
    """Say whether a function only raises NotImplementedError, or a class has only such ones."""
    if isinstance(node, ast.ClassDef):
        methods = [one for one in node.body if isinstance(one, ast.FunctionDef)]
        return bool(methods) and all(map(_is_stub, methods))
    if not isinstance(node, ast.FunctionDef):
        return False
    *before, last = node.body
    raised = last.exc if isinstance(last, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    named = isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return named and all(isinstance(one, ast.Expr) for one in before)


def _inside(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block that is run where it stands."""
    if not isinstance(node, ast.If | ast.Try | ast.With):
        return []
    bodies = [node.body, *(handler.body for handler in getattr(node, "handlers", ()))]
    bodies += [getattr(node, "orelse", []), getattr(node, "finalbody", [])]
    return [one for body in bodies for one in body]


def _imports(nodes: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the names that a cell's own imports give, each with a line that does it."""
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _known(alias.name):
                    yield _given_name(alias), ast.unparse(ast.Import(names=[alias]))
        elif isinstance(node, ast.ImportFrom) and not node.level and _known(node.module):
            for alias in node.names:
                line = ast.unparse(ast.ImportFrom(node.module, [alias], 0))
                yield _given_name(alias), line
        else:
            yield from _imports(_inside(node))


def _given_name(alias: ast.alias) -> str:
    return alias.asname or alias.name.split(".")[0]


def _known(module: str | None) -> bool:
    return (module or "").split(".")[0] in MODULES


def _tree(source: str) -> ast.Module:
    try:
        return tree_of(source)
    except _UNREADABLE:
        return ast.Module(body=[], type_ignores=[])
