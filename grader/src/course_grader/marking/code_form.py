"""Brings an answer's code into a form in which names, comments and some orders do not count.

Of an answer counts what the function or class asked for reaches. A local name stands for how it
was computed, a helper for its own form, an import for what it fetches. Statements of one block
are compared as a set: where one needs another, its form contains the other's, so only the
order of independent ones is lost. Nothing is run.
"""

import ast
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from course_grader.submissions.parsing import tree_of

LONGEST = 40_000  # characters; the bank's longest answer has a twentieth
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_TOLD = {"ctx", "type_comment", "kind", "name", "returns", "annotation", "type_params"}
_FIRST = "generators", "iter", "value"  # what is computed before the names beside it are bound
Names = dict[str, str]


def form_of(source: str, target: str) -> tuple[str, int] | None:
    r"""Return an answer's form and of how many statements it is made.

    The child of :mod:`.parsing` must have parsed the code.

    Returns:
        None if the code does not define the target, or cannot be compared.

    >>> form_of("def f(a):\n    return a", "f") == form_of("def f(b): return b  # b", "f")
    True
    """
    if len(source) > LONGEST:
        return None
    try:
        answer = _Answer(tree_of(source), target)
        return (answer.of_global(target), answer.statements) if answer.defines else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Answer:
    """The code of one answer."""

    def __init__(self, tree: ast.Module, target: str):
        self.target, self.statements = target, 0
        self._fetched: Names = {}
        self._bound: dict[str, list[ast.stmt]] = {}
        self._forms: Names = {}
        for statement in tree.body:
            if isinstance(statement, ast.Import | ast.ImportFrom):
                self._fetched |= _fetched(statement)
            else:
                for name in _bound_by(statement):
                    self._bound.setdefault(name, []).append(statement)

    @property
    def defines(self) -> bool:
        """Whether what was asked for is in it."""
        return self.target in self._bound

    def of_global(self, name: str) -> str:
        """Return what a name stands for outside any function."""
        if name in self._fetched:
            return self._fetched[name]
        if name not in self._bound:
            return name
        if name not in self._forms:
            self._forms[name] = f"itself {len(self._forms)}"
            found = [self._statement(one, {}) for one in self._bound[name]]
            self._forms[name] = _digest("global", *found)
        return self._forms[name]

    def _block(self, body: Sequence[ast.stmt], names: Names) -> str:
        """Return the form of statements; ``names`` is changed as they change it.

        Those that may leave the block keep their order: which comes first decides.
        """
        forms, exits = [], 0
        for one in filter(_does, body):
            exits += _may_leave(one)
            place = str(exits) if _may_leave(one) else ""
            forms.append(_digest(place, self._statement(one, names)))
        return _digest("block", *sorted(forms))

    def _statement(self, statement: ast.stmt, names: Names) -> str:
        self.statements += 1
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names |= _fetched(statement)
            return "import"
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            top = not names
            is_class = isinstance(statement, ast.ClassDef)
            form = (self._class if is_class else self._function)(statement, dict(names))
            if not top:
                names[statement.name] = form
            return form
        if isinstance(statement, ast.AnnAssign) and statement.value:
            targets: list[ast.expr] = [statement.target]
            statement = ast.Assign(targets, statement.value, lineno=0)
        bound = list(_bound_by(statement))
        if isinstance(statement, ast.For | ast.AsyncFor | ast.While):
            # What a loop changes has another value in each turn: it is known by its place.
            inner = {**names, **{n: _digest("turn", str(i)) for i, n in enumerate(bound)}}
            before = [names.get(name, "new") for name in bound]
            form = _digest("loop", *before, self._whole(statement, inner))
        else:
            inner = dict(names) if hasattr(statement, "body") else names
            form = self._whole(statement, inner)
        for place, name in enumerate([*bound, *_changed_by(statement)]):
            names[name] = _digest("value", form, str(place))
        return form

    def _class(self, node: Any, names: Names) -> str:
        rest = [self._whole(x, names) for x in (*node.bases, *node.keywords)]
        methods = [
            _digest(getattr(one, "name", ""), self._statement(one, {"": "class"}))
            for one in node.body
            if _does(one)
        ]
        return _digest("class", *rest, *sorted(methods))

    def _function(self, node: Any, names: Names) -> str:
        arguments, decorators = node.args, getattr(node, "decorator_list", [])
        before = (*decorators, *arguments.defaults, *arguments.kw_defaults)
        outside = [self._whole(x, names) for x in before]
        kinds = (arguments.posonlyargs, arguments.args, arguments.kwonlyargs)
        rest = [x for x in (arguments.vararg, arguments.kwarg) if x]
        every = [*(x for kind in kinds for x in kind), *rest]
        depth = sum(value.startswith("argument") for value in names.values())
        own = {**names, "": "inside"}
        own |= {x.arg: f"argument {depth} {i}" for i, x in enumerate(every)}
        shape = map(str, (*map(len, kinds), bool(arguments.vararg), bool(arguments.kwarg)))
        if isinstance(node, ast.Lambda):
            return _digest("lambda", *shape, *outside, self._whole(node.body, own))
        return _digest("function", *shape, *outside, self._block(node.body, own))

    def _whole(self, node: Any, names: Names) -> str:
        """Return the form of any piece of code."""
        if isinstance(node, list):
            if node and isinstance(node[0], ast.stmt):
                return self._block(node, names)
            return _digest("list", *(self._whole(one, names) for one in node))
        if not isinstance(node, ast.AST):
            return f"{type(node).__name__} {node!r}"
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                return "name"
            return names.get(node.id) or self.of_global(node.id)
        if isinstance(node, ast.Attribute):
            form = f"{self._whole(node.value, names)}.{node.attr}"
            return form if len(form) < 400 else _digest(form)
        if isinstance(node, _SCOPES):
            return self._function(node, names)
        if isinstance(node, _COMPREHENSIONS):
            names = dict(names)
        if isinstance(node, ast.ExceptHandler) and node.name:
            names[node.name] = "error"
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            node = ast.AugAssign(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        forms = [type(node).__name__]
        fields = [name for name in node._fields if name not in _TOLD]
        for field in sorted(fields, key=lambda name: name not in _FIRST):
            forms.append(self._whole(getattr(node, field), names))
            if isinstance(node, ast.comprehension) and field == "iter":
                bound = enumerate(_names_in(node.target))
                names |= {name: _digest("each", forms[-1], str(i)) for i, name in bound}
        return _digest(*forms)


def _does(statement: ast.stmt) -> bool:
    """Return whether a statement does anything: a text by itself and ``pass`` do not."""
    if isinstance(statement, ast.AnnAssign) and not statement.value:
        return False
    text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not text and not isinstance(statement, ast.Pass)


def _may_leave(statement: ast.stmt) -> bool:
    """Return whether a statement may end the function, the loop or the program it is in."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    leaving = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Assert)
    return any(isinstance(node, leaving) for node in ast.walk(statement))


def _fetched(statement: ast.Import | ast.ImportFrom) -> Names:
    """Return what the names of an import stand for."""
    if isinstance(statement, ast.Import):
        tops = ((one, one.name.split(".")[0]) for one in statement.names)
        return {one.asname or top: one.name if one.asname else top for one, top in tops}
    return {one.asname or one.name: f"{statement.module}.{one.name}" for one in statement.names}


def _bound_by(statement: ast.stmt) -> dict[str, None]:
    """Return the names that a statement binds, in order, without those inside definitions."""
    found: dict[str, None] = {}
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found[node.name] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found[node.id] = None
        elif not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            waiting += list(ast.iter_child_nodes(node))[::-1]
    return found


def _names_in(node: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(node) if isinstance(one, ast.Name)]


def _changed_by(statement: ast.stmt) -> Iterable[str]:
    """Return the names whose values a statement may change in place."""
    found: dict[str, None] = {}
    for node in ast.walk(statement):
        touched: Any = None
        if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(
            node.ctx, ast.Load
        ):
            touched = node
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            found |= dict.fromkeys(_names_in(node.value)[:50])
        elif isinstance(node, ast.keyword) and node.arg == "out":
            touched = node.value
        while isinstance(touched, ast.Subscript | ast.Attribute):
            touched = touched.value
        if isinstance(touched, ast.Name):
            found[touched.id] = None
    return found


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()[:24]
