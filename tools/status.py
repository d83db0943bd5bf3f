"""Write the status page of the book, from the notebooks and from the tests.

    python tools/status.py    # writes book/status.md, and prints the share of what is compared

Every build of the site begins with it, so that the page is that of the tree, and nothing on it
is typed in by hand. Which defect turned which gate red stands in ``pytest.mark.gate``.
"""

import sys
from pathlib import Path

import nbformat
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT, code_cells, ignored, live

PAGE = ROOT / "book" / "status.md"
HEAD = """# Status

This page is written by a program, from the notebooks and the tests, whenever the book is built.
"""


def main() -> int:
    """Run the command line; return the exit status."""
    PAGE.write_text(page(), encoding="utf-8")
    shown, compared, live = _count(book_notebooks())
    print(f"{_share(shown, compared)} of the outputs are compared, {live} live in their form")
    return 0


def page() -> str:
    """Return the text of the status page."""
    return "\n".join([HEAD, *(section() for section in SECTIONS)])


def notebooks() -> str:
    """Return the section that counts code cells and how many of them nbval compares."""
    rows = []
    for path in book_notebooks():
        cells = code_cells(nbformat.read(path, as_version=4))
        rows.append([_title(path), str(len(cells)), *_row(_count([path]))])
    total = sum(int(row[1]) for row in rows)
    rows.append([f"**{len(rows)} notebooks**", str(total), *_row(_count(book_notebooks()))])
    head = ["notebook", "code cells", "with output", "compared", "live", "share"]
    table = _table(head, rows)
    return f"""## Outputs that are compared

Every code cell is run again and its output compared with the one on the page. In figures and
widgets two numbers may differ by $10^{{-5}}$ of the larger one plus $10^{{-8}}$; on a
logarithmic axis their logarithms may differ by $10^{{-5}}$. In texts the words and the integers
have to be equal; other numbers may differ by $10^{{-5}}$ of the larger one, and by one in their
last digit where that is at most a hundredth of the number, for they were rounded when they were
written. A cell without output is compared as well (it must print nothing) but does not count in
the share. A number that was measured has a tolerance of its own: it stands, with the reason, in
the metadata of its cell.

A *live* cell shows what a clock gave when it ran. Its words, sizes, names, counts and recorded
numbers are compared; of the live numbers only that they are there, finite and above zero. The
share leaves such a cell out of what is compared.

{table}
"""


def exceptions() -> str:
    """Return the section that lists each cell that is not compared, and why."""
    rows = []
    for path in book_notebooks():
        for number, cell in enumerate(code_cells(nbformat.read(path, as_version=4)), start=1):
            if ignored(cell):
                rows.append([_title(path), str(number), cell.metadata.get("reason", "")])
    table = _table(["notebook", "cell", "why"], rows) if rows else "None."
    return f"""## Outputs that are not compared, and why

{table}
"""


SECTIONS = [notebooks, exceptions]


def _count(paths: list[Path]) -> tuple[int, int, int]:
    """Return how many cells have an output, how many are compared, and how many are live."""
    cells = [c for path in paths for c in code_cells(nbformat.read(path, as_version=4))]
    shown = [cell for cell in cells if cell.outputs]
    moving = sum(live(cell) and not ignored(cell) for cell in shown)
    return len(shown), sum(not ignored(cell) for cell in shown) - moving, moving


def _row(count: tuple[int, int, int]) -> list[str]:
    return [*map(str, count), _share(*count[:2])]


def _share(shown: int, compared: int) -> str:
    return f"{100 * compared / shown:.0f}\N{NO-BREAK SPACE}%" if shown else "-"


def _title(path: Path) -> str:
    """Return the notebook's title, as a link to its page."""
    name = path.relative_to(PAGE.parent).with_suffix("").as_posix()
    first = nbformat.read(path, as_version=4).cells[0].source.splitlines()[0]
    return f"[{first.lstrip('# ').strip()}]({name}.ipynb)"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(_escape, line)) + " |" for line in lines)


def _escape(text: str) -> str:
    return text.replace("|", r"\|")


if __name__ == "__main__":
    sys.exit(main())
