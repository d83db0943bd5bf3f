"""What every widget of the course shares: its files, its checks, its fallback.

A widget is a folder: its class in ``widget.py``, its script in ``index.js`` and what that
imports, its style in ``style.css``. The browser gets one self-contained module:
:func:`compose` puts the modules that ``index.js`` imports into it, so that nothing is fetched
and no bundler is needed. Node's tests import the same files as they are.
"""

import html
import os
import re
import sys
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import anywidget
import traitlets

from attention_course.widgets.kit import in_node
from attention_course.widgets.kit.compose import WIDGETS, compose, read_sources
from attention_course.widgets.kit.traits import Checked


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Return a small HTML table; the first cell of a row is its heading."""
    if not all(cell.strip() for cell in head):
        raise ValueError(f"table: head must have words for every column, got {tuple(head)}")
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

    A subclass names its folder with ``folder="x"`` in the class line. ``describe.js`` in that
    folder says what is in its place where no script runs. "Reset" restores and a link carries
    the traits of ``_state``: all that are checked, unless the subclass names some.

    Attributes:
        key: names the widget in links, ``#key?d_k=512``.
        fallback: HTML (a sentence and a small table) shown where no script runs; empty in a
            reader's kernel, which stores nothing.
        initial: the state at the start, for "reset".
        limits: what each trait of the state may be, for the script; and under ``constants``
            the sizes and names that its mathematics shares with Python, if there are any.
    """

    _state: ClassVar[tuple[str, ...]] = ()
    _constants: ClassVar[dict[str, Any]] = {}
    _folder: ClassVar[str] = ""
    _esm = "export default { render() {} };\n"
    _css = ""

    key = traitlets.Unicode("").tag(sync=True)
    fallback = traitlets.Unicode("").tag(sync=True)
    initial = traitlets.Dict().tag(sync=True)
    limits = traitlets.Dict().tag(sync=True)

    def __init_subclass__(cls, folder: str = "", **kwargs: Any) -> None:
        if folder:
            cls._folder = folder
            script = f"{folder}/index"
            cls._esm = compose(script)
            used = [part.split("/")[0] for part in read_sources(script)]
            names = dict.fromkeys(("kit", *(name for name in used if name != folder), folder))
            styles = (WIDGETS / name / "style.css" for name in names)
            cls._css = "\n".join(s.read_text(encoding="utf-8") for s in styles if s.is_file())
        # anywidget makes a class of each object, which has no trait of its own.
        checked = any(isinstance(trait, Checked) for trait in vars(cls).values())
        if checked and "_state" not in vars(cls):
            traits = (trait for part in reversed(cls.__mro__) for trait in vars(part).items())
            cls._state = tuple(name for name, trait in traits if isinstance(trait, Checked))
        super().__init_subclass__(**kwargs)

    @classmethod
    def fixed(cls) -> dict[str, Any]:
        """Return what every widget of the class stores alike: module, style, name, limits.

        ``tools/refresh_widgets.py`` puts it into notebooks that were stored with an older one.
        """
        return {
            "_anywidget_id": f"{cls.__module__}.{cls.__name__}",
            "_css": cls._css,
            "_esm": cls._esm,
            "limits": cls._limits(),
        }

    @classmethod
    def _limits(cls) -> dict[str, Any]:
        traits = cls.class_traits().items()
        found = {name: trait.limits for name, trait in traits if isinstance(trait, Checked)}
        return found | ({"constants": cls._constants} if cls._constants else {})

    @traitlets.default("limits")
    def _limits_of_the_class(self) -> dict[str, Any]:
        return self._limits()

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
        self._check()
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

    def _check(self) -> None:
        """Refuse a state whose traits do not go together, with a ValueError."""

    def _default_key(self) -> str:
        return re.sub(r"(?<!^)(?=[A-Z])", "-", type(self).__name__).lower()

    def stored(self) -> dict[str, Any]:
        """Return what a notebook stores of this widget alone: its traits by name."""
        own = {*self.trait_names(sync=True)} - {*anywidget.AnyWidget.class_trait_names()}
        return {n: getattr(self, n) for n in sorted(own) if n[0] != "_" and n != "fallback"}

    @classmethod
    def described(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the widget's script says of a stored state, by ``in_node.describe``."""
        return in_node.describe(cls._folder, state)

    @classmethod
    def fallback_of(cls, state: Mapping[str, Any]) -> str:
        """Return what replaces a widget in this state where no script runs."""
        said = cls.described(state)
        sentence = f"<p>{html.escape(said['sentence'])}</p>"
        return sentence + table(said["head"], said["rows"], said["caption"])

    def _fallback(self) -> str:
        return self.fallback_of(self.stored()) if in_node.STORES in os.environ else ""


class TrainedWidget(CourseWidget):
    """The base of widgets with trained weights, which wait until the reader asks for them.

    A page's script fetches them from the page's folder, or from this object by a message; for
    Node they are written into the state.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.on_msg(self._answer)

    def _answer(self, widget: Any, content: Any, buffers: Any) -> None:
        """Send the weights that the browser asks for."""
        name = content.get("model")
        self.send({"model": name}, [self._packed(name)])

    @classmethod
    def _packed(cls, name: str) -> bytes:
        """Return the weights of a model; each widget with weights has its own."""
        raise KeyError(name)

    @classmethod
    def described(cls, state: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the script says of a stored state, with the weights of its one model."""
        return super().described({**state, "weights": b64encode(cls._packed("")).decode()})

    @classmethod
    def fallback_of(cls, state: Mapping[str, Any]) -> str:
        """Return what replaces it where no script runs: what the trained model says."""
        return super().fallback_of({**state, "loaded": True})
