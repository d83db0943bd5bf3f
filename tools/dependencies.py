"""Which file of the repository rests on which: by imports, and by the names of files.

A package's ``__init__`` hands names on; who takes one of them rests on the module that defines
it and not on all the others. What is handed on lazily stands in its ``if TYPE_CHECKING`` or in
a table of names and modules. A file that is not Python (a script, data, a text) belongs to the
modules that lie beside it in the package, else to those that name it. A folder of a package
that is none itself, such as an exercise's, belongs to the package.
"""

import ast
import json
import re
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
# Where a module's name begins: in the folders of packages, else it is the file's alone.
PACKAGE, TOOLS, BESIDE = "src", "tools", ("benchmarks", "tests")
GRADER = "grader/"  # it has such folders too
DATA = {".json", ".npz", ".gz", ".safetensors", ".txt"}
WALKS = {"walk_packages", "iter_modules", "import_module"}


class Repository:
    """The files of a repository and what each rests on.

    Args:
        root: its folder.
        names: its files, relative to ``root`` with slashes; those that git knows, or would,
            when None.
    """

    def __init__(self, root: Path = ROOT, names: Iterable[str] | None = None):
        self.root = root
        self.names = sorted(tracked(root) if names is None else names)
        self._trees: dict[str, ast.Module | None] = {}
        self._imported: dict[str, set[str]] = {}
        self._nodes: dict[str, list[ast.AST]] = {}
        self._handed: dict[str, dict[str, set[str]]] = {}
        self._closures: dict[tuple[str, ...], set[str]] = {}

    @cached_property
    def modules(self) -> dict[str, str]:
        """The file of every module that a file of the repository may import."""
        found = {}
        for name in self.names:
            path = PurePosixPath(name)
            if path.suffix != ".py":
                continue
            first, *rest = PurePosixPath(name.removeprefix(GRADER)).with_suffix("").parts
            if first in (PACKAGE, TOOLS):
                parts = rest[:-1] if rest[-1] == "__init__" else rest
                found[".".join(parts)] = name
            elif first in BESIDE and path.stem != "conftest":
                found.setdefault(path.stem, name)
        return found

    @cached_property
    def packages(self) -> set[str]:
        """The names at which the packages of ``src`` begin."""
        names = (name.removeprefix(GRADER) for name in self.names)
        return {PurePosixPath(n).parts[1] for n in names if n.startswith(f"{PACKAGE}/")}

    @cached_property
    def code(self) -> set[str]:
        """Python files and notebooks."""
        return {name for name in self.names if name.endswith((".py", ".ipynb"))}

    def tree(self, name: str) -> ast.Module | None:
        """Return the syntax tree of a file of code, None where it is none; parsed once."""
        if name not in self._trees:
            self._trees[name] = parse(self.root / name) if name in self.code else None
        return self._trees[name]

    def nodes(self, name: str) -> list[ast.AST]:
        """Return the nodes of a file's syntax tree, none where it has none; walked once."""
        if name not in self._nodes:
            tree = self.tree(name)
            self._nodes[name] = list(ast.walk(tree)) if tree else []
        return self._nodes[name]

    @cached_property
    def says(self) -> dict[str, set[str]]:
        """The files that have a text among their constants, by the text's last part."""
        found: dict[str, set[str]] = {}
        for name in self.code:
            for node in self.nodes(name):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.setdefault(node.value.rpartition("/")[2], set()).add(name)
        return found

    @cached_property
    def rests_on(self) -> dict[str, set[str]]:
        """What each file of code rests on directly."""
        found = {name: self.imports(name) | self._conftests(name) for name in self.code}
        for name in self.names:
            if name not in self.code:
                for owner in self.owners(name):
                    found[owner].add(name)
            elif name.removeprefix(GRADER).startswith(f"{PACKAGE}/"):
                inits = [str(f / "__init__.py") for f in PurePosixPath(name).parents]
                package = next((init for init in inits if init in self.code), name)
                if inits[0] != package:
                    found[package].add(name)
        return found

    def owners(self, name: str) -> set[str]:
        """Return the code that a file which is not code belongs to."""
        path = PurePosixPath(name)
        packaged = name.removeprefix(GRADER).startswith(f"{PACKAGE}/")
        if packaged and (beside := self._beside(path, path.parent)):
            return beside
        owners = self.says.get(path.name, set())
        if packaged and path.suffix in DATA:  # loaders are given the bare name
            owners = owners | self.says.get(path.stem, set())
        above = path.parents if packaged else ()
        return owners or next(filter(None, (self._beside(path, f) for f in above)), set())

    def _beside(self, path: PurePosixPath, folder: PurePosixPath) -> set[str]:
        """Return the code in a folder, or of it the one that is called like the file."""
        there = self.folders.get(str(folder), set())
        return {name for name in there if PurePosixPath(name).stem == path.stem} or there

    @cached_property
    def folders(self) -> dict[str, set[str]]:
        """The code that lies in each folder."""
        found: dict[str, set[str]] = {}
        for name in self.code:
            found.setdefault(str(PurePosixPath(name).parent), set()).add(name)
        return found

    def closure(self, *names: str) -> set[str]:
        """Return these files of code and all that they import, over any number of steps."""
        if names in self._closures:
            return self._closures[names]
        found, waiting = set(names), deque(names)
        while waiting:
            for name in self.imports(waiting.popleft()) - found:
                found.add(name)
                waiting.append(name)
        return self._closures.setdefault(names, found)

    def touched(self, changed: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return what rests on changed files, nearest first, each with the way to one.

        The way leads from the file itself to what changed; it is that alone for a changed file.
        """
        above: dict[str, set[str]] = {}
        for name, below in self.rests_on.items():
            for other in below:
                above.setdefault(other, set()).add(name)
        found = {name: (name,) for name in sorted(changed)}
        waiting = deque(found)
        while waiting:
            name = waiting.popleft()
            for other in sorted(above.get(name, set()) - found.keys()):
                found[other] = (other, *found[name])
                # Whoever imports a package's __init__ has its names resolved below.
                waiting.append(other)
        return found

    def _conftests(self, name: str) -> set[str]:
        if not name.removeprefix(GRADER).startswith("tests/"):
            return set()
        folders = PurePosixPath(name).parents
        return {n for f in folders if (n := str(f / "conftest.py")) in self.code} - {name}

    def imports(self, name: str) -> set[str]:
        """Return the files that one imports, or loads by a module's name in a text."""
        if name not in self._imported:
            self._imported[name] = set(self._imports(name)) - {name}
        return self._imported[name]

    def _imports(self, name: str) -> Iterator[str]:
        tree = self.tree(name)
        if tree is None:
            return
        bound = {}
        for node in _run(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    bound[alias.asname or top] = alias.name if alias.asname else top
                    yield from self._file(alias.name)
            elif isinstance(node, ast.ImportFrom):
                module = self._absolute(name, node)
                for alias in node.names:
                    if (whole := f"{module}.{alias.name}") in self.modules:
                        bound[alias.asname or alias.name] = whole
                    yield from self._name(module, alias.name)
        for node in self.nodes(name):
            if isinstance(node, ast.Attribute):
                chain = _chain(node)
                if chain and chain[0] in bound:
                    yield from self._chained(bound[chain[0]], chain[1:])
        yield from self._by_text(name)
        yield from self._shown(name)

    def _shown(self, name: str) -> Iterator[str]:
        """Yield where a definition stands that is shown by its dotted name, not imported."""
        for node in self.nodes(name):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "show":
                for text in (a.value for a in node.args if isinstance(a, ast.Constant)):
                    first, *rest = str(text).split(".")
                    if first in self.packages:
                        yield from self._chained(first, rest)

    def _by_text(self, name: str) -> Iterator[str]:
        """Yield what is imported by name, or by walking a package, where a file does that."""
        words = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "")
                 for n in self.nodes(name)}  # fmt: skip
        if not words & WALKS:
            return
        texts = {n.value for n in self.nodes(name) if isinstance(n, ast.Constant)}
        named = {self.modules[t] for t in texts if str(t).split(".")[0] in self.packages
                 and t in self.modules}  # fmt: skip
        yield from named
        own = {name} if name.endswith("__init__.py") else set()
        for package in (n for n in named | own if n.endswith("__init__.py")):
            if words & (WALKS - {"import_module"}):
                folder = f"{PurePosixPath(package).parent}/"
                yield from (n for n in self.code if n.startswith(folder) and n != name)

    def _absolute(self, name: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        path = PurePosixPath(name.removeprefix(GRADER))
        package = path.parents[node.level - 1].parts[1:]
        return ".".join([*package, *([node.module] if node.module else [])])

    def _file(self, module: str) -> Iterator[str]:
        """Yield the file of a module, but not of those that lie above."""
        if module in self.modules:
            yield self.modules[module]

    def _chained(self, module: str, attributes: list[str]) -> Iterator[str]:
        """Yield what ``module.a.b`` comes from, where the module hands on lazily."""
        while attributes and f"{module}.{attributes[0]}" in self.modules:
            module = f"{module}.{attributes.pop(0)}"
        if attributes and module in self.modules:
            yield from self._name(module, attributes[0])

    def _name(self, module: str, name: str) -> Iterator[str]:
        """Yield the file from which ``from module import name`` takes the name."""
        if f"{module}.{name}" in self.modules:
            handed = self._handed_on(module).get(name)
            yield from handed or self._file(f"{module}.{name}")
        elif module in self.modules:
            handed = self._handed_on(module)
            yield from handed.get(name) or self._file(module)
            if name == "*":
                yield from (file for files in handed.values() for file in files)

    def _handed_on(self, module: str) -> dict[str, set[str]]:
        """Return the files from which a package's names come, for the names it hands on."""
        if module in self._handed:
            return self._handed[module]
        path = self.modules.get(module, "")
        tree = self.tree(path) if path.endswith("__init__.py") else None
        found = self._handed.setdefault(module, {})
        for node in ast.walk(tree) if tree else ():
            if isinstance(node, ast.ImportFrom):
                inner = self._absolute(path, node)
                for alias in node.names:
                    if alias.name == "*":
                        found |= self._handed_on(inner)
                    elif inner != module:
                        files = set(self._name(inner, alias.name))
                        found.setdefault(alias.asname or alias.name, set()).update(files)
            elif isinstance(node, ast.Dict):  # names and the modules to load them from
                for key, value in zip(node.keys, node.values, strict=True):
                    name, home = (getattr(side, "value", None) for side in (key, value))
                    if f"{module}.{home}" in self.modules:
                        found.setdefault(name, set()).update(
                            self._name(f"{module}.{home}", name)
                        )
        return found


def parse(path: Path) -> ast.Module | None:
    """Return the syntax tree of a Python file or of a notebook's cells; None if it has none."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        text = re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", "\n".join(sources))
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def tracked(root: Path) -> list[str]:
    """Return the files that git knows or would take, relative to ``root``."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    said = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return [name for name in said.stdout.split("\0") if name and (root / name).is_file()]


def _run(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield the nodes of a tree but for what only a type checker reads."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        typing = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        waiting += node.orelse if typing else ast.iter_child_nodes(node)


def _chain(node: ast.AST) -> list[str]:
    """Return the names of ``a.b.c``, or nothing where it begins with something else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [*([node.id] if isinstance(node, ast.Name) else [""]), *names[::-1]]
