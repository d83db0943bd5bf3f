"""Where the book shows or uses each definition, found in the chapters and not written down."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attention_course.site.main_path import source, tags
from attention_course.site.reference_links import Names
from attention_course.site.reference_source import Definition, Package

_SHOWN = re.compile(r"# ([\w.]+?)\.?(?:\n#     )?(\w+)\n")
# Cells whose definitions are hidden, or that are not the package's.
NOT_WRITTEN = {"hide-input", "hide-cell", "remove-input", "remove-cell", "setup"}
NOT_WRITTEN |= {"exercise", "variant"}


def chapters_of(
    package: Package, book: Mapping[str, dict[str, Any]]
) -> dict[Definition, tuple[str, str]]:
    """Return for each definition how the book has it, and where first.

    Returns:
        *Taught* and the first chapter that has the definition's code; else *Used* and the first
        one that names it.
    """
    taught: dict[Definition, tuple[str, str]] = {}
    named: dict[Definition, tuple[str, str]] = {}
    for chapter, notebook in book.items():
        cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
        for definition in _on_the_page(package, cells):
            taught.setdefault(definition, ("Taught", chapter))
        names = Names(package)
        for cell in cells:
            for definition in _named(names, source(cell)):
                named.setdefault(definition, ("Used", chapter))
    return named | taught


def _named(names: Names, code: str) -> set[Definition]:
    """Return the definitions that a cell names; a method is its class's."""
    found = (target for _, target in names.find(code).values())
    return {_whole(names.package, d) for d in found if isinstance(d, Definition)}


def _whole(package: Package, definition: Definition) -> Definition:
    return package.modules[definition.module].definitions[definition.name.partition(".")[0]]


def _on_the_page(package: Package, cells: list[dict[str, Any]]) -> Iterator[Definition]:
    """Yield the definitions that a page shows, and those that it writes out itself."""
    for cell in cells:
        for output in cell["outputs"]:
            text = "".join(output.get("data", {}).get("text/plain", ""))
            shown = (found := _SHOWN.match(text)) and package.resolve(f"{found[1]}.{found[2]}")
            if isinstance(shown, Definition):
                yield _whole(package, shown)
        if NOT_WRITTEN & {*tags(cell)}:
            continue
        for node in ast.parse(re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", source(cell))).body:
            name = getattr(node, "name", "")
            own = [d for page in package.shown.values() for d in page if d.name == name]
            if len(own) > 1:
                own = [d for d in own if _arguments(d.node) == _arguments(node)]
            yield from own


def _arguments(node: ast.stmt) -> list[str]:
    return [inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)]
