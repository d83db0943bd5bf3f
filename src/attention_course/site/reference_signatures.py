"""What a function takes and gives back, with the shapes as a reader reads them."""

import ast
import copy
import re
from dataclasses import dataclass

from attention_course.site.reference_source import Definition, Package

_SHAPES = frozenset({"Bool", "Float", "Float32", "Float64", "Int", "Shaped"})
_LONGEST_DEFAULT = 40


def type_text(annotation: ast.expr | None) -> str:
    """Return an annotation as a reader reads it: ``Float[np.ndarray, " n d"]`` is its shape.

    >>> type_text(ast.parse('Float[np.ndarray, " n"] | None', mode="eval").body)
    'Float[n] | None'
    """
    if annotation is None:
        return ""
    return ast.unparse(_Shapes().visit(copy.deepcopy(annotation))).replace("\n", " ")


class _Shapes(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        named = ast.unparse(node.value).rpartition(".")[2]
        if named in _SHAPES and isinstance(node.slice, ast.Tuple):
            shape = ast.unparse(node.slice.elts[-1]).strip("'\"").strip()
            return ast.Name(f"{named}[{shape}]")
        self.generic_visit(node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        # A type written as text, because it is defined further down.
        return ast.Name(node.value) if isinstance(node.value, str) else node


@dataclass(frozen=True)
class Parameter:
    """One parameter of a call, or one field of a record.

    Attributes:
        name: with its stars.
        type: as a reader reads it; empty where none is written.
        default: as it is written; empty without one.
        by_name: whether it can be given by name only.
    """

    name: str
    type: str
    default: str = ""
    by_name: bool = False


def parameters(package: Package, definition: Definition) -> list[Parameter]:
    """Return what a function takes, or a class when it is called."""
    node = definition.node
    if isinstance(node, ast.FunctionDef):
        plain = any(ast.unparse(d) == "staticmethod" for d in node.decorator_list)
        return _of_function(node, bound="." in definition.name and not plain)
    if not isinstance(node, ast.ClassDef):
        return []
    made = package.resolve(f"{definition.dotted}.__init__")
    if isinstance(made, Definition) and isinstance(made.node, ast.FunctionDef):
        return _of_function(made.node, bound=True)
    record = any("dataclass" in ast.unparse(d) for d in node.decorator_list)
    named = any(ast.unparse(base).endswith(("NamedTuple", "TypedDict")) for base in node.bases)
    return fields(definition) if record or named else []


def fields(definition: Definition) -> list[Parameter]:
    """Return the annotated fields of a class."""
    body = definition.node.body if isinstance(definition.node, ast.ClassDef) else []
    return [
        Parameter(
            ast.unparse(line.target),
            type_text(line.annotation),
            "" if line.value is None else _default(line.value),
        )
        for line in body
        if isinstance(line, ast.AnnAssign)
    ]


def _default(value: ast.expr) -> str:
    written = re.sub(r"\s+", " ", ast.unparse(value))
    return "…" if written.startswith("field(") or len(written) > _LONGEST_DEFAULT else written


def _of_function(node: ast.FunctionDef, *, bound: bool) -> list[Parameter]:
    given = node.args
    placed = [*given.posonlyargs, *given.args]
    missing = len(placed) - len(given.defaults)
    found = [
        Parameter(
            arg.arg,
            type_text(arg.annotation),
            _default(given.defaults[i - missing]) if i >= missing else "",
        )
        for i, arg in enumerate(placed)
    ][1 if bound else 0 :]
    if given.vararg:
        found.append(Parameter(f"*{given.vararg.arg}", type_text(given.vararg.annotation)))
    for arg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        default = "" if value is None else _default(value)
        found.append(Parameter(arg.arg, type_text(arg.annotation), default, by_name=True))
    if given.kwarg:
        found.append(Parameter(f"**{given.kwarg.arg}", type_text(given.kwarg.annotation)))
    return found


def signature(name: str, listed: list[Parameter]) -> str:
    """Return a call as it is written, without its types.

    >>> signature("f", [Parameter("x", "int"), Parameter("y", "int", "0", by_name=True)])
    'f(x, *, y=0)'
    """
    written, stars = [], False
    for parameter in listed:
        if parameter.by_name and not stars:
            written.append("*")
        stars = stars or parameter.by_name or parameter.name.startswith("*")
        default = f"={parameter.default}" if parameter.default else ""
        written.append(parameter.name + default)
    return f"{name}({', '.join(written)})"
