"""Makes small mistakes in a solution, one at a time, to see whether its probes notice."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

_OPERATORS: dict[type[ast.operator], ast.operator] = {
    ast.Add: ast.Sub(),
    ast.Sub: ast.Add(),
    ast.Mult: ast.Div(),
    ast.Div: ast.Mult(),
    ast.FloorDiv: ast.Mult(),
    ast.Pow: ast.Mult(),
    ast.BitAnd: ast.BitOr(),
    ast.BitOr: ast.BitAnd(),
}
_COMPARISONS: dict[type[ast.cmpop], tuple[ast.cmpop, ...]] = {
    ast.Lt: (ast.LtE(), ast.Gt()),
    ast.LtE: (ast.Lt(), ast.GtE()),
    ast.Gt: (ast.GtE(), ast.Lt()),
    ast.GtE: (ast.Gt(), ast.LtE()),
    ast.Eq: (ast.NotEq(),),
    ast.NotEq: (ast.Eq(),),
}
_PAIRS = "max min  maximum minimum  argmax argmin  sum mean  zeros ones  tril triu"
_FUNCTIONS = {a: b for p in _PAIRS.split("  ") for a, b in (p.split(), p.split()[::-1])}
# Where nothing is computed.
_IGNORED = {"annotation", "returns", "decorator_list", "type_params"}


@dataclass(frozen=True)
class Mistake:
    """A solution with one thing changed.

    Args:
        kind: what was changed: "operator", "axis", "order of results".
        line: in which line of the solution.
        before: that line as it was.
        after: that line as it is.
        source: the whole.
    """

    kind: str
    line: int
    before: str
    after: str
    source: str


def mistakes(source: str) -> list[Mistake]:
    r"""Return every mistake that can be made in a solution, no two of them the same.

    >>> [m.after for m in mistakes("def f(a, b):\n    return a + b, 2\n")]
    ['return (a - b, 2)', 'return (2, a + b)', 'return (a + b, 3)']
    """
    tree = ast.parse(source)
    before = ast.unparse(tree)
    found: dict[str, Mistake] = {}
    for kind, line in _changed(tree):
        text = ast.unparse(ast.fix_missing_locations(tree))
        pairs = zip(before.split("\n"), text.split("\n"), strict=False)
        old, new = next(((a, b) for a, b in pairs if a != b), ("", ""))
        if text != before:
            found.setdefault(text, Mistake(kind, line, old.strip(), new.strip(), text))
    return sorted(found.values(), key=lambda mistake: mistake.line)


def _changed(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Change a tree in one place after the other; yield while it is changed."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        parent = waiting.pop(0)
        for name, value in ast.iter_fields(parent):
            if name in _IGNORED:
                continue
            children = value if isinstance(value, list) else [value]
            for place, child in enumerate(children):
                if not isinstance(child, ast.AST):
                    continue
                line = getattr(child, "lineno", getattr(parent, "lineno", 0))
                for kind, new in _instead(child, parent, children[:place]):
                    if isinstance(value, list):
                        value[place] = new
                        yield kind, line
                        value[place] = child
                    else:
                        setattr(parent, name, new)
                        yield kind, line
                        setattr(parent, name, child)
                if not isinstance(child, ast.JoinedStr):
                    waiting.append(child)


def _instead(
    node: ast.AST, parent: ast.AST, earlier: list[ast.AST]
) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a node may be replaced by, and which kind of mistake that is."""
    match node:
        case ast.BinOp(left, ast.MatMult() as operator, right):
            yield "operator", ast.BinOp(right, operator, left)
        case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
            yield "operator", ast.BinOp(left, _OPERATORS[type(operator)], right)
        case ast.AugAssign(target, operator, value) if type(operator) in _OPERATORS:
            yield "operator", ast.AugAssign(target, _OPERATORS[type(operator)], value)
            yield "left out", ast.Pass()
        case ast.UnaryOp(ast.USub(), ast.Constant(int(number))):
            kind = "axis" if isinstance(parent, ast.Call | ast.keyword) else "constant"
            yield kind, ast.Constant(1 - number)
        case ast.UnaryOp(ast.USub() | ast.Invert() | ast.Not(), operand):
            yield "operator", operand
        case ast.BoolOp(operator, values):
            other = ast.Or() if isinstance(operator, ast.And) else ast.And()
            yield "operator", ast.BoolOp(other, values)
        case ast.Compare(left, [operator], [right]):
            for instead in _COMPARISONS.get(type(operator), ()):
                yield "comparison", ast.Compare(left, [instead], [right])
        case ast.Constant(bool(value)):
            yield "constant", ast.Constant(not value)
        case ast.Constant(int(value)) if getattr(parent, "arg", "") in ("axis", "dim"):
            yield "axis", ast.Constant(0 if value else -1)
        case ast.Constant(int(value)) if not isinstance(parent, ast.UnaryOp):
            yield "constant", ast.Constant(value + 1)
        case ast.Constant(float(value)):
            yield "constant", ast.Constant(2 * value if value else 1.0)
        case ast.Attribute(value, "T" | "mT"):
            yield "axis", value
        case ast.Attribute(value, name) if name in _FUNCTIONS:
            yield "function", ast.Attribute(value, _FUNCTIONS[name], ast.Load())
        case ast.Name(name, ast.Load()) if name in _FUNCTIONS:
            yield "function", ast.Name(_FUNCTIONS[name], ast.Load())
        case ast.Return(ast.Tuple([_, _, *_] as values)):
            yield "order of results", ast.Return(ast.Tuple(values[::-1], ast.Load()))
        case ast.If(orelse=[]):
            yield "left out", ast.Pass()
        case ast.Expr(value) if not isinstance(value, ast.Constant):
            yield "left out", ast.Pass()
        case ast.Assign([target], _) if _is_known(target, parent, earlier):
            yield "left out", ast.Pass()


def _is_known(target: ast.expr, parent: ast.AST, earlier: list[ast.AST]) -> bool:
    """Say whether a name has a value before its assignment, which can then be left out."""
    if not isinstance(target, ast.Name) or not isinstance(parent, ast.FunctionDef | ast.Module):
        return True
    before = [parent.args, *earlier] if isinstance(parent, ast.FunctionDef) else earlier
    nodes = [node for one in before for node in ast.walk(one)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    return target.id in names | {node.arg for node in nodes if isinstance(node, ast.arg)}
