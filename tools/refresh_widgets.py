"""Replace what notebooks store of their widgets' modules and of code on show, without a run.

    python tools/refresh_widgets.py                      # every notebook of the book
    python tools/refresh_widgets.py book/index.ipynb

A notebook stores a widget's script and style beside its state. When the package changes them,
the stored ones are stale. This writes what the package now composes (``CourseWidget.fixed``:
what is the same for every widget of a class) and what the script says without a page (its
fallback, which also is beside the view, for hosts that show no widget), and leaves
everything else as it is. What a cell displays by
``show`` becomes the source that the package now has. Of a prediction its beliefs and tolerance
are taken from the cell, where they are typed in, and what it prints from them.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
from execute_notebooks import book_notebooks
from normalise import STATE, VIEW, write
from rules.taught_code import shown

import attention_course.widgets
from attention_course._source import source_of
from attention_course.page.predict import beliefs_of
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import Checked


def wanted(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, dict, dict]]:
    """Yield a name, what is stored of a widget or of code on show, and what must be there."""
    models = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    views = {
        output.data[VIEW]["model_id"]: (output.data, cell.source)
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if VIEW in output.get("data", {})
    }
    for model_id, model in models.items():
        package, _, name = model["state"].get("_anywidget_id", "").rpartition(".")
        if not package.startswith("attention_course."):
            continue
        its_class = getattr(attention_course.widgets, name, None)
        if its_class is None:
            said = "a stored widget must be of a class in attention_course.widgets"
            raise ValueError(f"wanted: {said}, got {name}: execute the notebook anew")
        state = model["state"]
        fixed = its_class.fixed()
        yield state.get("key"), state, fixed
        if its_class._fallback is CourseWidget._fallback:
            fallback = its_class.fallback_of(state | fixed)
            yield state.get("key"), state, {"fallback": fallback}
        if model_id not in views:
            continue
        view, source = views[model_id]
        if name == "Prediction":
            typed = typed_in(source, state)
            traits = {n: t for n, t in its_class.class_traits().items() if n in state}
            asked = {n: state[n] for n, trait in traits.items() if isinstance(trait, Checked)}
            widget = its_class(**asked | typed)
            yield state.get("key"), state, typed | {"fallback": widget.fallback}
            yield state.get("key"), view, {"text/plain": repr(widget)}
        if state.get("fallback"):
            yield state.get("key"), view, {"text/html": state["fallback"]}
    for cell in notebook.cells:
        for data, name in shown(cell.get("outputs", [])):
            source = source_of(name, lines=None)
            code = {"text/plain": source, "text/markdown": f"```python\n{source}\n```"}
            yield f"show({name})", data, code


def typed_in(source: str, state: dict) -> dict:
    """Return what a cell types of its ``predict``, as the prediction stores it."""
    named = {k.arg: k.value for k in ast.parse(source).body[-1].value.keywords}
    typed = {n: ast.literal_eval(named[n]) for n in ("beliefs", "tolerance") if n in named}
    tolerance = {"tolerance": float(typed.get("tolerance", 0))}
    return tolerance | beliefs_of(typed.get("beliefs", {}), state | tolerance)


def stale(notebook: nbformat.NotebookNode) -> list[str]:
    """Return the names of what is stored and is not what the package now composes."""
    return [
        f"{key}: {name}"
        for key, stored, fixed in wanted(notebook)
        for name in fixed
        if stored.get(name) != fixed[name]
    ]


def refresh(path: Path) -> list[str]:
    """Bring the stored modules of one notebook up to date; return what was stale."""
    notebook = nbformat.read(path, as_version=4)
    found = stale(notebook)
    for _, stored, fixed in wanted(notebook):
        stored.update(fixed)
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
