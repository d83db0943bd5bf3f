"""Execute notebooks on a clean kernel and store them with their outputs.

    python tools/execute_notebooks.py book/transformer/scaling.ipynb
    python tools/execute_notebooks.py --check book/**/*.ipynb
    python tools/execute_notebooks.py            # every notebook of the book

One thread and one hash seed, the notebook's own folder as the working directory (nbval's too)
and no time stamps. A notebook that raises where no tag allows it, or that warns, is not
stored. ``--check`` stores nothing and says what a fresh run would change.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from compare_outputs import (
    ABSOLUTE,
    PLOTLY,
    difference,
    figure_difference,
    sanitise,
    text_difference,
    without_what_is_printed,
)
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from normalise import STATE, VIEW, normalise, write

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "CUDA_VISIBLE_DEVICES": "",
    "ATTENTION_COURSE_HOLD_RAISES": "1",
}
CELL_SECONDS = 600


class RefusedError(Exception):
    """The run gave something that must not be stored."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="store nothing, compare")
    options = parser.parse_args(arguments)
    os.environ.update(ENVIRONMENT)
    os.environ.pop("PLOTLY_RENDERER", None)
    failures = 0
    for path in options.paths or book_notebooks():
        started = time.perf_counter()
        try:
            message = check(path) if options.check else store(path)
        except RefusedError as error:
            failures += 1
            message = f"REFUSED\n{error}"
        print(f"{path} [{time.perf_counter() - started:.1f} s] {message}", flush=True)
    return min(failures, 1)


def book_notebooks() -> list[Path]:
    """Return every notebook of the book."""
    return sorted(
        path
        for path in (ROOT / "book").rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    )


def store(path: Path) -> str:
    """Execute the notebook at ``path`` and write it back."""
    write(execute(path), path)
    return f"stored, {path.stat().st_size / 1024:.0f} kB"


def check(path: Path) -> str:
    """Execute the notebook and raise RefusedError if what it stores is out of date."""
    stored, fresh = nbformat.read(path, as_version=4), execute(path)
    found = changes(stored, fresh)
    if found:
        raise RefusedError("\n".join(found))
    return "as stored"


def execute(path: Path) -> nbformat.NotebookNode:
    """Return the notebook, executed on a clean kernel and normalised."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    notebook.metadata.pop("widgets", None)
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        kernel_name="python3",
        record_timing=False,
        extra_arguments=["--HistoryManager.enabled=False", "--log-level=ERROR"],
        resources={"metadata": {"path": str(path.resolve().parent)}},
    )
    try:
        client.execute()
    except CellExecutionError as error:
        raise RefusedError(str(error)) from None
    notebook = normalise(notebook, path.stem)
    problems = list(_problems(notebook))
    if problems:
        raise RefusedError("\n".join(problems))
    return notebook


def changes(stored: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> list[str]:
    """Return what a fresh run changes, one line each, outputs marked ignored left out."""
    found = []
    pairs = zip(_code(stored), _code(fresh), strict=True)
    for number, (old, new) in enumerate(pairs):
        if "nbval-ignore-output" in old.metadata.get("tags", []):
            continue
        line = _output_change(old.outputs, new.outputs, old.metadata)
        if line:
            found.append(f"code cell {number}: {line}")
    states = [_states(notebook) for notebook in (stored, fresh)]
    if line := difference(*states, path="widgets"):
        found.append(line)
    return found


def _states(notebook: nbformat.NotebookNode) -> dict:
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    return {
        key: model | {"state": without_what_is_printed(model["state"])}
        for key, model in models.items()
    }


def _output_change(old: list, new: list, metadata: dict) -> str | None:
    if len(old) != len(new):
        return f"{len(old)} outputs stored, {len(new)} computed"
    for a, b in zip(old, new, strict=True):
        if a.output_type != b.output_type:
            return f"{a.output_type} stored, {b.output_type} computed"
        flat_a, flat_b = _flat(a), _flat(b)
        figures = flat_a.pop(PLOTLY, {}), flat_b.pop(PLOTLY, {})
        line = figure_difference(*figures, metadata.get("tolerance", ABSOLUTE))
        if flat_a.keys() != flat_b.keys():
            line = line or f"{', '.join(flat_a)} stored, {', '.join(flat_b)} computed"
        measured = metadata.get("measured")
        pairs = ((flat_a[key], flat_b.get(key, "")) for key in flat_a)
        found = (text_difference(*pair, measured=measured) for pair in pairs)
        if line := line or next(filter(None, found), None):
            return line
    return None


def _flat(output: dict) -> dict:
    if output.output_type == "stream":
        return {output.name: sanitise(output.text)}
    if output.output_type == "error":
        return {"error": f"{output.ename}: {output.evalue}"}
    data = {key: value for key, value in output.data.items() if key != VIEW}
    return {k: v if k == PLOTLY else sanitise(str(v)) for k, v in data.items()}


def _code(notebook: nbformat.NotebookNode) -> list:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def _problems(notebook: nbformat.NotebookNode):
    """Name what a stored notebook must not hold."""
    for number, cell in enumerate(_code(notebook)):
        kinds = [output.output_type for output in cell.outputs]
        allowed = "raises-exception" in cell.metadata.get("tags", [])
        if allowed and "error" not in kinds:
            yield f"code cell {number} is tagged raises-exception but does not raise"
        for output in cell.outputs:
            if output.output_type == "stream" and output.name == "stderr":
                yield f"code cell {number} wrote to stderr: {output.text}"


if __name__ == "__main__":
    sys.exit(main())
