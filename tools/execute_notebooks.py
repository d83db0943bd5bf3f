"""Execute notebooks on a clean kernel and store them with their outputs.

    python tools/execute_notebooks.py book/transformer/scaling.ipynb
    python tools/execute_notebooks.py            # every notebook of the book

One thread, one hash seed and no progress bars, the notebook's own folder as the working
directory (nbval's too) and no time stamps. A notebook that raises where no tag allows it is not
stored.
"""

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from normalise import normalise, write

ROOT = Path(__file__).resolve().parent.parent
THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
COURSE = ("ATTENTION_COURSE_HOLD_RAISES", "ATTENTION_COURSE_STORES")
ENVIRONMENT = dict.fromkeys((*THREADS, "TQDM_DISABLE", *COURSE), "1")
ENVIRONMENT |= {"PYTHONHASHSEED": "0", "CUDA_VISIBLE_DEVICES": ""}
CELL_SECONDS = 600


class RefusedError(Exception):
    """The run gave something that must not be stored."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args(arguments)
    failures = 0
    for path in options.paths or book_notebooks():
        started = time.perf_counter()
        try:
            message = store(path)
        except RefusedError as error:
            failures += 1
            message = f"REFUSED\n{error}"
        print(f"{path} [{time.perf_counter() - started:.1f} s] {message}", flush=True)
    return min(failures, 1)


def book_notebooks() -> list[Path]:
    """Return every notebook of the book."""
    found = (ROOT / "book").rglob("*.ipynb")
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def store(path: Path) -> str:
    """Execute the notebook at ``path`` and write it back."""
    write(execute(path), path)
    return f"stored, {path.stat().st_size / 1024:.0f} kB"


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
    kept = {name: x for name, x in os.environ.items() if name != "PLOTLY_RENDERER"}
    try:
        client.execute(env=kept | ENVIRONMENT)
    except CellExecutionError as error:
        raise RefusedError(str(error)) from None
    return normalise(notebook, path.stem)


if __name__ == "__main__":
    sys.exit(main())
