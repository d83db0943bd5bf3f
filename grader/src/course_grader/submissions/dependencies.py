"""Completes an answer with what it uses of other cells of its notebook.

Only the marked cell is graded. ``check`` cannot know that, because in the student's session a
helper, a constant or ``import numpy as np`` works from any cell; so these are taken along.
Nothing is run here.
"""

import ast
import builtins
import io
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from attention_course.exercises.protocol import HELPER_CELLS_MARKER
from course_grader.submissions.parsing import tree_of

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
# Of what a constant is made: numbers and texts, and what is computed of them.
_CONSTANT = (
    *(ast.Constant, ast.Name, ast.Attribute, ast.Tuple, ast.Call, ast.keyword),
    *(ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.expr_context),
)


@dataclass(frozen=True)
class Facts:
    """What a cell's code gives outside every function; of no Python, nothing is known.

    Args:
        gives: the names that it gives, each with the statements that do it, by their numbers:
            an import, a function, a class, a constant; none if it is made in another way.
        defines: the names of its functions, classes and variables, and whether there is
            nothing in them, as in a stub.
    """

    gives: dict[str, dict[int, str]] = field(default_factory=dict)
    defines: dict[str, bool] = field(default_factory=dict)


def facts(source: str) -> Facts:
    r"""Return what a cell gives; its code is parsed once and never run.

    >>> facts("import numpy as np\nNEG = -np.inf\nfor i in (1, 2): print(i)").gives
    {'np': {0: 'import numpy as np'}, 'NEG': {1: 'NEG = -np.inf'}, 'i': {}}
    >>> facts("def f(x):\n    raise NotImplementedError\ng = 1").defines
    {'f': True, 'g': False}
    """
    try:
        body = tree_of(source).body
    except _UNREADABLE:
        return Facts()
    lines = io.StringIO(source.removeprefix("\ufeff"), newline="").readlines()
    gives: dict[str, dict[int, str]] = {}
    for number, node in enumerate(body):
        for name, text in _given(node, lines):
            if text is None:
                gives[name] = {}
            else:
                gives.setdefault(name, {})[number] = text
    return Facts(gives, dict(_definitions(body)))


def completed(source: str, others: Mapping[int, Facts], until: int) -> tuple[str, list[str]]:
    r"""Return an answer with what it lacks and other cells give, and what that is.

    Of several definitions that one counts which ``check`` saw when all cells were run in their
    order: the last above it. Those below it count if there is none above and they are equal.

    Args:
        source: the answer.
        others: the other cells, by their numbers.
        until: the number of the cell that checks the answer.

    >>> completed("f = lambda x: np.exp(x)", {1: facts("import numpy as np; y = 1")}, 2)[1]
    ['import numpy as np']
    """
    places: dict[str, list[int]] = {}
    for place, cell in others.items():
        for name in cell.gives:
            places.setdefault(name, []).append(place)
    used, seen = _names(source)
    waiting, taken = [*used], dict[tuple[bool, int, int], tuple[str, str]]()
    while waiting:
        name = waiting.pop()
        if name in seen or name not in places:
            continue
        seen.add(name)
        above = [place for place in places[name] if place < until]
        ways = [others[place].gives[name] for place in above[-1:] or places[name]]
        clear = {tuple(way.values()) for way in ways}
        if len(clear) > 1 or (not above and hasattr(builtins, name)):
            continue
        place = (above or places[name])[-1]
        for number, text in ways[-1].items():
            fetched = text.startswith(("import ", "from "))
            said = text if fetched else f"{name} (cell {place})"
            if (not fetched, place, number) not in taken:
                waiting += _names(text)[0]
            taken[not fetched, place, number] = text, said
    if not taken:
        return source, []
    pieces = dict.fromkeys(text for _, (text, _) in sorted(taken.items()))
    along = dict.fromkeys(said for _, (_, said) in sorted(taken.items()))
    return "\n".join([f"{source.rstrip()}\n\n", HELPER_CELLS_MARKER, *pieces, ""]), [*along]


class _OwnScopes(ast.NodeTransformer):
    """Make generators of comprehensions, which lost their own scopes in Python 3.12."""

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.ListComp | ast.SetComp):
            return ast.GeneratorExp(node.elt, node.generators)
        if isinstance(node, ast.DictComp):
            made = ast.Tuple([node.key, node.value], ast.Load())
            return ast.GeneratorExp(made, node.generators)
        return node


def _with_own_scopes(source: str) -> str:
    """Return code in which each comprehension has a scope of its own, on every Python."""
    tree = _OwnScopes().visit(tree_of(source))
    try:
        return ast.unparse(tree)
    except ValueError:  # an f-string; from Python 3.12 on any can be written
        return source.removeprefix("\ufeff")


def _names(source: str) -> tuple[set[str], set[str]]:
    """Return the names that code uses outside every function, and those that it gives."""
    used, given = set[str](), set[str]()
    try:
        tables = [symtable.symtable(_with_own_scopes(source), "<cell>", "exec")]
    except _UNREADABLE:
        return used, given
    while tables:
        scope = tables.pop()
        tables += scope.get_children()
        for symbol in scope.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                used.add(symbol.get_name())
            if symbol.is_global() and (symbol.is_assigned() or symbol.is_imported()):
                given.add(symbol.get_name())
    return used, given


def _given(node: ast.stmt, lines: list[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the names that a statement gives, each with its text if it can be taken along."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        if not _is_stub(node):
            yield node.name, _text(node, lines)
        return
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = [one.id for one in targets if isinstance(one, ast.Name)]
        if len(names) == len(targets) and _is_constant(node.value):
            text = _text(node, lines)
            yield from ((name, text) for name in names)
            return
    if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom):
        for name in sorted(_names(_text(node, lines))[1] | _changed(node)):
            yield name, None
    yield from _imports([node])


def _is_constant(value: ast.expr) -> bool:
    """Say whether a value is the same each time it is made: no list, and nothing drawn."""
    if isinstance(value, ast.Lambda):
        return True
    nodes = list(ast.walk(value))
    names = {getattr(one, "attr", getattr(one, "id", "")) for one in nodes}
    return all(isinstance(one, _CONSTANT) for one in nodes) and "random" not in names


def _changed(node: ast.stmt) -> set[str]:
    """Return the names of what a statement puts something into."""
    return {
        one.value.id
        for one in ast.walk(node)
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name)
        if not isinstance(one.ctx, ast.Load)
    }


def _text(node: ast.stmt, lines: list[str]) -> str:
    """Return a statement as it stands; Python counts columns in bytes."""
    first = min(x.lineno for x in (node, *getattr(node, "decorator_list", ())))
    piece = lines[first - 1 : node.end_lineno]
    piece[-1] = piece[-1].encode()[: node.end_col_offset].decode()
    if first == node.lineno:
        piece[0] = piece[0].encode()[node.col_offset :].decode()
    return "".join(piece)


def _definitions(nodes: Iterable[ast.stmt]) -> Iterator[tuple[str, bool]]:
    """Yield the names that statements define, and whether there is nothing in them."""
    for node in _run(nodes):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, _is_stub(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((name.id, False) for name in targets if isinstance(name, ast.Name))


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


def _run(nodes: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, and in the place of a block those in it, however deep they stand."""
    waiting = [*nodes][::-1]
    while waiting:
        node = waiting.pop()
        inner = _inside(node)
        waiting += inner[::-1]
        if not inner:
            yield node


def _inside(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a block that is run where it stands."""
    if not isinstance(node, ast.If | ast.Try | ast.With):
        return []
    bodies = [node.body, *(handler.body for handler in getattr(node, "handlers", ()))]
    bodies += [getattr(node, "orelse", []), getattr(node, "finalbody", [])]
    return [one for body in bodies for one in body]


def _imports(nodes: Iterable[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the names that imports give, each with a line that does it."""
    for node in _run(nodes):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                yield name, ast.unparse(ast.Import(names=[alias]))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            if node.module == "attention_course.exercises":
                continue  # check and the like, of which nothing comes
            for alias in node.names:
                line = ast.unparse(ast.ImportFrom(node.module, [alias], 0))
                yield alias.asname or alias.name, line
