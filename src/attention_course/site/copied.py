"""What a reader copies from a chapter: its code, in an order in which it runs by itself.

This reads the JSON of notebooks, so that a test can run what it lists, and a page can offer it
to be edited and run.
"""

import ast
import builtins
import dis
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from textwrap import indent
from types import CodeType
from typing import Any

from attention_course.site.main_path import source, tags

# What who copies may import: these names, once, and in a cell more of these modules.
IMPORTS = {
    "np": "import numpy as np",
    "torch": "import torch",
    "nn": "from torch import nn",
    "triton": "import triton",
    "tl": "from triton import language as tl",
    "math": "import math",
    "checkpoint": "from torch.utils.checkpoint import checkpoint",
    "contextlib": "import contextlib",
    "cache": "from functools import cache",
    "deque": "from collections import deque",
    "dataclass": "from dataclasses import dataclass",
    "NamedTuple": "from typing import NamedTuple",
}
MODULES = {"collections", "dataclasses", "functools", "itertools", "math", "typing", "re"}
MODULES |= {"numpy", "torch"}
# What calls these may leave its arguments other than they were.
TRAINS = tuple(f"attention_course.{part}." for part in ("benchmarks", "models", "training"))
OUT_OF_SIGHT = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NEVER_RUN = {"setup", "exercise", "raises-exception", "kernel-only", "gpu"}

_SHOWN = re.compile(r"# (attention_course\.[\w.]+?)\.?(?:\n#     )?(\w+)\n")
_SEEDED = re.compile(r"\b(?:RandomState|default_rng|Generator)\(")
_EMPTY = re.compile(r"\[\]|\{\}|\b(?:Counter|defaultdict|deque)\(")
_PRINTS = re.compile(r"\b(?:print|display)\(")
_AT_ONCE = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"}
_GIVEN = {*dir(builtins), "__name__", "__qualname__", "__module__", "__class__"}
_GIVEN |= {"__annotations__"}
_Block = ast.FunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Piece:
    """Some code to copy."""

    kind: str
    """``import``, ``earlier`` (of an earlier chapter), ``definition`` or ``example``."""
    source: str
    chapter: str = ""
    """The chapter that has it, such as ``transformer/scaling``."""
    cell: str = ""
    """The id of its cell there."""
    whole: bool = False
    """Whether the list has all that its cell prints, and stores as its result."""
    works: bool = True
    """Whether the list has all that its functions take when they are called."""


class _Statement:
    """A statement of a cell, or the definition that one ``show`` displays."""

    def __init__(self, text: str, chapter: str, cell: str, home: str = ""):
        self.source, self.chapter, self.cell, self.home = text, chapter, cell, home
        self.node = ast.parse(text).body[-1]  # above it, constants that it takes
        self.binds: set[str] = set()
        self.now: set[str] = set()  # the names that it takes when it runs
        self.later: set[str] = set()  # those that its functions take when they are called
        self.uses: dict[str, _Statement] = {}  # where they are from, if it is on a shelf
        self._look(compile(ast.parse(text), cell, "exec"), self.now)
        self.defines = isinstance(self.node, _Block)

    def _look(self, code: CodeType, taken: set[str]) -> None:
        own: set[str] = set()
        for step in dis.get_instructions(code):
            if step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                own.add(step.argval)
            elif step.opname in ("LOAD_NAME", "LOAD_GLOBAL") and step.argval not in own:
                taken.update({step.argval} - _GIVEN)
        if code.co_name == "<module>":
            self.binds = own
        for inner in code.co_consts:
            if isinstance(inner, CodeType):
                at_once = inner.co_name in _AT_ONCE or "__qualname__" in inner.co_names
                self._look(inner, taken if at_once else self.later)

    def changes(self) -> set[str]:
        """Return the names of what it binds, assigns into or calls a method of."""
        found = set(self.binds)
        for node in ast.walk(self.node):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                node = node.value.func
            elif not isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
                node = node.func if isinstance(node, ast.Call) else node.value
            found |= {node.id} if isinstance(node, ast.Name) else set()
        return found

    def closure(self) -> "Iterator[_Statement]":
        """Yield what it uses, innermost first, and itself."""
        done: set[int] = set()

        def visit(one: _Statement) -> Iterator[_Statement]:
            if id(one) not in done:
                done.add(id(one))
                for other in one.uses.values():
                    yield from visit(other)
                yield one

        yield from visit(self)


def copied(
    book: Mapping[str, dict[str, Any]], without: Iterable[str] = ()
) -> Iterator[tuple[str, list[Piece], set[str]]]:
    """Yield each chapter's name, what a reader copies from it, and what nothing there explains.

    The list has in this order: imports; what the chapter takes from earlier ones, with all that
    it calls; what ``show`` displays; then the cells, statement by statement, as definitions and
    examples, as far as they take nothing that is not in the list. So nothing in it draws,
    trains, reads a record or takes the time, or depends on what does.

    Args:
        book: the chapters in their order, each as the JSON of its notebook.
        without: the names of :data:`IMPORTS` that cannot be had; what takes them is left out.
    """
    shelf: dict[str, list[_Statement]] = {}
    for name, notebook in book.items():
        chapter = _Chapter(name, notebook, shelf)
        yield name, chapter.pieces({*without}), chapter.lacks
        for statement in chapter.taught:
            for bound in statement.binds:
                shelf.setdefault(bound, []).append(statement)


class _Chapter:
    """A chapter while its list is made."""

    def __init__(
        self, name: str, notebook: dict[str, Any], shelf: Mapping[str, list[_Statement]]
    ):
        self.name, self.shelf = name, shelf
        self.origins: dict[str, str] = {}  # modules of the names that cells take from elsewhere
        self.cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
        self.shown = [s for cell in self.cells for s in _shown(cell, name)]
        known = shelf.keys() | {bound for s in self.shown for bound in s.binds}
        texts = [_by_name(source(c), known, self.origins) for c in self.cells]
        pairs = zip(self.cells, texts, strict=True)
        self.code = [[*_statements(text, name, cell["id"])] for cell, text in pairs]
        for node in (s.node for code in self.code for s in code):
            if isinstance(node, ast.ImportFrom):
                names = (alias.asname or alias.name for alias in node.names)
                self.origins |= dict.fromkeys(names, f"{node.module}.")
        hidden = {*OUT_OF_SIGHT, *NEVER_RUN}
        pages = zip(self.cells, self.code, strict=True)
        written = [s for cell, code in pages if not hidden & {*tags(cell)} for s in code]
        own = {bound: s for s in [*written, *self.shown] for bound in s.binds}
        self.taught = [*self.shown, *(s for s in written if s.defines or _constant(s))]
        self.lacks: set[str] = set()
        for statement in self.taught:
            for taken in sorted(
                (statement.now | statement.later) - {*IMPORTS} - statement.binds
            ):
                found = own.get(taken) or self._earlier(taken, statement.home)
                if found is None:
                    self.lacks |= {taken} if statement.defines else set()
                elif found.defines or found in self.taught:
                    statement.uses[taken] = found
        self.have: dict[
            str, set[str]
        ] = {}  # what the list gives, and what it takes when called
        self.fixed: set[str] = set()  # of these, what nothing changes
        self.seeded: set[str] = set()  # what a call draws from
        self.filled: set[str] = set()  # what a function may fill
        self.prints: set[str] = set()
        self.used: set[str] = set()
        self.ran: set[str] = set()

    def _earlier(self, taken: str, home: str = "") -> _Statement | None:
        """Return what the shelf has of a name, nearest to the module that takes or gives it."""
        origin = home or self.origins.get(taken, "")
        numpy = ".reference." in origin
        fits = [
            s
            for s in self.shelf.get(taken, ())
            if not origin or (s.defines and (not s.home or (".reference." in s.home) == numpy))
        ]
        return max(reversed(fits), key=lambda s: _shared(s.home, origin), default=None)

    def pieces(self, without: set[str]) -> list[Piece]:
        """Return the list; ``lacks`` then has what it does not explain."""
        imports = {*IMPORTS} - without
        self.modules = MODULES - {IMPORTS[name].split()[1] for name in without}
        self.have = {name: set() for name in imports}
        self.fixed |= imports
        taken = set().union(*(s.now | s.later for code in self.code for s in code))
        found = [self._earlier(name) for name in sorted(taken & self.origins.keys())]
        wanted = [*self.taught, *filter(None, found)]
        before = [s for one in wanted for s in one.closure() if s.chapter != self.name]
        listed: list[Piece] = []
        for s in [*dict.fromkeys(before), *self.shown]:
            if self._runs(s):
                self._take(s)
                kind = "definition" if s.chapter == self.name else "earlier"
                listed.append(Piece(kind, s.source, s.chapter, s.cell))
        for cell, code in zip(self.cells, self.code, strict=True):
            if not NEVER_RUN & {*tags(cell)}:
                listed += self._cell(cell["id"], code)
        self.lacks = {n for n in self.lacks - self.ran if not self._complete(n)}
        listed = [replace(p, works=all(map(self._complete, _blocks(p.source)))) for p in listed]
        given = [Piece("import", IMPORTS[n]) for n in IMPORTS if n in imports & self.used]
        return given + listed

    def _cell(self, cell: str, code: list[_Statement]) -> list[Piece]:
        listed, whole = [], True
        for s in code:
            if self._imports_the_course(s):
                continue
            if self._runs(s):
                self._take(s)
                listed.append(("definition" if s in self.taught else "example", s.source))
            else:
                prints = _PRINTS.search(s.source) or self._closure(s.now) & self.prints
                whole &= not prints
                self._leave(s)
        return [Piece(kind, text, self.name, cell, whole) for kind, text in listed]

    def _imports_the_course(self, statement: _Statement) -> bool:
        """Say whether it does; what the list does not have instead is gone."""
        module = getattr(statement.node, "module", None) or ""
        if not module.startswith("attention_course"):
            return False
        shown = {bound for s in self.shown for bound in s.binds}
        for bound in statement.binds - shown:
            if not self._earlier(bound):
                self.have.pop(bound, None)
        return True

    def _runs(self, statement: _Statement) -> bool:
        node = statement.node
        if isinstance(node, ast.ImportFrom):
            return (node.module or "").partition(".")[0] in self.modules
        if isinstance(node, ast.Import):
            return {alias.name.partition(".")[0] for alias in node.names} <= self.modules
        return all(map(self._complete, statement.now))

    def _complete(self, name: str) -> bool:
        return self._closure({name}) <= self.have.keys()

    def _closure(self, names: set[str]) -> set[str]:
        found: set[str] = set()
        waiting = [*names]
        while waiting:
            if (name := waiting.pop()) not in found:
                found.add(name)
                waiting += self.have.get(name, ())
        return found

    def _take(self, statement: _Statement) -> None:
        self.used |= statement.now | statement.later
        self.ran |= self._closure(statement.now)
        self.have |= dict.fromkeys(statement.binds, statement.later)
        fixed = isinstance(statement.node, _Block | ast.Import | ast.ImportFrom)
        for kind, belongs in (
            (self.fixed, fixed),
            (self.seeded, _SEEDED.search(statement.source)),
            (self.filled, _EMPTY.search(statement.source)),
            (self.prints, statement.defines and _PRINTS.search(statement.source)),
        ):
            kind -= statement.binds
            kind |= statement.binds if belongs else set()

    def _leave(self, statement: _Statement) -> None:
        """Forget what a statement that is left out binds, changes, trains or draws from."""
        takes = self._closure(statement.now)
        gone = statement.changes() | takes & self.seeded | (takes - statement.now) & self.filled
        if any(self.origins.get(name, "").startswith(TRAINS) for name in takes):
            gone |= statement.now
        for name in statement.binds | gone - self.fixed:
            self.have.pop(name, None)


def _shown(cell: dict[str, Any], chapter: str) -> Iterator[_Statement]:
    """Yield what a cell's ``show`` displays; a method stands in a class of its own."""
    for output in cell["outputs"]:
        text = "".join(output.get("data", {}).get("text/plain", ""))
        if found := _SHOWN.match(text):
            home = found[1]
            owner = home.rpartition(".")[2]
            method = owner[:1].isupper()
            if method:
                at = re.search(r"(?m)^(?:def|@)", text)
                start = at.start() if at else 0
                text = f"{text[:start]}class {owner}:\n{indent(text[start:], ' ' * 4)}"
            statement = _Statement(text, chapter, cell["id"], home)
            statement.binds -= {owner} if method else set()
            yield statement


def _statements(text: str, chapter: str, cell: str) -> Iterator[_Statement]:
    """Yield a cell's statements, each with the comments above it, without magics.

    A ``predict`` becomes what it stores: the answer, and what it reveals, printed.
    """
    text = re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", text)
    lines, last = text.splitlines(), 0
    for node in ast.parse(text).body:
        end = node.end_lineno or node.lineno
        sources = ["\n".join(lines[last:end]).strip("\n")]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            named = {word.arg: word.value for word in node.value.keywords}
            if ast.unparse(node.value.func) == "ac.predict":
                told = [[named.get("answer", *node.value.args[1:]), named.get("unit")]]
                told += [[named.get("reveal")]]
                sources = [
                    f"print({', '.join(parts)})"
                    for row in told
                    if (parts := [ast.get_source_segment(text, t) or "" for t in row if t])
                ]
        yield from (_Statement(one, chapter, cell) for one in sources)
        last = end


def _by_name(text: str, known: Iterable[str], origins: dict[str, str]) -> str:
    """Write ``ac.softmax`` as ``softmax``, where that is shown by then."""

    def named(found: re.Match[str]) -> str:
        part, name = found.groups()
        if name not in known:
            return found[0]
        origins.setdefault(name, f"attention_course.{part or 'reference.'}")
        return name

    return re.sub(r"\bac\.((?:\w+\.)*)(\w+)\b(?!\.)", named, text)


def _blocks(text: str) -> set[str]:
    """Return the names of the functions and classes that a text defines."""
    return {node.name for node in ast.parse(text).body if isinstance(node, _Block)}


def _constant(statement: _Statement) -> bool:
    """Whether a statement only names what it takes from nowhere."""
    return isinstance(statement.node, ast.Assign) and not statement.now


def _shared(one: str, other: str) -> int:
    """Return how many parts the names of two modules begin with that are the same."""
    pairs = zip(one.split("."), other.split("."), strict=False)
    same = [a == b for a, b in pairs]
    return [*same, False].index(False)
