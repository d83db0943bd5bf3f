"""Show a function or class of the course as it stands in its file."""

import ast
import importlib.util
import inspect
import textwrap
from pathlib import Path
from typing import Any

from IPython.display import display

WIDEST, LONGEST = 76, 30
_TAKES = 'a function, a class or a dotted name, such as "attention_course.reference.softmax"'
_Definition = ast.FunctionDef | ast.ClassDef


class _Shown:
    """Source for a terminal and for nbval, and as Markdown, which every host highlights."""

    def __init__(self, source: str):
        self.source = source

    def __repr__(self) -> str:
        return self.source

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.source}\n```"


def show(thing: Any, *, lines: int | None = LONGEST) -> None:
    """Display the source of a function or class, without docstrings.

    A comment on top says where it stands. A dotted name is read without importing anything, so
    that code for a device can be shown where the device's packages are missing.

    Args:
        thing: a function, a class, or the dotted name of one.
        lines: the most lines that are shown; None allows any number.

    Raises:
        ValueError: if there is no such definition in a file, or it is longer than ``lines``
            or wider than 76 columns.

    >>> show("attention_course.reference.softmax")  # doctest: +ELLIPSIS
    # attention_course.reference.softmax.softmax
    def softmax(...
    """
    display(_Shown(source_of(thing, lines)))


def source_of(thing: Any, lines: int | None = LONGEST) -> str:
    """Return what :func:`show` displays."""
    name = thing if isinstance(thing, str) else _name_of(thing)
    module, path, node = _find(name)
    text = _without_docstrings(path.read_text(encoding="utf-8"), node)
    shown = text.splitlines()
    if lines is not None and len(shown) > lines:
        raise ValueError(
            f"show: thing must have at most {lines} lines, got {name} with {len(shown)}: "
            "split it, or say lines=None"
        )
    widest = max(shown, key=len)
    if len(widest) > WIDEST:
        raise ValueError(
            f"show: lines must be at most {WIDEST} columns wide, got {len(widest)} in "
            f"{name}: {widest.strip()} (a comma at the end of a bracket breaks its line)"
        )
    head = f"# {module}"
    if len(head) > WIDEST:
        head = "# {}.\n#     {}".format(*module.rsplit(".", 1))
    return f"{head}\n{text}"


def _name_of(thing: Any) -> str:
    thing = inspect.unwrap(thing) if callable(thing) else thing
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if not (inspect.isroutine(thing) or isinstance(thing, type)) or not module or not name:
        raise ValueError(f"show: thing must be {_TAKES}, got {thing!r}")
    if module == "__main__":
        raise ValueError(f"show: {name} is defined in the notebook: it stands there already")
    return f"{module}.{name}"


def _find(name: str) -> tuple[str, Path, _Definition]:
    """Return the full name of a definition, its file and its node; nothing is imported."""
    parts = name.split(".")
    for at in range(len(parts) - 1, 0, -1):
        if all(parts) and (path := _file_of(parts[:at])):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if node := _inside(tree, parts[at:]):
                return name, path, node
            handed_on = _handed_on(tree, parts[at])
            if handed_on and handed_on != ".".join(parts[: at + 1]):
                return _find(".".join([handed_on, *parts[at + 1 :]]))
            break
    raise ValueError(f"show: thing must be {_TAKES}, got {name!r}, which is none")


def _file_of(module: list[str]) -> Path | None:
    """Return the file of a module of a package that is installed, without importing it."""
    try:
        spec = importlib.util.find_spec(module[0])
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin)
    if len(module) > 1:
        path = path.parent.joinpath(*module[1:])
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return path if path.suffix == ".py" and path.is_file() else None


def _inside(tree: ast.AST, names: list[str]) -> _Definition | None:
    for node in getattr(tree, "body", ()):
        if isinstance(node, _Definition) and node.name == names[0]:
            return node if len(names) == 1 else _inside(node, names[1:])
    return None


def _handed_on(tree: ast.Module, name: str) -> str | None:
    """Return the full name of what a module imports under a name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    return f"{node.module}.{alias.name}"
    return None


def _without_docstrings(text: str, node: _Definition) -> str:
    """Return a definition's lines as they stand, decorators and comments too, dedented."""
    lines = text.splitlines()
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    left_out: set[int] = set()
    replaced: dict[int, str] = {}
    for inner in ast.walk(node):
        if not isinstance(inner, _Definition) or ast.get_docstring(inner) is None:
            continue
        doc = inner.body[0]
        end = doc.end_lineno or doc.lineno
        left_out |= {*range(doc.lineno, end + 1)}
        if len(inner.body) == 1:
            replaced[doc.lineno] = " " * doc.col_offset + "pass"
        while end < len(lines) and not lines[end].strip():
            end += 1
            left_out.add(end)
    kept = [
        replaced.get(number, lines[number - 1])
        for number in range(first, (node.end_lineno or first) + 1)
        if number not in left_out or number in replaced
    ]
    return textwrap.dedent("\n".join(kept)).rstrip()
