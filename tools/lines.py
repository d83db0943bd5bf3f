"""Count our lines that are not blank: what is taught or touched, and the machinery.

    python tools/lines.py

Taught or touched is what a page runs or shows, with its tests. Machinery builds the site, holds
pages and files to rules, measures, and helps tests.
"""

import json
from collections import Counter
from pathlib import Path

from rules.repository import ROOT, files

KINDS = {".py", ".js", ".mjs", ".ts", ".css", ".html", ".sh", ".ipynb"}
COURSE = "src/attention_course/"
BASE = ("base", "results", "runner")  # of the benchmarks
MACHINERY = (
    *("tools/", "conftest.py", "tests/gates/", "tests/tools/", "tests/site/", "tests/browser/"),
    *("tests/notebooks/", "tests/repository/", "tests/measure/", "tests/test_structure.py"),
    *(f"{COURSE}{part}" for part in ("site/", "measure/", "environment.py", "_setup_cell.py")),
    *(f"{COURSE}benchmarks/{name}.py" for name in BASE),
)


def kind_of(name: str) -> tuple[str, str]:
    """Return whose a file is, the course's or the grader's, and which kind it is of."""
    whose, inside = ("grader", name[7:]) if name.startswith("grader/") else ("course", name)
    helper = inside.startswith("tests/") and not Path(name).name.startswith(("test_", "rows"))
    helper |= inside.startswith(f"{COURSE}widgets/") and "/tests/" in inside
    helper &= not name.endswith(".test.mjs")
    return whose, "machinery" if helper or inside.startswith(MACHINERY) else "taught"


def lines_of(path: Path) -> int:
    """Return how many lines of a file are not blank; of a notebook, of its code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = (c for c in json.loads(text)["cells"] if c["cell_type"] == "code")
        text = "\n".join("".join(cell["source"]) for cell in cells)
    return sum(bool(line.strip()) for line in text.splitlines())


def main() -> None:
    """Print one table."""
    counted: Counter[tuple[str, str]] = Counter()
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in KINDS and "/vendor/" not in name:
            counted[kind_of(name)] += lines_of(path)
    print(f"{'':8}{'taught or touched':>20}{'machinery':>12}")
    for whose in ("course", "grader"):
        print(f"{whose:8}{counted[whose, 'taught']:20,}{counted[whose, 'machinery']:12,}")


if __name__ == "__main__":
    main()
