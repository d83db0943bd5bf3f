"""What the package's source must be like: who imports whom, and what each function says."""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dependencies import Repository

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
# A distribution of its own, which a clone may lack.
GRADER = ROOT / "grader" / "src" / "course_grader"

# What each part of the package may import from the others; _shapes is everybody's.
MAY_IMPORT = {
    "environment": {"_setup_cell"},
    "layers": {"reference"},
    "kernels": {"reference", "layers"},
    "models": {"reference", "layers", "data"},
    "benchmarks": {"reference", "layers", "kernels", "models", "data", "measure", "training"},
    "training": {"reference", "layers", "models", "measure"},
    "drawing": {"reference", "layers"},
    "widgets": {"drawing", "reference", "layers", "data", "measure.records"},
    "page": {"measure", "widgets"},
    "site": {"drawing.palette", "widgets", "data.packed"},
    "exercises": {"reference", "layers", "_setup_cell"},
    "grader": {"exercises.protocol"},
}
# The site is built without torch, and reads the widgets' files, not their classes.
NEVER_IMPORTED_BY = {
    "reference": {"torch", "plotly", "ipywidgets", "anywidget"},
    "site": {"torch", "plotly", "ipywidgets", "anywidget"},
    "data": {"torch"},
}
# What pages are made of and what examines answers: no lesson is about them.
NOT_TAUGHT = {"site", "page", "exercises", "grader"}
WIDGETS = "src/attention_course/widgets"
NOT_ON_COLAB = {"jaxtyping", "beartype", "sacrebleu"}
WHERE = re.compile(r"(Taught in|Used in) ``([\w-]+(?:/[\w-]+)*)``\.\s*$")


def modules() -> list[Path]:
    """Return the Python files of the course and, where it is, of the grader."""
    return sorted([*SOURCE.rglob("*.py"), *GRADER.rglob("*.py")])


def part_of(path: Path) -> str:
    """Return where a file lies: a folder of the course, a module of its own, or the grader."""
    if path.is_relative_to(GRADER):
        return "grader"
    return path.relative_to(SOURCE).parts[1].removesuffix(".py")


def imports(source: str) -> Iterator[tuple[str, bool]]:
    """Yield every imported module and whether it is imported when the file is."""
    tree = ast.parse(source)
    late = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Try)
        or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) not in late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module.split(".")[0] == "attention_course":
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from ((name, id(node) not in late) for name in names)


def import_complaints(part: str, source: str) -> list[str]:
    """Return the imports that go against the direction, or that a reader may not have."""
    found = []
    if part == "__init__":  # the front door: it loads whatever is asked for
        return found
    for name, early in imports(source):
        top, *rest = name.split(".")
        if top == "attention_course" and rest and rest[0] != "__version__":
            allowed = {part, "_shapes"} | MAY_IMPORT.get(part, set())
            if not allowed & {".".join(rest[:depth]) for depth in range(1, len(rest) + 1)}:
                found.append(f"{part} imports {name}")
        elif top in NEVER_IMPORTED_BY.get(part, set()):
            found.append(f"{part} imports {name}")
        elif early and top in NOT_ON_COLAB:
            found.append(f"{part} imports {name}, which Colab lacks, when it is loaded")
        elif top in ("book", "tests", "tools") or (top == "course_grader") > (part == "grader"):
            found.append(f"{part} imports {name}")
    return found


def public_definitions() -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yield the functions and classes without underscore of all modules without one."""
    for path in modules():
        names = path.relative_to(ROOT).parts
        hidden = any(name.startswith("_") and name != "__init__.py" for name in names)
        if hidden or part_of(path) in NOT_TAUGHT:
            continue
        for node in _statements(path, path.stat().st_mtime_ns):
            definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if definition and not node.name.startswith("_"):
                yield f"{path.relative_to(ROOT).as_posix()}::{node.name}", node


@cache
def _statements(path: Path, written: int) -> list[ast.stmt]:
    """Return a module's statements, parsed once for each time that it was written."""
    return ast.parse(path.read_text(encoding="utf-8")).body


def taught_complaint(
    name: str, node: ast.FunctionDef | ast.ClassDef, repository: Repository
) -> str | None:
    """Return what is wrong with a definition's last line, or None.

    Either way the chapter imports the definition's module, over any number of steps; where it
    is taught, the chapter names it as well. What widgets are made of need not say it.
    """
    found = WHERE.search(ast.get_docstring(node) or "")
    if not found:
        made_of = name.startswith(WIDGETS) and node.name not in _exported(ROOT / WIDGETS)
        return None if made_of else "its docstring does not say at its end where it is taught"
    said, chapter = found.groups()
    notebook = f"book/{chapter}.ipynb"
    if notebook not in repository.names:
        return f"it is {said.lower()} {chapter}, and there is no such chapter"
    if said == "Taught in" and not names(notebook, node.name, repository):
        return f"it is taught in {chapter}, which does not name it"
    if name.partition("::")[0] not in repository.closure(notebook):
        return f"it is {said.lower()} {chapter}, which does not import its module"
    return None


def _exported(package: Path) -> set[str]:
    for node in ast.parse((package / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def names(notebook: str, name: str, repository: Repository) -> bool:
    """Say whether a notebook's cells, words or code, name a definition."""
    return re.search(rf"\b{re.escape(name)}\b", _cells(repository.root / notebook)) is not None


@cache
def _cells(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells)
