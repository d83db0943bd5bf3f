"""Replace the modules that notebooks store for their widgets; nothing is executed.

    python tools/refresh_widgets.py                      # every notebook of the book
    python tools/refresh_widgets.py book/index.ipynb

A notebook stores a widget's script and style beside its state. When the package changes them,
the stored ones are stale. This writes what the package now composes (``CourseWidget.fixed``:
what is the same for every widget of a class) and leaves everything else as it is.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from execute_notebooks import book_notebooks
from normalise import STATE, write

import attention_course.widgets


def stored_widgets(notebook: nbformat.NotebookNode) -> Iterator[tuple[dict, dict]]:
    """Yield the state of each of the course's widgets, and what of it is fixed.

    Raises:
        ValueError: if the notebook stores a widget whose class the package does not have.
    """
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    for model in models.values():
        package, _, name = model["state"].get("_anywidget_id", "").rpartition(".")
        if not package.startswith("attention_course."):
            continue
        its_class = getattr(attention_course.widgets, name, None)
        if its_class is None:
            raise ValueError(
                "stored_widgets: a stored widget must be of a class in "
                f"attention_course.widgets, got {name}: execute the notebook anew"
            )
        yield model["state"], its_class.fixed()


def stale(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the names of what is stored and is not what the package now composes."""
    return [
        f"{state.get('key')}: {name}"
        for state, fixed in stored_widgets(notebook)
        for name in fixed
        if state.get(name) != fixed[name]
    ]


def refresh(path: Path) -> list[str]:
    """Bring the stored modules of one notebook up to date; return what was stale."""
    notebook = nbformat.read(path, as_version=4)
    found = stale(notebook)
    for state, fixed in stored_widgets(notebook):
        state.update(fixed)
    if found:
        write(notebook, path)
    return found


def main(arguments: list[str]) -> None:
    """Run the command line."""
    for path in [Path(a) for a in arguments] or book_notebooks():
        if found := refresh(path):
            print(f"{path}: {', '.join(found)}")


if __name__ == "__main__":
    main(sys.argv[1:])
