"""Compares code in a chapter with code in the package, by their syntax trees."""

import ast
import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nbformat

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "attention_course"
SHOWN = re.compile(r"```python\n# (attention_course\.[\w.]+(?:\n#     \w+)?)\n")
UNTAUGHT = {"exercises", "page"}  # what runs beside a chapter and is not its subject


def parse(source: str) -> ast.Module:
    """Return the syntax tree of a cell without its magics."""
    lines = [re.sub(r"^(\s*)[%!].*", r"\1pass", line) for line in source.splitlines()]
    return ast.parse("\n".join(lines))


@cache
def package_definitions() -> dict[str, set[str]]:
    """Return the package's top-level functions and classes by name, private modules apart.

    ``reference/_core.py`` has two that formulas share; they count under the same name.
    """
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("[!_]*.py"):
        if path.relative_to(PACKAGE).parts[0] in UNTAUGHT:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault(node.name, set()).add(skeleton_of(node))
    core = PACKAGE / "reference" / "_core.py"
    for node in ast.parse(core.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name in found:
            found[node.name].add(skeleton_of(node))
    return found


def shown(outputs: list) -> Iterator[tuple[dict, str]]:
    """Yield the outputs in which ``show`` displays code, each with its name."""
    for output in outputs:
        data = output.get("data", {})
        if found := SHOWN.match(data.get("text/markdown", "")):
            yield data, found[1].replace("\n#     ", "")


def last_call(cell: nbformat.NotebookNode) -> str:
    """Return the name of what the last expression of a cell calls, without its module."""
    last = [None, *parse(cell.source).body][-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return name_of(last.value.func).rpartition(".")[2]
    return ""


def name_of(node: ast.AST) -> str:
    """Return a dotted name as it is written, or an empty string.

    >>> name_of(ast.parse("a.b.c", mode="eval").body)
    'a.b.c'
    """
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{name_of(node.value)}.{node.attr}"
    return name_of(node.func) if isinstance(node, ast.Call) else ""


def called_names(tree: ast.AST) -> set[str]:
    """Return the last part of the name of everything that is called."""
    found = (name_of(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call))
    return {name.rpartition(".")[2] for name in found}


def skeleton_of(node: ast.AST) -> str:
    """Return a definition's syntax without docstrings, annotations, decorators and checks.

    A check is a statement that only calls ``check_…`` or ``_check_…``.
    """
    return ast.dump(_Strip().visit(copy.deepcopy(node)))


class _Strip(ast.NodeTransformer):
    def _definition(self, node):
        node.decorator_list, node.returns = [], None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    visit_FunctionDef = _definition  # noqa: N815

    def visit_ClassDef(self, node):
        node.returns = None
        return self._definition(node)

    def visit_Expr(self, node):
        called = getattr(getattr(node.value, "func", None), "id", "")
        return None if called.lstrip("_").startswith("check_") else self.generic_visit(node)

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_AnnAssign(self, node):
        if node.value is None:
            return None
        return ast.Assign(targets=[node.target], value=self.visit(node.value), lineno=0)
