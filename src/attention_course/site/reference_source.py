"""The package as its source says it: modules, definitions and what each name means.

Everything is read with ``ast``. Nothing is imported, because a build of the book has no torch.
"""

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Parts of which a reader calls what they hand out, and parts that no reader imports.
HANDED_OUT = frozenset({"exercises", "page", "widgets"})
LEFT_OUT = frozenset({"site"})
_LAZY = frozenset({"_WHERE", "_ELSEWHERE"})  # name → submodule, for parts that load late


@dataclass(frozen=True)
class Definition:
    """A function, a class, a method or a constant."""

    module: str  # the dotted name
    name: str  # for a method the class's name, a dot and its own
    node: ast.stmt
    source: str  # its lines as they stand, without docstrings
    head: str = ""  # its call, a class's fields, a constant's lines

    @property
    def dotted(self) -> str:
        """The full name."""
        return f"{self.module}.{self.name}"

    @property
    def kind(self) -> str:
        """One of function, class, constant."""
        kinds = {ast.ClassDef: "class", ast.FunctionDef: "function"}
        return kinds.get(type(self.node), "constant")

    @property
    def docstring(self) -> str:
        """The docstring, without its indentation; empty if missing."""
        if isinstance(self.node, (ast.FunctionDef, ast.ClassDef)):
            return ast.get_docstring(self.node) or ""
        return ""


@dataclass(eq=False)
class Module:
    """One file: its docstring, what it defines and what it imports of the package."""

    name: str  # dotted
    docstring: str
    definitions: dict[str, Definition] = field(default_factory=dict)  # methods after classes
    imports: dict[str, str] = field(default_factory=dict)  # local name to dotted name
    stars: list[str] = field(default_factory=list)  # modules of which everything is imported
    public: list[str] = field(default_factory=list)  # with those of parts that load late


# What a name of the package can mean.
Target = Definition | Module


class Package:
    """A package, read from its folder, which has its name."""

    def __init__(self, folder: Path):
        if not (folder / "__init__.py").is_file():
            raise ValueError(f"Package: folder must hold __init__.py, got {folder.name}")
        self.name = folder.name
        self.modules: dict[str, Module] = {}
        for path in sorted(folder.rglob("*.py")):
            inside = path.relative_to(folder).with_suffix("").parts
            if not all(part.isidentifier() for part in inside) or inside[0] in LEFT_OUT:
                continue  # an exercise's folder is data
            inside = inside[:-1] if inside[-1] == "__init__" else inside
            dotted = ".".join([self.name, *inside])
            self.modules[dotted] = _read(path, dotted, self.name)

    def resolve(self, dotted: str) -> Target | None:
        """Return what a dotted name means, wherever it was handed on; None if not ours."""
        return self._resolve(dotted, frozenset())

    def _resolve(self, dotted: str, seen: frozenset[str]) -> Target | None:
        above, _, name = dotted.rpartition(".")
        if dotted in seen:
            return None
        seen |= {dotted}
        if module := self.modules.get(above):
            if found := module.definitions.get(name):
                return found
            # As in Python, a name that a part imports hides the file of that name.
            others = [module.imports[name]] if name in module.imports else []
            others += [f"{star}.{name}" for star in module.stars]
            for other in others:
                if (meant := self._resolve(other, seen)) is not None:
                    return meant
        if dotted in self.modules:
            return self.modules[dotted]
        holder = self._resolve(above, seen) if above and above not in self.modules else None
        if isinstance(holder, Module):
            return self._resolve(f"{holder.name}.{name}", seen)
        return self._member(holder, name) if holder else None

    def _member(self, owner: Definition, name: str) -> Definition | None:
        """Return a method of a class or of a class that it extends."""
        if found := self.modules[owner.module].definitions.get(f"{owner.name}.{name}"):
            return found
        for base in self.bases(owner):
            if found := self._member(base, name):
                return found
        return None

    def bases(self, owner: Definition) -> list[Definition]:
        """Return the classes of the package that a class extends."""
        written = owner.node.bases if isinstance(owner.node, ast.ClassDef) else []
        found = (self.resolve(f"{owner.module}.{ast.unparse(base)}") for base in written)
        return [base for base in found if isinstance(base, Definition) and base != owner]

    @functools.cached_property
    def shown(self) -> dict[str, list[Definition]]:
        """The definitions of each page, by module; a module without any has no page.

        A part of ``HANDED_OUT`` has one page, with what it hands out. Private modules are shown
        as far as a public class extends one of theirs, because its methods are called.
        """
        found: dict[str, list[Definition]] = {}
        for module in self.modules.values():
            inside = module.name.split(".")[1:]
            if any(part.startswith("_") for part in inside):
                continue
            for definition in module.definitions.values():
                if self._called(inside, definition):
                    found.setdefault(self.page_of(definition), []).append(definition)
        for definition in [d for page in found.values() for d in page]:
            for base in self.bases(definition):
                page = found.setdefault(self.page_of(base), [])
                if base not in page:
                    page.append(base)
        return {name: found[name] for name in self.modules if name in found}

    def page_of(self, definition: Definition) -> str:
        """Return the module on whose page a definition stands."""
        parts = definition.module.split(".")
        handed_out = len(parts) > 2 and parts[1] in HANDED_OUT
        return ".".join(parts[:2]) if handed_out else definition.module

    def is_shown(self, definition: Target) -> bool:
        """Say whether a definition, the class of a method or a module's names are on a page."""
        if isinstance(definition, Module):
            inside = definition.name.startswith(f"{self.name}.")
            return inside and any(f"{n}.".startswith(f"{definition.name}.") for n in self.shown)
        owner, _, method = definition.name.partition(".")
        page = self.shown.get(self.page_of(definition), [])
        return any(d.module == definition.module and d.name == owner for d in page) and (
            not method.startswith("_")
        )

    def _called(self, inside: list[str], definition: Definition) -> bool:
        if definition.name.startswith("_") or "." in definition.name:
            return False  # methods stand with their class
        if not inside or inside[0] not in HANDED_OUT:
            return True
        part = f"{self.name}.{inside[0]}"
        return any(
            definition == self.resolve(f"{module.name}.{definition.name}")
            for module in self.modules.values()
            if f"{module.name}.".startswith(f"{part}.") and definition.name in module.public
        )

    def methods(self, owner: Definition) -> list[Definition]:
        """Return the public methods that a class itself defines."""
        start = f"{owner.name}."
        return [
            definition
            for name, definition in self.modules[owner.module].definitions.items()
            if name.startswith(start) and not name.removeprefix(start).startswith("_")
        ]

    def imported_from(self, definition: Definition) -> str:
        """Return the shortest module from which a name is handed out."""
        parts = definition.module.split(".")
        for length in range(2, len(parts)):
            above = ".".join(parts[:length])
            if definition.name in self.modules[above].public:
                return above
        return definition.module


def _read(path: Path, dotted: str, package: str) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    module = Module(dotted, ast.get_docstring(tree) or "")
    lines = text.splitlines()
    inner = dotted if path.stem == "__init__" else dotted.rpartition(".")[0]
    for node in _statements(tree.body):
        if isinstance(node, ast.ImportFrom):
            start = ".".join(inner.split(".")[: len(inner.split(".")) - node.level + 1])
            source = node.module or ""
            if node.level:
                source = f"{start}.{source}".rstrip(".")
            take_import(node, source, package, module.imports, module.stars)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            _define(module, node.name, node, lines)
            for method in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(method, ast.FunctionDef):
                    _define(module, f"{node.name}.{method.name}", method, lines)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            _assigned(module, node, lines)
    return module


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those under ``if TYPE_CHECKING`` included."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from _statements(node.body)
        yield node


def take_import(
    node: ast.ImportFrom, source: str, package: str, names: dict[str, str], stars: list[str]
) -> None:
    """Enter what an import statement takes out of the package into ``names`` and ``stars``."""
    if source.split(".")[0] != package:
        return
    for alias in node.names:
        if alias.name == "*":
            stars.append(source)
        else:
            names[alias.asname or alias.name] = f"{source}.{alias.name}"


def _define(
    module: Module, name: str, node: ast.FunctionDef | ast.ClassDef, lines: list[str]
) -> None:
    if any(ast.unparse(d).endswith((".setter", "overload")) for d in node.decorator_list):
        return
    source, head = _source(node, lines), _head(node, lines)
    module.definitions[name] = Definition(module.name, name, node, source, head)


def _source(node: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> str:
    """Return the lines of a definition without its docstrings, moved to the left."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    kept = list(range(first, (node.end_lineno or first) + 1))
    inner = [part for part in node.body if isinstance(part, ast.FunctionDef)]
    for part in [node, *inner]:
        said = part.body[0]
        if ast.get_docstring(part) is None or len(part.body) == 1:
            continue
        end = said.end_lineno or said.lineno
        if part is node and not lines[end].strip():
            end += 1
        kept = [n for n in kept if not said.lineno <= n <= end]
    return "\n".join(lines[n - 1][node.col_offset :] for n in kept)


def _head(node: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> str:
    """Return a definition as a stub: of a class its fields, and what makes one."""
    said = [d for d in node.decorator_list if ast.unparse(d).endswith(("property", "method"))]
    kept = [*(lines[d.lineno - 1] for d in said), _header(node, lines)]
    last = len(kept) - 1
    for part in node.body if isinstance(node, ast.ClassDef) else []:
        if isinstance(part, ast.AnnAssign):
            kept += lines[part.lineno - 1 : part.end_lineno]
        elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
            kept.append(f"{_header(part, lines)} ...")
    kept[last] += "" if kept[last + 1 :] else " ..."
    return "\n".join(line[node.col_offset :] for line in "\n".join(kept).split("\n"))


def _header(node: ast.FunctionDef | ast.ClassDef, lines: list[str]) -> str:
    """Return the lines of a definition up to its colon, without a remark behind that."""
    end = max(node.lineno, node.body[0].lineno - 1)
    text = "\n".join(lines[node.lineno - 1 : end])
    return re.sub(r":[^\S\n]*(#.*)?\s*(@.*|#.*|\s*)*\Z", ":", text)


def _assigned(module: Module, node: ast.Assign | ast.AnnAssign, lines: list[str]) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
    if names == ["__all__"] and node.value is not None:
        # The list may be computed; what it writes out counts, else what is imported.
        texts = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
        imported = sorted(name for name in module.imports if name[0] != "_")
        module.public = [text for text in texts if isinstance(text, str)] or imported
    if len(names) == 1 and names[0] in _LAZY and isinstance(node.value, ast.Dict):
        for name, where in ast.literal_eval(node.value).items():
            module.imports.setdefault(name, f"{module.name}.{where}.{name}")
            module.public.append(name)
    first = node.lineno - 1
    while lines[first - 1].startswith("# "):
        first -= 1
    source = "\n".join(lines[first : node.end_lineno])
    for name in names:
        if not name.startswith("_"):
            module.definitions[name] = Definition(module.name, name, node, "", source)
