"""What a test file or a notebook looks at, found in the text of the files alone.

It looks at itself, at every ``conftest.py`` above it, and at what it imports: a name that a
package hands on counts as the module that defines it. A module brings the files beside it that
are no modules. A word in quotes that is the name of a file, or of a folder of data, brings
that; ``pytest.mark.inputs("src/attention_course/data")`` brings more. What is read without
being found here is noticed when the tests run (``passed.py``).
"""

import ast
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Where modules are looked for, after the folder of who imports them.
PLACES = ("src", "grader/src", "tools", "benchmarks", "tests", "grader/benchmarks")
# What every test depends on: the installed packages, and the settings of pytest.
ALWAYS = ("pyproject.toml", "requirements.txt", "requirements/book.txt", "package-lock.json")
SCRIPTS = (".js", ".mjs")
TEST = re.compile(r"(grader/)?tests/(.*/)?test_\w+\.py|book/.*\.ipynb")
DOTTED = re.compile(r"(attention_course|course_grader)(\.\w+)+")
BUILT, SITE = "_build", "_build/html"
# Of what lies in the site's static folder, what belongs to a page or a few: by its name there.
OWN = re.compile(r"_static/course/(cells|widgets|models)/")
RECORD = "tests/passed.json"
BANK = "/exercises/bank/"


class Tree:
    """The files of a repository, and which of them each test looks at."""

    def __init__(self, root: Path = ROOT):
        listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        said = subprocess.run(listed, cwd=root, capture_output=True, text=True, check=True)
        found = [name for name in said.stdout.split("\0") if (root / name).is_file()]
        self.root, self.files = root, set(found)
        self.folders: dict[str, set[str]] = {}  # by folder, all that lies below it
        for name in found:
            for folder in Path(name).parents[:-1]:
                self.folders.setdefault(folder.as_posix(), set()).add(name)
        self.beside: dict[str, set[str]] = {}
        self.called: dict[str, set[str]] = {}  # files and folders of data, by their names
        for name in found:
            folder, _, last = name.rpartition("/")
            self.beside.setdefault(folder, set()).add(name)
            self.called.setdefault(last, set()).add(name)
        for folder, below in self.folders.items():
            if not (f"{folder}/__init__.py" in below or any(map(TEST.fullmatch, below))):
                self.called.setdefault(folder.rpartition("/")[2], set()).update(below)
        self.names, self.words = cache(self._names), cache(self._words)
        self.exports, self.sha = cache(self._exports), cache(self._sha)
        self.inputs, self.text = cache(self._inputs), cache(self._text)
        self.site = cache(self._site)
        self.nodes, self.leads = cache(self._nodes), cache(self._leads)

    def tests(self) -> list[str]:
        """Return every test file and every notebook."""
        return sorted(filter(TEST.fullmatch, self.files))

    def digest(self, name: str, whole: bool = False, page: str = "") -> str:
        """Return a hash of what a test looks at, as found or in the ``whole`` repository.

        There, of notebooks the code counts, and no page in Markdown, unless they were found. Of
        a ``page`` of the built site: how it is looked at, and what is built of it.
        """
        found = hashlib.sha256(str(sys.version_info[:2]).encode())
        looked_at = set(self.inputs(name)) - {RECORD, BUILT}
        if page:
            looked_at = {o for o in looked_at if not re.match(r"(src|book|docs)/", o)}
            looked_at = {o for o in looked_at if o == name or not TEST.fullmatch(o)}
        for one in sorted(looked_at):
            found.update(f"{one}\0{self.sha(one)}\0".encode())
        for one in sorted(self.files - looked_at - {RECORD} if whole else ()):
            if one.endswith(".ipynb"):
                found.update(self.text(one).encode())
            elif not one.endswith(".md") and not TEST.fullmatch(one):
                found.update(f"{one}\0{self.sha(one)}\0".encode())
        if page:
            path = self.root / SITE / page
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            found.update(repr(built(self.site(), page, text)).encode())
        elif BUILT in self.inputs(name):
            found.update(repr(self.site()).encode())
        return found.hexdigest()[:16]

    def says(self, name: str) -> bool:
        """Say whether a test names what the programs that it starts read."""
        above = [(Path(folder) / "conftest.py").as_posix() for folder in Path(name).parents]
        said = any("INPUTS =" in self.text(one) for one in above if one in self.files)
        return said or "mark.inputs(" in self.text(name)

    def each_page(self, name: str) -> set[str]:
        """Return the functions whose tests look at one page each."""
        functions = (n for n in self.nodes(name) if isinstance(n, ast.FunctionDef))
        marked = (n for n in functions if "each_page" in map(_last, n.decorator_list))
        return {function.name for function in marked}

    def _inputs(self, name: str, all_run: bool = False) -> dict[str, int]:
        """Return what a test looks at, and over how many imports.

        With ``all_run`` also what a package imports for names that the test does not use.
        """
        above = [(Path(folder) / "conftest.py").as_posix() for folder in Path(name).parents]
        left = [(name, True, 0)] + [(conftest, True, 1) for conftest in above]
        found = dict.fromkeys(ALWAYS, 9)
        done: set[tuple[str, bool]] = set()
        for one, whole, distance in left:  # it grows while it is walked
            whole |= all_run
            if one not in self.files or (one, whole) in done:
                continue
            done.add((one, whole))
            found.setdefault(one, distance)
            imported, data = self.leads(one, whole)
            left += [(other, more, distance + 1) for other, more in imported]
            for other in data - found.keys():
                found[other] = distance + 1
                if other.endswith(SCRIPTS):
                    left.append((other, True, distance + 1))
        if name.endswith(".ipynb"):  # of the bank, a chapter uses what it names
            said = (self.root / name).read_text(encoding="utf-8")
            bank = {one: one.split(BANK)[1].split("/")[0] for one in found if BANK in one}
            unsaid = {slug for slug in {*bank.values()} if slug not in said}
            found = {one: d for one, d in found.items() if bank.get(one) not in unsaid}
        return found

    def _leads(self, name: str, whole: bool) -> tuple[list[tuple[str, bool]], set[str]]:
        """Return what a file imports, and the files of data that it may read."""
        imported: dict[tuple[str, bool], None] = {}
        data: set[str] = set()
        if name.startswith("src/"):
            data = {f for f in self.beside[name.rpartition("/")[0]] if not f.endswith(".py")}
        if whole:
            for dotted in sorted(self.names(name)):
                imported |= dict.fromkeys(self.imported(dotted, name))
            inside = name.partition("src/")[0] + "src/" if "src/" in name else ""
            words = self.words(name)
            for word in words:
                found = self.called.get(word.rpartition("/")[2], set())
                data |= {other for other in found if f"/{word}" in f"/{other}"}
                data |= self.folders.get(word, set())
            data = {other for other in data if other.startswith(inside)}
            data |= {BUILT} & words
        return [*imported], data

    def imported(self, dotted: str, near: str) -> Iterator[tuple[str, bool]]:
        """Yield the files that an import runs, and whether all that they import counts."""
        if near.endswith(SCRIPTS):
            yield dotted, True
            return
        head, *rest = dotted.split(".")
        for place in (near.rpartition("/")[0], *PLACES):
            if self._there(found := f"{place}/{head}"):
                yield from self._inside(found, rest)
                return
        for helper in self.called.get(f"{head}.py", ()):
            if "tests/" in helper:
                yield helper, True

    def _there(self, place: str) -> bool:
        return f"{place}.py" in self.files or place in self.folders

    def _inside(self, place: str, rest: list[str]) -> Iterator[tuple[str, bool]]:
        """Yield the files of a name that stands ``rest`` below a module or a package."""
        init = f"{place}/__init__.py"
        if f"{place}.py" in self.files:
            yield f"{place}.py", True
        elif rest and self._there(f"{place}/{rest[0]}"):
            yield init, False
            yield from self._inside(f"{place}/{rest[0]}", rest[1:])
        elif rest and init in self.files:
            yield init, False
            named, stars = self.exports(init)
            if rest[0] in ("*", "__all__", "__dict__"):
                yield init, True
                for dotted in named.values():
                    yield from self.imported(dotted, init)
            elif rest[0] in named:
                yield from self.imported(".".join([named[rest[0]], *rest[1:]]), init)
            elif stars and not rest[0].startswith("__"):
                for star in stars:
                    yield from self.imported(f"{star}.{rest[0]}", init)
            elif not rest[0].startswith("__"):
                yield init, True
        else:
            yield init, False

    def _exports(self, init: str) -> tuple[dict[str, str], list[str]]:
        """Return what a package hands on: where each name is from, and what it takes whole."""
        package = ".".join(init.split("/")[init.startswith("grader") + 1 : -1])
        named, stars = {}, []
        for node in ast.walk(ast.parse(self.text(init))):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    if alias.name == "*":
                        stars.append(node.module)
                    named[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                        named[key.value] = f"{package}.{value.value}.{key.value}"
        return named, stars

    def _names(self, name: str) -> set[str]:
        """Return what a file imports, dotted; of a script, the files."""
        if name.endswith(SCRIPTS):
            below = re.findall(r"""(?:from|import\(?)\s*["'](\.[^"']+)["']""", self.text(name))
            folder = (self.root / name).parent
            paths = [Path(folder, one).resolve() for one in below]
            return {p.relative_to(self.root.resolve()).as_posix() for p in paths}
        found, alias = set(), {}
        for node in self.nodes(name):
            if isinstance(node, ast.Import):
                found |= {one.name for one in node.names}
                for one in node.names:
                    top = one.name.split(".")[0]
                    alias[one.asname or top] = one.name if one.asname else top
            if isinstance(node, ast.ImportFrom) and node.module:
                found |= {f"{node.module}.{one.name}" for one in node.names}
                alias |= {o.asname or o.name: f"{node.module}.{o.name}" for o in node.names}
        bases = {id(n.value) for n in self.nodes(name) if isinstance(n, ast.Attribute)}
        for node in self.nodes(name):
            if isinstance(node, ast.Name) and node.id in alias and id(node) not in bases:
                found.add(f"{alias[node.id]}.*")
            elif isinstance(node, ast.Attribute):
                chain, inner = [node.attr], node.value
                while isinstance(inner, ast.Attribute):
                    chain, inner = [inner.attr, *chain], inner.value
                if isinstance(inner, ast.Name) and inner.id in alias:
                    found.add(".".join([alias[inner.id], *chain]))
            elif isinstance(node, ast.Constant) and DOTTED.fullmatch(str(node.value)):
                found.add(node.value)
        return found

    def _words(self, name: str) -> set[str]:
        """Return the words in quotes that may be names of files or folders."""
        nodes = self.nodes(name)
        if name.endswith("conftest.py"):  # what it names for all tests beside and below it
            assigned = [n for n in nodes if isinstance(n, ast.Assign)]
            named = [n.value for n in assigned if "INPUTS" in ast.unparse(n)]
            nodes = [inner for node in named for inner in ast.walk(node)]
        texts = [n.value for n in nodes if isinstance(n, ast.Constant)]
        words = [text for text in texts if isinstance(text, str)]
        return {word.strip("/") for word in words if re.fullmatch(r"[\w./-]+", word)}

    def _nodes(self, name: str) -> list[ast.AST]:
        """Return the nodes of a file's code; a template of code has none."""
        try:
            code = self.text(name) if name.endswith((".py", ".ipynb")) else ""
            return list(ast.walk(ast.parse(code)))
        except SyntaxError:
            return []

    def _text(self, name: str) -> str:
        """Return the code of a file; of a notebook, of its cells."""
        text = (self.root / name).read_text(encoding="utf-8")
        if not name.endswith(".ipynb"):
            return text
        cells = [c for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
        code = "\n".join("".join(c["source"]) for c in cells)
        return re.sub(r"(?m)^(\s*)[%!].*", r"\1pass", code)

    def _site(self) -> dict[str, str]:
        """Return the hash of every file of the built site; ``.buildinfo`` knows the folder."""
        site = self.root / SITE
        found = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.*"))
        return {name: self._sha(f"{SITE}/{name}") for name in found if name != ".buildinfo"}

    def _sha(self, name: str) -> str:
        path = self.root / name
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _last(decorator: ast.expr) -> str:
    return decorator.attr if isinstance(decorator, ast.Attribute) else ""


def built(site: dict[str, str], page: str, text: str) -> dict[str, str]:
    """Return, of the hashes of a built site, those of a page and what it shares."""
    said = {name for name in site if OWN.match(name) and Path(name).stem in text}
    other = {name for name in said if "/cells/" in name and name not in text}
    shared = {name for name in site if name.startswith("_static/") and not OWN.match(name)}
    return {name: site[name] for name in sorted({page} & site.keys() | said - other | shared)}
