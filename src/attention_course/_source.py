"""The code of a function or class of the course, ready to be copied.

Docstrings, annotations and the checks of arguments are left out; what the annotations say of
shapes is in a comment, and the constants of the module that the code takes above it.
"""

import ast
import builtins
import importlib.util
import inspect
import io
import itertools
import re
import textwrap
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WIDEST, LONGEST = 76, 30
_TAKES = 'a function, a class or a dotted name, such as "attention_course.reference.softmax"'
_KINDS = {"Bool", "Float", "Float32", "Float64", "Int", "Shaped"}
_Definition = ast.FunctionDef | ast.ClassDef


def source_of(thing: Any, lines: int | None = LONGEST) -> str:
    """Return what :func:`attention_course.show` displays."""
    name = thing if isinstance(thing, str) else _name_of(thing)
    module, path, node = _find(name)
    text = _to_copy(path.read_text(encoding="utf-8"), node)
    text = "".join(f"{line}\n" for line in _constants(path, text)) + text
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


def _constants(path: Path, text: str) -> Iterator[str]:
    """Yield, as an assignment, each constant that a definition takes from its module."""
    for name in sorted({n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name)}):
        value = _value(path, name) if re.fullmatch("[A-Z][A-Z0-9_]+", name) else None
        line = f"{name} = {ast.unparse(value)}" if value else ""
        if 0 < len(line) <= WIDEST:
            yield line


def _value(path: Path, name: str) -> ast.expr | None:
    """Return what a module, or the one that it has a name from, assigns to it: no calls."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in (n for n in tree.body if isinstance(n, ast.Assign)):
        target, value = node.targets[0], node.value
        targets = getattr(target, "elts", [target])
        values = getattr(value, "elts", ()) if targets != [target] else [value]
        for one, given in zip(targets, values, strict=False):
            calls = [n.func for n in ast.walk(given) if isinstance(n, ast.Call)]
            if getattr(one, "id", "") == name and {*map(ast.unparse, calls)} <= {
                "tl.constexpr"
            }:
                return given
    if handed_on := _handed_on(tree, name):
        module = _file_of(handed_on.split(".")[:-1])
        return _value(module, name) if module else None
    return None


def _to_copy(text: str, node: _Definition) -> str:
    """Return a definition's lines, dedented: no docstrings, annotations and checks."""
    lines = text.splitlines()
    kept: dict[int, str] = dict(enumerate(lines[: node.end_lineno], start=1))
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    for number in range(1, first):
        del kept[number]
    for inner in ast.walk(node):
        if isinstance(inner, ast.FunctionDef):
            _without_annotations(inner, lines, kept, inner.col_offset - node.col_offset)
        if isinstance(inner, ast.ClassDef):
            _without_types(inner, lines, kept)
        if isinstance(inner, _Definition):
            _without_checks_and_docstring(inner, lines, kept)
    text = textwrap.dedent("\n".join(kept[number] for number in sorted(kept))).rstrip()
    return re.sub(r"(?m)(^ *class .*:\n)\n+", r"\1", text)


def _without_checks_and_docstring(
    node: _Definition, lines: list[str], kept: dict[int, str]
) -> None:
    for mark in node.decorator_list:
        if getattr(getattr(mark, "func", mark), "id", "") == "checked":
            _drop(kept, mark.lineno, mark.end_lineno or mark.lineno)
    doc = node.body[: ast.get_docstring(node) is not None]
    checks = [part for part in node.body if _is_check(part)]
    rest = len(doc) + len(checks) < len(node.body)
    for part in doc + checks * rest:
        end = part.end_lineno or part.lineno
        while part in doc and end < len(lines) and not lines[end].strip():
            end += 1
        _drop(kept, part.lineno, end)
    if len(doc) == len(node.body):
        kept[doc[0].lineno] = " " * doc[0].col_offset + "pass"


def _is_check(node: ast.stmt) -> bool:
    """Say whether a statement only calls ``check_…`` or ``_check_…``."""
    called = getattr(getattr(node, "value", None), "func", None)
    name = getattr(called, "id", "").lstrip("_")
    return isinstance(node, ast.Expr) and name.startswith("check_")


def _without_types(node: ast.ClassDef, lines: list[str], kept: dict[int, str]) -> None:
    """Leave no annotation, or of a record's fields, which need one, the shapes."""
    record = any("NamedTuple" in ast.unparse(b) for b in node.bases) or any(
        "dataclass" in ast.unparse(mark) for mark in node.decorator_list
    )
    for part in node.body:
        if isinstance(part, ast.AnnAssign) and part.lineno == part.annotation.end_lineno:
            if not record:
                _without_type(part, lines, kept)
            elif any(
                isinstance(n, ast.Name) and not hasattr(builtins, n.id)
                for n in ast.walk(part.annotation)
            ):
                told = " or ".join(_axes(part)) or ast.unparse(part.annotation)
                # ast counts columns in bytes of UTF-8.
                line, annotation = lines[part.lineno - 1].encode(), part.annotation
                before, after = line[: annotation.col_offset], line[annotation.end_col_offset :]
                kept[part.lineno] = f'{before.decode()}"{told}"{after.decode()}'


def _without_type(part: ast.AnnAssign, lines: list[str], kept: dict[int, str]) -> None:
    line, at = lines[part.lineno - 1].encode(), part.annotation.end_col_offset or 0
    kept[part.lineno] = (line[: part.target.end_col_offset] + line[at:]).decode()
    if part.value is None:
        _drop(kept, part.lineno, part.lineno)


def _without_annotations(
    node: ast.FunctionDef, lines: list[str], kept: dict[int, str], indent: int
) -> None:
    """Write a function's head anew, in as few lines as it needs, and the shapes below it."""
    source = "\n".join(lines) + "\n"
    end, rest = _end_of_head(node, lines)
    arguments = [_argument(*pair, source) for pair in _pairs(node.args)]
    room = WIDEST - indent
    head = f"def {node.name}({', '.join(arguments)}):"
    if len(head) > room:
        parts = [f"{argument}," for argument in arguments]
        inside = "\n".join(_lines(parts, room, "    ", "    ", " "))
        head = f"def {node.name}(\n{inside}\n):"
    comment = "".join(f"\n    {line}" for line in _shapes(node, room - 4))
    _drop(kept, node.lineno, end)
    kept[node.lineno] = textwrap.indent(head + rest + comment, " " * node.col_offset)
    for part in ast.walk(node):
        if isinstance(part, ast.AnnAssign) and part.lineno == part.annotation.end_lineno:
            _without_type(part, lines, kept)


def _drop(kept: dict[int, str], first: int, last: int) -> None:
    for number in range(first, last + 1):
        kept.pop(number, None)


def _end_of_head(node: ast.FunctionDef, lines: list[str]) -> tuple[int, str]:
    """Return the line of the colon behind a function's head, and what follows in it."""
    body = io.StringIO("\n".join(lines[node.lineno - 1 :]) + "\n")
    depth = 0
    for token in tokenize.generate_tokens(body.readline):
        depth += (token.string in "([{") - (token.string in ")]}") if token.string else 0
        if token.string == ":" and not depth:
            break
    return node.lineno + token.start[0] - 1, token.line[token.end[1] :].rstrip()


def _pairs(args: ast.arguments) -> Iterator[tuple[str, ast.arg | None, ast.expr | None]]:
    """Yield each argument's stars, itself and its default, and a bare star."""
    plain = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(plain) - len(args.defaults)) + [*args.defaults]
    yield from zip(itertools.repeat(""), plain, defaults, strict=False)
    if args.vararg or args.kwonlyargs:
        yield "*", args.vararg, None
    yield from zip(itertools.repeat(""), args.kwonlyargs, args.kw_defaults, strict=False)
    if args.kwarg:
        yield "**", args.kwarg, None


def _argument(stars: str, arg: ast.arg | None, default: ast.expr | None, source: str) -> str:
    """Write an argument; what a compiler of kernels must know stays."""
    text = stars + (arg.arg if arg else "")
    kind = ast.unparse(arg.annotation) if arg and arg.annotation else ""
    told = f": {kind}" if kind.endswith("constexpr") else ""
    given = (ast.get_source_segment(source, default) or "") if default else ""
    equals = " = " if told else "="
    return text + told + (equals + given if given else "")


def _shapes(node: ast.FunctionDef, room: int) -> list[str]:
    """Return a comment that says which shapes go in and out, or nothing."""
    named = [
        (arg.arg, found) for _, arg, _ in _pairs(node.args) if arg for found in [_axes(arg)]
    ]
    parts = []
    for found, group in itertools.groupby(named, key=lambda pair: pair[1]):
        if found:
            parts.append(f"{', '.join(name for name, _ in group)}: {found[0]}")
    out = _axes(node) if node.returns else []
    parts += [f"->  {', '.join(out)}"] if out else []
    return _lines(parts, room, "# ", "#  ", "  ") if parts else []


def _lines(parts: list[str], room: int, start: str, later: str, between: str) -> list[str]:
    """Fill lines with parts, none of which is cut."""
    lines = [start + parts[0]]
    for part in parts[1:]:
        longer = lines[-1] + between + part
        lines[-1:] = [longer] if len(longer) <= room else [lines[-1], later + part]
    return lines


def _axes(node: ast.arg | ast.AnnAssign | ast.FunctionDef) -> list[str]:
    """Return the shapes that an annotation names, such as "(*batch, q, d_k)"."""
    annotation = node.returns if isinstance(node, ast.FunctionDef) else node.annotation
    found = []
    for part in ast.walk(annotation) if annotation else ():
        if isinstance(part, ast.Subscript) and isinstance(part.slice, ast.Tuple):
            axes = getattr(part.slice.elts[-1], "value", None)
            if getattr(part.value, "id", "") in _KINDS and isinstance(axes, str):
                words = axes.replace("#", "").split()
                comma = "," if len(words) == 1 and words[0][0] != "*" else ""
                found.append(f"({', '.join(words)}{comma})")
    return [shape for shape in found if shape != "(...,)"]
