"""Write what a program writes: the status page, the glossary and README's table of chapters.

    python tools/status.py    # writes them, and prints the share of what is compared

The status page says which outputs are compared, and which are not and why. Every build of the
site begins with it, so that all are what notebooks and terms say, and nothing on them is typed
in by hand. Which defect turned which gate red is in ``pytest.mark.gate``.
"""

import re
import sys
from collections import Counter
from pathlib import Path

import glossary
import nbformat
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT, code_cells, ignored, live

PAGE = ROOT / "book" / "status.md"
README = ROOT / "README.md"
TEXT = """# Status

This page is written by a program, from the notebooks and the tests, whenever the book is built.

## Outputs that are compared

Every code cell is run again and its output compared with the one on the page. In figures and
widgets two numbers may differ by $10^{-5}$ of the larger one plus $10^{-8}$; on a
logarithmic axis their logarithms may differ by $10^{-5}$. In texts the words and the integers
have to be equal; other numbers may differ by $10^{-5}$ of the larger one, and by one in their
last digit where that is at most a hundredth of the number, for they were rounded when they were
written. A cell without output is compared as well (it must print nothing) but does not count in
the share. A number that was measured has a tolerance of its own: it stands, with the reason, in
the metadata of its cell.

A *live* cell shows what a clock gave when it ran. Its words, sizes, names, counts and recorded
numbers are compared; of the live numbers only that they are there, finite and above zero. The
share leaves such a cell out of what is compared.

COMPARED

## Outputs that are not compared, and why

NOT COMPARED
"""
HEAD = ["notebook", "code cells", "with output", "compared", "live", "share"]


def main() -> int:
    """Run the command line; return the exit status."""
    text, all_cells = page()
    PAGE.write_text(text, encoding="utf-8")
    PAGE.with_name("glossary.md").write_text(glossary.glossary(), encoding="utf-8")
    README.write_text(with_chapters(README.read_text("utf-8")), encoding="utf-8")
    live_ones = f"{all_cells['live']} live in their form"
    print(f"{share(all_cells)} of the outputs are compared, {live_ones}")
    return 0


def page() -> tuple[str, Counter]:
    """Return the text of the status page, and how many cells of which kind the book has."""
    rows, exceptions, all_cells = [], [], Counter()
    for path in book_notebooks():
        notebook = nbformat.read(path, as_version=4)
        cells = code_cells(notebook)
        counted = count(cells)
        all_cells += counted
        name = path.relative_to(PAGE.parent).as_posix()
        link = f"[{title(notebook)}]({name})"
        rows.append(row(link, counted))
        for number, cell in enumerate(cells, start=1):
            if ignored(cell):
                exceptions.append([link, str(number), cell.metadata.get("reason", "")])
    rows.append(row(f"**{len(rows)} notebooks**", all_cells))
    why = table(["notebook", "cell", "why"], exceptions) if exceptions else "None."
    text = TEXT.replace("NOT COMPARED", why).replace("COMPARED", table(HEAD, rows))
    return text, all_cells


def with_chapters(readme: str) -> str:
    """Return README with its table of the chapters, whose titles are *name: question?*."""
    toc = (ROOT / "_toc.yml").read_text("utf-8")
    paths = [ROOT / f"{name}.ipynb" for name in re.findall(r"- file: (book/\w+/[\w-]+)", toc)]
    rows = []
    for path in filter(Path.is_file, paths):
        name, _, asked = title(nbformat.read(path, as_version=4)).partition(": ")
        if asked.endswith("?"):
            link = f"[{name}]({path.relative_to(ROOT).as_posix()})"
            rows.append([link, asked[0].upper() + asked[1:]])
    begin = readme.index("| chapter |")
    end = readme.index("\n\n", begin)
    return readme[:begin] + table(["chapter", "question"], rows) + readme[end:]


def title(notebook: nbformat.NotebookNode) -> str:
    """Return what is in a notebook's first line."""
    return notebook.cells[0].source.splitlines()[0].lstrip("# ").strip()


def count(cells: list) -> Counter:
    """Return how many cells there are, have an output, are compared, and are live."""
    shown = [cell for cell in cells if cell.outputs and not ignored(cell)]
    moving = sum(map(live, shown))
    output = sum(bool(cell.outputs) for cell in cells)
    return Counter(cells=len(cells), output=output, compared=len(shown) - moving, live=moving)


def row(title: str, counted: Counter) -> list[str]:
    """Return a line of the first table."""
    numbers = (counted[kind] for kind in ("cells", "output", "compared", "live"))
    return [title, *map(str, numbers), share(counted)]


def share(counted: Counter) -> str:
    """Return how much of what has an output is compared."""
    if not counted["output"]:
        return "-"
    return f"{100 * counted['compared'] / counted['output']:.0f}\N{NO-BREAK SPACE}%"


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(c.replace("|", r"\|") for c in line) + " |" for line in lines
    )


if __name__ == "__main__":
    sys.exit(main())
