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

from attention_course.site.reference_source import Definition, Package, Target, take_import

_HIGHLIGHTED = re.compile(
    r'(?s)(<div class="highlight-i?python3? [^>]*><div class="highlight"><pre>)(.*?)(</pre>)'
)
_PIECE = re.compile(r"<[^>]*>|[^<]+")
_SHOWN = re.compile(r"# ([\w.]+)\n")  # the first line of what ``show`` displays
_MAGIC = re.compile(r"^(\s*)([%!?].*|[\w.]+\?+\s*)$", re.MULTILINE)

# What a name is bound to: a dotted name, an instance of a class, or something not ours.
Meaning = tuple[str, bool] | None
Spots = dict[tuple[int, int], tuple[str, Target]]
Place = tuple[int, int, str, Meaning]  # line (from 1), column in bytes, name


@dataclass
class Names:
    """What the names of a page mean, cell after cell."""

    package: Package
    bound: dict[str, Meaning] = field(default_factory=dict)

    def find(self, code: str) -> Spots:
        """Return the names in a cell that are the package's, by line and column (from 0).

        What the cell binds is kept for the cells after it. A name that a function of the cell
        binds is not looked up in it, and code that is no Python has none.
        """
        plain = _MAGIC.sub(lambda m: f"{m[1]}pass", code)
        try:
            tree = ast.parse(plain)
        except SyntaxError:
            return {}
        spots: Spots = {}
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        own = {name for function in functions for name in _bound_in(function)}
        for statement in tree.body:
            nodes = list(ast.walk(statement))
            for node in nodes:
                if isinstance(node, ast.Import):
                    self._import(node)
                elif isinstance(node, ast.ImportFrom):
                    self._mark(spots, plain, self._import_from(node))
            used = [n for n in nodes if isinstance(n, ast.Attribute) or _is_read(n, own)]
            self._mark(spots, plain, [_place(node, self.meaning(node)) for node in used])
            made = self.meaning(getattr(statement, "value", None))
            for name in _bound_by(statement):
                self.bound[name] = made if isinstance(statement, ast.Assign) else None
        return spots

    def meaning(self, node: ast.AST | None) -> Meaning:
        """Return what an expression is, as far as names and calls of classes say it."""
        if isinstance(node, ast.Name):
            return self.bound.get(node.id)
        if isinstance(node, ast.Attribute) and (owner := self.meaning(node.value)):
            return f"{owner[0]}.{node.attr}", False
        if isinstance(node, ast.Call):
            called = self.meaning(node.func)
            found = self.package.resolve(called[0]) if called and not called[1] else None
            if isinstance(found, Definition) and found.kind == "class":
                return found.dotted, True
        return None

    def _mark(self, spots: Spots, code: str, found: Iterable[Place]) -> None:
        """Remember places in the code, where their names have one on a page."""
        lines = code.split("\n")
        for line, column, name, meaning in found:
            target = self.package.resolve(meaning[0]) if meaning and not meaning[1] else None
            if target is not None and self.package.is_shown(target):
                start = len(lines[line - 1].encode()[:column].decode())
                spots[line - 1, start] = name, target

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.split(".")[0]
            dotted = alias.name if alias.asname else top
            ours = top == self.package.name
            self.bound[alias.asname or top] = (dotted, False) if ours else None

    def _import_from(self, node: ast.ImportFrom) -> list[Place]:
        names: dict[str, str] = {}
        stars: list[str] = []
        take_import(node, node.module or "", self.package.name, names, stars)
        for star in stars:
            module = self.package.modules.get(star)
            names |= {name: f"{star}.{name}" for name in (module.public if module else ())}
        meant: dict[str, Meaning] = {name: (dotted, False) for name, dotted in names.items()}
        self.bound |= dict.fromkeys(alias.asname or alias.name for alias in node.names) | meant
        return [
            (alias.lineno, alias.col_offset, alias.name, meant.get(alias.asname or alias.name))
            for alias in node.names
        ]


def _place(node: Any, meaning: Meaning) -> Place:
    if isinstance(node, ast.Name):
        return node.lineno, node.col_offset, node.id, meaning
    return node.end_lineno, node.end_col_offset - len(node.attr.encode()), node.attr, meaning


def _is_read(node: ast.AST, own: set[str]) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own


def _bound_in(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function's arguments and lines bind."""
    nodes = list(ast.walk(function))
    return {n.arg for n in nodes if isinstance(n, ast.arg)} | {
        n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _bound_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds for those after it."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    nodes = ast.walk(statement)
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def link_code(highlighted: str, spots: Spots, address: Callable[[Target], str]) -> str:
    """Return highlighted code with a link around each name.

    A second link to the same place is no stop for the Tab key.


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


Address = Callable[[Target], str]


def link_page(body: str, package: Package, address: Address, unseen: Iterable[str] = ()) -> str:
    """Link the names in all code of a page.

    Source that a cell shows, whose first line says whose it is, is read with the names of its
    own module. The imports of ``unseen`` cells hold as well.
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
