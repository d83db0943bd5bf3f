"""Write the status page of the book, from the notebooks and from the tests.

    python tools/status.py    # writes book/status.md, and prints the share of what is compared

Every build of the site begins with it, so that the page is that of the tree, and nothing on it
is typed in by hand. What later work measures becomes a row by adding a function to
``SECTIONS``.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import nbformat
import robust
from costs import counted, growth, of_files, recorded, there
from execute_notebooks import book_notebooks
from rules.notebooks import ROOT, code_cells, ignored, live

from attention_course.exercises import all_exercises
from attention_course.exercises.oddities import oddities
from attention_course.measure import recorded as record_of

PAGE = ROOT / "book" / "status.md"
HEAD = """# Status

This page is written by a program, from the notebooks and the tests, whenever the book is built.
`make test` runs every check that is named here.
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
the share.

A *live* cell shows what a clock gave when it ran. Its words, sizes, names, counts and recorded
numbers are compared; of the live numbers only that they are there, finite and above zero. The
share leaves such a cell out of what is compared.

{table}
"""


def exceptions() -> str:
    """Return the section that lists each cell not compared, or more loosely, and why."""
    rows = []
    for path in book_notebooks():
        for number, cell in enumerate(code_cells(nbformat.read(path, as_version=4)), start=1):
            kind = "not compared" if ignored(cell) else _looser(cell.metadata)
            if kind:
                line = next(iter(cell.source.strip().splitlines()), "")
                reason = cell.metadata.get("reason", "")
                rows.append([_title(path), str(number), reason, kind, f"`{_cut(line)}`"])
    table = _table(["notebook", "cell", "why", "how", "begins"], rows) if rows else "None."
    return f"""## Outputs that are not compared, and why

{table}
"""


def gates() -> str:
    """Return the section that lists the gates and the defect that turned each red."""
    rows = [[gate, defect] for gate, defect in sorted(proven_gates())]
    return f"""## Gates that were seen to go red

A check that cannot fail proves nothing. Each of these {len(rows)} is given one seeded defect,
in a copy, on every run of `make test` or of `make thorough`, and has to complain.

{_table(["gate", "seeded defect"], rows)}
"""


def other_arithmetic() -> str:
    """Return the section that says under which other arithmetic the notebooks are green."""
    found = [*map(_on_one_machine, robust.recorded().values())]
    on_each = "\n\n".join(filter(None, found)) or "Nothing is recorded yet."
    return f"""## The same verdict with other arithmetic

`make robust` runs every notebook again where sums are added up in another order: with the
kernels for other processors and with two threads, one thing at a time and then all at their
lowest. A small program asks the libraries which kernels they use and computes nine results; the
second column says which of them got other digits. A notebook whose code or outputs have changed
since then counts as neither green nor red.

{on_each}
"""


def _on_one_machine(record: dict) -> str:
    notebooks = book_notebooks()
    parts = [p for entry in record["settings"].values() for p in entry["notebooks"].values()]
    if not parts:
        return ""
    rows = [_arithmetic_row(record, name, notebooks) for name in record["settings"]]
    days = sorted({part["date"] for part in parts})
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    versions = ", ".join(f"{name} {number}" for name, number in record["packages"].items())
    head = ["setting", "whose digits it changes", *("green", "red", "changed since", "not run")]
    where = f"on {record['machine']}, with Python {record['python']}, {versions}"
    return f"Recorded {when} {where}.\n\n{_table(head, rows)}"


def _arithmetic_row(record: dict, name: str, notebooks: list[Path]) -> list[str]:
    entry = record["settings"][name]
    counts = Counter(robust.verdict(record, name, path) for path in notebooks)
    numbers = [str(counts[v]) for v in ("green", "red", "changed since", "not run")]
    if entry["as"]:
        return [name, f"the same arithmetic as: {entry['as']}", *["-"] * len(numbers)]
    return [name, ", ".join(robust.changed(record, name)) or "-", *numbers]


def bank() -> str:
    """Return the section that counts the answers on which each exercise's checks are tried."""
    rows = [
        [
            f"[{exercise.title}]({exercise.chapter}.ipynb)",
            exercise.family,
            str(len(exercise.wrong)),
            str(len(exercise.odd) + len(oddities(exercise))),
        ]
        for exercise in all_exercises().values()
    ]
    totals = [f"**{sum(int(row[column]) for row in rows)}**" for column in (2, 3)]
    rows.append([f"**{len(rows)} exercises**", "", *totals])
    return f"""## Wrong answers that are caught

Each exercise in which code is written has a bank of wrong answers, no two of which do the same,
and of right ones that look odd. A test fails unless its checks reject all of the first and
accept all of the second. `make mutants` prints which check caught which answer.

{_table(["exercise", "family", "wrong answers", "right but odd"], rows)}
"""


def two_mistakes() -> str:
    """Return the section that says how often two mistakes in one answer are named."""
    result, origin = record_of("diagnosis")
    kinds = {
        "written freely": result["written"],
        "pairs from the bank": result["bank"]["pairs"],
        "the same, one mistake unknown": result["bank"]["one of the two unknown"],
    }
    rows = [
        [
            kind,
            str(count["answers"]),
            _share(count["answers"], count["one_named"]),
            _share(count["answers"], count["both_named"]) if count["both_named"] else "-",
            _share(count["names"], count["wrong_names"]),
        ]
        for kind, count in kinds.items()
    ]
    exercises = len(result["written"]["exercises"])
    head = ["answers", "how many", "one named", "both named", "wrong names"]
    return f"""## Two mistakes at once that are named

A wrong answer is told which mistake of the bank does the same. With two mistakes in it no
single one does. The first row is of {rows[0][1]} answers to {exercises} exercises, written by
somebody who had not seen the program that names them. The second makes pairs from the bank's
own mistakes; the program tries such pairs itself. In the third, one of the two has been taken
out of the bank: the other alone can be named, and every other name is wrong.
`{origin["script"]}` recorded it on {origin["date"]}.

{_table(head, rows)}
"""


def hostile(folder: Path = ROOT / "tests/grading/sandbox/hostile") -> str:
    """Return the section that counts the hostile submissions, by what they go for."""
    files = sorted(folder.glob("*.py"))
    families = Counter(path.stem.split("-")[0] for path in files)
    rows = [[family, str(count)] for family, count in sorted(families.items())]
    rows.append([f"**{len(families)} families**", f"**{len(files)}**"])
    return f"""## Submissions that try to cheat or to harm

Each is stored with the verdict it must get, and graded with honest ones in between: no point
too many, no honest grade changed, nothing touched outside the sandbox. Hostile notebooks,
mutated files and fuzzed replies are generated by the tests and not counted here.

{_table(["family", "submissions"], rows)}
"""


def costs(least: float = 3.0) -> str:
    """Return the section that says what the gate costs, by phase, test file and notebook."""
    if not (record := recorded()):
        return ""
    phases = [
        [name, _seconds(p["seconds"]), p["date"], p["machine"]] for name, p in record.items()
    ]
    total = sum(phase["seconds"] for phase in record.values())
    phases.append([f"**{len(record)} phases**", f"**{_seconds(total)}**", "", ""])
    present = there()
    known = {name: spent for name, spent in of_files(record).items() if name in present}
    files = sorted(known.items(), key=lambda item: -item[1])
    rows = [[f"`{name}`", _seconds(spent)] for name, spent in files if spent >= least]
    rest = [spent for _, spent in files if spent < least]
    rows.append([f"{len(rest)} files of less than {least:g} s each", _seconds(sum(rest))])
    if newer := len(present - known.keys()):
        rows.append([f"{newer} files that came later", "not measured"])
    grows = growth(record, counted())
    more = sum(row[3] for row in grows)
    growing = [[what, str(n), f"{each:.1f}", f"{all_:.1f}"] for what, n, each, all_ in grows]
    growing.append(["**all that a chapter brings**", "", "", f"**{more:.0f}**"])
    head = ["what grows", "now", "CPU seconds each", "CPU seconds a chapter"]
    return f"""## What the gate costs

In seconds of CPU time, which depend little on how busy a machine is: those of all processes
together, kernels, browsers and sandboxes included. `python tools/costs.py` ran the gate and
wrote them down; two cores do two of them in a second. `make kernels`, which has an environment
of its own, is not among them.

{_table(["phase of `make test`", "CPU seconds", "recorded", "on"], phases)}

A chapter brings a notebook and a page, and on average as many widgets, slides and exercises as
the chapters have now. With one more the gate would take {_seconds(total + more)} seconds.

{_table(head, growing)}

{_table(["test file or notebook", "CPU seconds"], rows)}
"""


def _seconds(spent: float) -> str:
    return f"{spent:.0f}"


SECTIONS = [notebooks, exceptions, other_arithmetic, bank, two_mistakes, hostile, costs, gates]


def proven_gates(folder: Path = ROOT / "tests") -> set[tuple[str, str]]:
    """Return the arguments of every ``pytest.mark.gate`` in the tests."""
    found: set[tuple[str, str]] = set()
    for path in folder.rglob("test_*.py"):
        text = path.read_text(encoding="utf-8")
        if "gate" in text.lower():
            found |= set(_marks(ast.parse(text)))
    return found


def _marks(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        function = node.func if isinstance(node, ast.Call) else None
        if getattr(function, "attr", getattr(function, "id", "")) in ("gate", "GATE"):
            texts = [a.value for a in node.args if isinstance(a, ast.Constant)]
            if len(texts) == 2:
                yield texts[0], texts[1]


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


def _looser(metadata: dict) -> str:
    """Say what a cell's figures, and its numbers that were measured, may differ by."""
    parts = [f"± {metadata['tolerance']}"] if "tolerance" in metadata else []
    measured = metadata.get("measured", {})
    return ", ".join(parts + [f"`{name}` ± {value}" for name, value in measured.items()])


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


def _cut(line: str, length: int = 40) -> str:
    line = line.replace("`", "'")
    return line if len(line) <= length else line[: length - 3] + "..."


if __name__ == "__main__":
    sys.exit(main())
