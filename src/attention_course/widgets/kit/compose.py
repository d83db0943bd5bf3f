"""One self-contained ES module out of a script and all that it imports."""

import posixpath
import re
from pathlib import Path

WIDGETS = Path(__file__).parent.parent
_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/(?:\w+/)?\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class)\b)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.MULTILINE)
_COMMENT = re.compile(
    r"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL
)


def compose(name: str, root: Path = WIDGETS) -> str:
    """Put the script ``name`` and all that it imports into one module.

    Each imported file becomes a function that runs once and returns what it exports, so
    that names inside two files cannot meet. Comments on lines of their own are left out.

    Args:
        name: path of the script in ``root``, without ``.js``.
        root: where the folders with scripts lie.

    Returns:
        A module without imports whose only export is the script's ``default``.

    Raises:
        ValueError: if a file is missing, has no default export, or imports in another
            form than ``import { a, b } from "../kit/file.js";`` on one or several lines.

    >>> compose("saturation_lab/index").count("export default")
    1
    """
    sources = read_sources(name, root)
    if not re.search(r"^export default ", sources[name], re.MULTILINE):
        raise ValueError(f"compose: {name}.js must have a default export, got none")
    parts = []
    for part, source in sources.items():
        body = _body(part, source)
        if part != name:
            exports = ", ".join(_EXPORTED.findall(source))
            body = f"const {_constant(part)} = (() => {{\n{body}return {{ {exports} }};\n}})();"
        parts.append(body)
    return "\n".join(parts)


def read_sources(name: str, root: Path = WIDGETS) -> dict[str, str]:
    """Return a script and all that it imports, by path in ``root``: what is imported first.

    Raises:
        ValueError: if a file is missing.
    """
    sources: dict[str, str] = {}
    seen = {name}

    def visit(part: str) -> None:
        path = root / f"{part}.js"
        if not path.is_file():
            raise ValueError(f"compose: {part} must be a script in widgets, got no {path.name}")
        source = path.read_text(encoding="utf-8")
        for _, written in _IMPORT.findall(source):
            imported = _resolve(part, written)
            if imported not in seen:
                seen.add(imported)
                visit(imported)
        sources[part] = source

    visit(name)
    return sources


def _body(part: str, source: str) -> str:
    """Return a script's code with constants in place of its imports, and without exports."""

    def taken(found: re.Match[str]) -> str:
        return f"const {{{found[1]}}} = {_constant(_resolve(part, found[2]))};"

    body = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub(taken, source)))
    if re.search(r"^(import\b|export (?!default ))", body, re.MULTILINE):
        raise ValueError(
            f'compose: {part}.js must import as `import {{ a }} from "./file.js";` and export '
            "functions, constants and classes where they are defined, got another form"
        )
    return body


def _resolve(part: str, written: str) -> str:
    """Return the path in the widgets' folder of what a script there imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), written))


def _constant(part: str) -> str:
    """Return the name under which a file's exports stand; no two files share one."""
    return part.replace("/", "$")
