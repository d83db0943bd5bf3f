"""What the package's source must be like: who imports whom, and what each function says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"

# What each part of the package may import from the others; _shapes is everybody's.
MAY_IMPORT = {
    "environment": {"_setup_cell"},
    "layers": {"reference"},
    "models": {"reference", "layers", "data"},
    "training": {"reference", "layers", "models"},
    "drawing": {"reference", "layers"},
    "widgets": {"drawing", "reference", "layers"},
    "site": {"drawing.palette", "widgets"},
    "exercises": {"reference", "layers"},
    "grading": {"exercises", "_setup_cell"},
}
# The site is built without torch, and reads the widgets' files, not their classes.
NEVER_IMPORTED_BY = {
    "reference": {"torch", "plotly", "ipywidgets", "anywidget"},
    "site": {"torch", "plotly", "ipywidgets", "anywidget"},
    "data": {"torch"},
}
# What draws the pages and what examines answers: no lesson is about them.
NOT_TAUGHT = {"site", "exercises", "grading"}
NOT_ON_COLAB = {"jaxtyping", "beartype", "sacrebleu"}
TAUGHT = re.compile(r"Taught in ``([\w-]+(?:/[\w-]+)*)``\.\s*$")


def modules() -> list[Path]:
    """Return the package's Python files."""
    return sorted((SOURCE / "attention_course").rglob("*.py"))


def part_of(path: Path) -> str:
    """Return the part of the package in which a file lies: a folder, or a module of its own."""
    return path.relative_to(SOURCE / "attention_course").parts[0].removesuffix(".py")


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
        elif top in ("book", "tests", "tools"):
            found.append(f"{part} imports {name}")
    return found


def public_definitions() -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yield what a reader may import: what ``__all__`` names, or a lone module defines."""
    package = SOURCE / "attention_course"
    for path in modules():
        taught = part_of(path) not in NOT_TAUGHT and path.stem != "palette"
        public = taught and not path.stem.startswith("_")
        if not public:
            continue
        top = package / part_of(path) / "__init__.py"
        exported = _exported(top) if top.exists() and part_of(path) != "drawing" else None
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if definition and not node.name.startswith("_") and _among(node.name, exported):
                yield f"{path.relative_to(SOURCE)}::{node.name}", node


def _exported(path: Path) -> set[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def _among(name: str, exported: set[str] | None) -> bool:
    return exported is None or name in exported


def taught_complaint(node: ast.FunctionDef | ast.ClassDef) -> str | None:
    """Return what is wrong with a definition's last line, "Taught in", or None."""
    docstring = ast.get_docstring(node) or ""
    found = TAUGHT.search(docstring)
    if not found:
        return "its docstring does not end by saying where it is taught"
    chapter = next(ROOT.glob(f"book/{found[1]}.ipynb"), None)
    if chapter is None:
        return f"it is taught in {found[1]}, and there is no such chapter"
    if not re.search(rf"\b{re.escape(node.name)}\b", chapter.read_text(encoding="utf-8")):
        return f"it is taught in {found[1]}, which does not name it"
    return None
