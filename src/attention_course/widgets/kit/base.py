"""What every widget of the course shares: its files, its checks, its fallback.

A widget is a folder: its class in ``widget.py``, its script in ``index.js`` and what that
imports, its style in ``style.css``. The browser gets one self-contained module:
:func:`compose` puts the modules that ``index.js`` imports into it, so that nothing is fetched
and no bundler is needed. Node's tests import the same files as they are.
"""

import html
import posixpath
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets

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

    Used in ``transformer/scaling``.
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
        names = re.sub(r"(\w+) as (\w+)", r"\1: \2", found[1])
        return f"const {{{names}}} = {_constant(_resolve(part, found[2]))};"

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


if TYPE_CHECKING:
    _Trait = traitlets.TraitType[Any, Any]
else:  # Colab's traitlets takes no types
    _Trait = traitlets.TraitType


class Checked(_Trait):
    """A synced trait that refuses a bad value with the widget's name, expected and actual.

    Args:
        expected: what the value must be, in words.
        convert: returns the value as JSON can hold it, or raises.
        default: the value unless one is given.
    """

    def __init__(self, expected: str, convert: Callable[[Any], Any], default: Any):
        super().__init__(default_value=default)
        self.expected, self.convert = expected, convert
        self.tag(sync=True)

    def make_dynamic_default(self) -> Any:
        """Give each widget a list or dictionary of its own."""
        return self.convert(self.default_value)

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the value as JSON holds it, or raise ValueError."""
        try:
            return self.convert(value)
        except (TypeError, ValueError, KeyError):
            raise ValueError(
                f"{type(obj).__name__}: {self.name} must be {self.expected}, got {value!r}"
            ) from None


def whole(low: int, high: int, default: int) -> Checked:
    """Return a trait for whole numbers from ``low`` to ``high``."""

    def convert(value: Any) -> int:
        if isinstance(value, bool) or int(value) != value or not low <= value <= high:
            raise ValueError
        return int(value)

    return Checked(f"a whole number from {low} to {high}", convert, default)


def number(low: float, high: float, default: float) -> Checked:
    """Return a trait for finite numbers from ``low`` to ``high``."""

    def convert(value: Any) -> float:
        if isinstance(value, (bool, str)) or not low <= value <= high:
            raise ValueError
        return float(value)

    return Checked(f"a number from {low:g} to {high:g}", convert, default)


def choice(options: Sequence[str], default: str) -> Checked:
    """Return a trait for one of some words."""

    def convert(value: Any) -> str:
        if not isinstance(value, str) or value not in options:
            raise ValueError
        return value

    return Checked("one of " + ", ".join(map(repr, options)), convert, default)


def flag(default: bool) -> Checked:
    """Return a trait for True or False."""

    def convert(value: Any) -> bool:
        if not isinstance(value, bool):
            raise TypeError
        return value

    return Checked("True or False", convert, default)


def numbers(limit: float, longest: int) -> Checked:
    """Return a trait for a list of at most ``longest`` numbers of size at most ``limit``."""

    def convert(value: Any) -> list[float]:
        values = [] if value is None else list(value)
        if len(values) > longest or not all(abs(x) <= limit for x in values):
            raise ValueError
        return [float(x) for x in values]

    expected = f"a list of at most {longest} numbers between {-limit:g} and {limit:g}"
    return Checked(expected, convert, [])


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return a small HTML table; the first cell of a row is its heading."""
    top = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{html.escape(first)}</th>'
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    return (
        f'<table class="ac-table"><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"
    )


class CourseWidget(anywidget.AnyWidget):
    """The base of all widgets.

    A subclass names its folder with ``folder="x"`` in the class line, lists in ``_state`` the
    traits that "reset" restores and a link carries, and overrides :meth:`_fallback`.

    Attributes:
        key: names the widget in links, ``#key?d_k=512``.
        fallback: HTML (a sentence and a small table) shown where no script runs.
        initial: the state at the start, for "reset".

    Taught in ``why/attention-by-hand``.
    """

    _state: ClassVar[tuple[str, ...]] = ()
    _esm = "export default { render() {} };\n"
    _css = ""

    key = traitlets.Unicode("").tag(sync=True)
    fallback = traitlets.Unicode("").tag(sync=True)
    initial = traitlets.Dict().tag(sync=True)

    def __init_subclass__(cls, folder: str = "", **kwargs: Any) -> None:
        if folder:
            script = f"{folder}/index"
            cls._esm = compose(script)
            used = [part.split("/")[0] for part in read_sources(script)]
            names = dict.fromkeys(("kit", *(name for name in used if name != folder), folder))
            styles = (WIDGETS / name / "style.css" for name in names)
            cls._css = "\n".join(s.read_text(encoding="utf-8") for s in styles if s.is_file())
        super().__init_subclass__(**kwargs)

    @classmethod
    def fixed(cls) -> dict[str, Any]:
        """Return what every widget of the class stores alike: its module, style and name.

        ``tools/refresh_widgets.py`` puts it into notebooks that were stored with an older one.
        """
        return {
            "_anywidget_id": f"{cls.__module__}.{cls.__name__}",
            "_css": cls._css,
            "_esm": cls._esm,
        }

    def __init__(self, **kwargs: Any) -> None:
        unknown = sorted(set(kwargs) - set(self.trait_names()))
        if unknown:
            raise ValueError(
                f"{type(self).__name__}: arguments must be among "
                f"{', '.join(('key', *self._state))}, got {', '.join(unknown)}"
            )
        super().__init__(**kwargs)
        self.key = self.key or self._default_key()
        self.initial = {name: getattr(self, name) for name in self._state}
        self.fallback = self._fallback()

    def __repr__(self) -> str:
        """Return the call that makes this widget: the same text in every run."""
        state = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._state)
        return f"{type(self).__name__}({state})"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Add the fallback, for hosts that show no widget: JupyterLab until it trusts a file.

        Not in Colab, where it might be preferred to the widget.
        """
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle and self.fallback and "google.colab" not in sys.modules:
            bundle[0]["text/html"] = self.fallback
        return bundle

    def _default_key(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    def _fallback(self) -> str:
        return ""
