"""Names in code become links to where they are explained.

What a name means follows from the imports of its page, as in Python: a name that is bound anew
means something else from there on, and an attribute of another library is not ours. The text of
the code stays as it was, to the letter.
"""

import ast
import html
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from attention_course.site.reference_source import (
    Definition,
    Package,
    Target,
    take_import,
)

_HIGHLIGHTED = re.compile(
    r'(<div class="highlight-(?:i?python3?) [^>]*><div class="highlight"><pre>)'
    r"(.*?)(</pre>)",
    re.DOTALL,
)
_PIECE = re.compile(r"<[^>]*>|[^<]+")
_SHOWN = re.compile(r"# ([\w.]+)\n")  # the first line of what ``show`` displays
_MAGIC = re.compile(r"^(\s*)([%!?].*|[\w.]+\?+\s*)$", re.MULTILINE)

# What a name is bound to: a dotted name, an instance of a class, or something not ours.
Meaning = tuple[str, bool] | None
Spots = dict[tuple[int, int], tuple[str, Target]]


@dataclass
class Names:
    """What the names of a page mean, cell after cell.

    Attributes:
        package: the package that names may come from.
        bound: the page's names.
    """

    package: Package
    bound: dict[str, Meaning] = field(default_factory=dict)

    def find(self, code: str) -> Spots:
        """Return the names in a cell that are the package's, by line and column (from 0).

        What the cell binds is kept for the cells after it. Code that is no Python has none.
        """
        plain = _MAGIC.sub(lambda m: f"{m[1]}pass", code)
        try:
            tree = ast.parse(plain)
        except SyntaxError:
            return {}
        reader = _Reader(self.package, [self.bound], plain.split("\n"))
        reader.read(tree)
        return reader.spots


class _Reader(ast.NodeVisitor):
    """Walks through code in the order in which Python would, with its scopes."""

    def __init__(self, package: Package, scopes: list[dict[str, Meaning]], lines: list[str]):
        self.package = package
        self.scopes = scopes
        self.lines = lines
        self.spots: Spots = {}

    def read(self, node: Any) -> None:
        for part in node if isinstance(node, list) else [node]:
            if part is not None:
                self.visit(part)

    def mark(self, line: int, column: int, name: str, meaning: Meaning) -> None:
        """Remember a place in the code, if its name is one that has a place on a page."""
        text = self.lines[line - 1].encode()
        start = len(text[:column].decode())
        found = self.package.resolve(meaning[0]) if meaning and not meaning[1] else None
        if found is not None and self.package.is_shown(found):
            self.spots[line - 1, start] = name, found

    def meaning(self, node: ast.expr | None) -> Meaning:
        """Return what an expression is, as far as names and calls of classes say it."""
        if isinstance(node, ast.Name):
            for scope in reversed(self.scopes):
                if node.id in scope:
                    return scope[node.id]
        elif isinstance(node, ast.Attribute):
            if owner := self.meaning(node.value):
                return f"{owner[0]}.{node.attr}", False
        elif isinstance(node, ast.Call):
            called = self.meaning(node.func)
            found = self.package.resolve(called[0]) if called and not called[1] else None
            if isinstance(found, Definition) and found.kind == "class":
                return found.dotted, True
        return None

    def bind(self, target: ast.AST | None, meaning: Meaning) -> None:
        if isinstance(target, ast.Name):
            self.scopes[-1][target.id] = meaning
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self.bind(part, None)
        elif isinstance(target, ast.Starred):
            self.bind(target.value, None)
        else:
            self.read(target)

    # ---- names ----

    def visit_Name(self, node: ast.Name) -> None:
        self.mark(node.lineno, node.col_offset, node.id, self.meaning(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.read(node.value)
        end = node.end_lineno or node.lineno
        column = (node.end_col_offset or 0) - len(node.attr.encode())
        self.mark(end, column, node.attr, self.meaning(node))

    # ---- what binds ----

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            ours = alias.name.split(".")[0] == self.package.name
            name = alias.asname or alias.name.split(".")[0]
            dotted = alias.name if alias.asname else name
            self.scopes[-1][name] = (dotted, False) if ours else None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        names: dict[str, str] = {}
        stars: list[str] = []
        take_import(node, node.module or "", self.package.name, names, stars)
        for star in stars:
            module = self.package.modules.get(star)
            names |= {name: f"{star}.{name}" for name in (module.public if module else ())}
        for alias in node.names:
            self.scopes[-1][alias.asname or alias.name] = None
            if alias.name in names or alias.asname in names:
                dotted = names[alias.asname or alias.name]
                self.mark(alias.lineno, alias.col_offset, alias.name, (dotted, False))
        self.scopes[-1].update({name: (dotted, False) for name, dotted in names.items()})

    def visit_Assign(self, node: ast.Assign) -> None:
        self.read(node.value)
        for target in node.targets:
            self.bind(target, self.meaning(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.read([node.annotation, node.value])
        self.bind(node.target, self.meaning(node.value))

    # ---- scopes ----

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.read([*node.decorator_list, *node.args.defaults, *node.args.kw_defaults])
        given = _arguments(node.args)
        self.read([arg.annotation for arg in given] + [node.returns])
        self.scopes[-1][node.name] = None
        own: dict[str, Meaning] = dict.fromkeys(_assigned(node.body))
        self._inside(node.body, own | {arg.arg: None for arg in given})

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.read([*node.decorator_list, *node.bases])
        self.scopes[-1][node.name] = None
        self._inside(node.body, {})

    def _inside(self, body: list[Any], own: dict[str, Meaning]) -> None:
        self.scopes.append(own)
        self.read(body)
        self.scopes.pop()


def _arguments(given: ast.arguments) -> list[ast.arg]:
    stars = [arg for arg in (given.vararg, given.kwarg) if arg]
    return [*given.posonlyargs, *given.args, *given.kwonlyargs, *stars]


def _assigned(body: Iterable[ast.stmt]) -> list[str]:
    """Return the names that a function's own lines bind."""
    return [
        node.id
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def link_code(highlighted: str, spots: Spots, address: Callable[[Target], str]) -> str:
    """Return highlighted code with a link around each name.

    Args:
        highlighted: what Pygments made.
        spots: the names by line and column.
        address: gives the address of a definition or module.

    Returns:
        The same text. A name's second link in the same code is no stop for the Tab key.

    >>> link_code('<span class="n">f</span>(1)', {}, str)
    '<span class="n">f</span>(1)'
    """
    line, column = 0, 0
    seen: set[str] = set()
    made: list[str] = []
    for piece in _PIECE.findall(highlighted):
        if piece.startswith("<"):
            made.append(piece)
            continue
        text = html.unescape(piece)
        name, target = spots.get((line, column), ("", None))
        if target and text == name:
            href = html.escape(address(target))
            stop = ' tabindex="-1"' if href in seen else ""
            seen.add(href)
            piece = f'<a class="ac-name" href="{href}"{stop}>{piece}</a>'
        made.append(piece)
        line += text.count("\n")
        column = len(text) - text.rfind("\n") - 1 if "\n" in text else column + len(text)
    return "".join(made)


def code_text(highlighted: str) -> str:
    """Return the code of highlighted code."""
    return html.unescape(re.sub(r"<[^>]*>", "", highlighted))


def link_page(
    body: str,
    package: Package,
    address: Callable[[Target], str],
    unseen: Iterable[str] = (),
) -> str:
    """Link the names in all code of a page.

    Source that a cell shows, whose first line says whose it is, is read with the names of its
    own module.

    Args:
        body: the page's HTML.
        package: the package that names may come from.
        address: gives the address of a definition or module.
        unseen: cells that the page does not show, and whose imports it uses.

    Returns:
        The new HTML.
    """
    own = Names(package)
    for code in unseen:
        own.find(code)

    def link(match: re.Match[str]) -> str:
        inner = match[2]
        code = code_text(inner)
        said = _SHOWN.match(code)
        shown = package.resolve(said[1]) if said else None
        if "highlight-ipython" in match[1]:
            names = own  # a cell: the cells after it know what it binds
        elif said and isinstance(shown, Definition):
            names = names_of(package, shown.module)
            if package.is_shown(shown):
                to = f'# <a class="ac-name" href="{html.escape(address(shown))}">{said[1]}</a>'
                inner = inner.replace(f"# {said[1]}<", f"{to}<", 1)
        else:
            names = Names(package, dict(own.bound))
        spots = names.find(code)
        return match[1] + link_code(inner, spots, address) + match[3]

    return _HIGHLIGHTED.sub(link, body)


def names_of(package: Package, module: str) -> Names:
    """Return what names mean inside a module of the package."""
    found = package.modules[module]
    bound: dict[str, Meaning] = {n: (dotted, False) for n, dotted in found.imports.items()}
    for name in found.definitions:
        if "." not in name:
            bound[name] = f"{module}.{name}", False
    return Names(package, bound)
