"""What the package's source must be like: who imports whom, and what may be imported."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
# A distribution of its own, which a clone may lack.
GRADER = ROOT / "grader" / "src" / "course_grader"

# What each part of the package may import from the others; _shapes and _public are everybody's.
MAY_IMPORT = {
    "environment": {"_setup_cell"},
    "data": {"_setup_cell"},
    "__main__": {"environment"},
    "layers": {"reference"},
    "kernels": {"reference", "layers"},
    "models": {"reference", "layers", "data"},
    "benchmarks": {"reference", "layers", "kernels", "measure"},
    "training": {"reference", "layers", "models"},
    "drawing": {"reference", "layers"},
    "widgets": {"drawing", "reference", "layers", "data", "measure.records"},
    "page": {"measure", "widgets", "_source"},
    "assembled": {"reference", "data", "exercises", "_source"},
    "site": {
        "drawing.palette",
        "drawing.labels",
        "widgets",
        "data.packed",
        "exercises",
        "assembled",
        "_setup_cell",
    },
    "exercises": {"reference", "layers", "data.world", "_setup_cell"},
    "grader": {"exercises.protocol", "site.offline"},
}
# The site is built without torch, and reads the widgets' files, not their classes.
NEVER_IMPORTED_BY = {
    "reference": {"torch", "plotly", "ipywidgets", "anywidget"},
    "site": {"torch", "plotly", "ipywidgets", "anywidget"},
    "data": {"torch"},
}
NOT_ON_COLAB = {"jaxtyping", "beartype", "sacrebleu"}


def modules() -> list[Path]:
    """Return the Python files of the course and, where it is, of the grader; tests left out."""
    found = [*SOURCE.rglob("*.py"), *GRADER.rglob("*.py")]
    return sorted(path for path in found if path.parent.name != "tests")


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
            allowed = {part, "_shapes", "_public"} | MAY_IMPORT.get(part, set())
            if not allowed & {".".join(rest[:depth]) for depth in range(1, len(rest) + 1)}:
                found.append(f"{part} imports {name}")
        elif top in NEVER_IMPORTED_BY.get(part, set()):
            found.append(f"{part} imports {name}")
        elif early and top in NOT_ON_COLAB:
            found.append(f"{part} imports {name}, which Colab lacks, when it is loaded")
        elif top in ("book", "tests", "tools") or (top == "course_grader") > (part == "grader"):
            found.append(f"{part} imports {name}")
    return found
