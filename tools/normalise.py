"""Give a notebook the one form in which it is stored.

What differs from run to run without meaning anything (cell ids, widget ids, paths in
tracebacks, an editor's metadata) is replaced or removed, so that a diff shows what
changed and nothing else.
"""

import copy
import hashlib
import json
import re
from pathlib import Path

import nbformat

from attention_course.site import main_path

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}
# A notebook with a cell that measures asks Colab for a GPU. The others do not, since GPUs are
# rationed there: of the chapters on speed, scale/long-sequences has no use for one.
MEASURES = re.compile(r"\b(?:benchmarks\.run|this_device)\(")
ACCELERATOR = {"accelerator": "GPU", "colab": {"gpuType": "T4"}}
NOTEBOOK_KEYS = {"kernelspec", "language_info", "widgets", "accelerator", "colab"}
NOTEBOOK_KEYS |= {"shown_in_full"}  # what a chapter exists for: tools/page_rules.py
CELL_KEYS = {"tags", "reason", "tolerance", "measured", "slide", "mystnb", "jupyter"}
CELL_KEYS |= {main_path.COLLAPSED}
# What Jupyter hides of a code cell that the site folds; of an answer it hides the output, until
# a click. A Markdown cell it cannot hide.
HIDDEN = {
    "answer": {"outputs_hidden": True},
    "hide-input": {"source_hidden": True},
    "remove-input": {"source_hidden": True},
    "hide-cell": {"source_hidden": True, "outputs_hidden": True},
}
TAGS = {"setup", "answer", "hide-cell", "hide-input", "hide-output", "remove-input"}
TAGS |= {"remove-output", "variant", "exercise", "deeper", "gpu", "kernel-only", "page-python"}
TAGS |= {"needs-torch", "needs-triton", "raises-exception", "nbval-ignore-output"}

_REFERENCE = re.compile(r"^IPY_MODEL_(.+)$")


def normalise(notebook: nbformat.NotebookNode, name: str) -> nbformat.NotebookNode:
    """Change a notebook into its stored form, and return it; its name enters the widget ids."""
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    _keep(notebook.metadata, NOTEBOOK_KEYS)
    notebook.metadata.kernelspec = dict(KERNELSPEC)
    notebook.metadata.language_info = dict(LANGUAGE)
    _ask_for_a_gpu(notebook)
    states = notebook.metadata.get("widgets", {}).get(STATE, {}).get("state", {})
    _name_cells(notebook.cells)
    _collapse(notebook.cells)
    count = 0
    for cell in notebook.cells:
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
        _keep(cell.metadata, CELL_KEYS)
        if cell.metadata.get("tags") == []:
            del cell.metadata["tags"]
        cell.pop("attachments", None)
        cell.metadata.pop("jupyter", None)
        if cell.cell_type == "code":
            for tag in HIDDEN.keys() & set(cell.metadata.get("tags", [])):
                cell.metadata["jupyter"] = cell.metadata.get("jupyter", {}) | HIDDEN[tag]
            count += 1
            cell.execution_count = count if cell.execution_count is not None else None
            cell.outputs = clean_outputs(cell.outputs, cell.execution_count)
    _name_widgets(notebook, states, name)
    return notebook


def clean_outputs(outputs: list, count: int | None = None) -> list:
    """Return the outputs as they are kept: no paths, streams joined."""
    kept, streams = [], {}
    for output in outputs:
        if output.output_type == "stream":
            if output.name in streams:
                streams[output.name].text += output.text
                continue
            streams[output.name] = output
        elif output.output_type == "error":
            output.traceback = [f"{output.ename}: {output.evalue}"]
        else:
            output.metadata = {}
            if output.output_type == "execute_result":
                output.execution_count = count
        kept.append(output)
    return kept


def reachable(model_id: str, states: dict) -> list[str]:
    """Return a model's id and, depth first, those of the models that it refers to."""
    found, left = {}, [model_id]
    while left:
        key = left.pop(0)
        if key in states and key not in found:
            found[key] = None
            left = [*_references(states[key]["state"]), *left]
    return [*found]


def dump(notebook: nbformat.NotebookNode) -> str:
    """Return the notebook's text: keys sorted, one space of indent, a final newline."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def write(notebook: nbformat.NotebookNode, path: Path) -> None:
    """Validate the notebook and write it to ``path``."""
    nbformat.validate(notebook)
    path.write_text(dump(notebook), encoding="utf-8")


def _keep(metadata: dict, allowed: set[str]) -> None:
    for key in set(metadata) - allowed:
        del metadata[key]


def _ask_for_a_gpu(notebook: nbformat.NotebookNode) -> None:
    for key in ACCELERATOR:
        notebook.metadata.pop(key, None)
    code = (cell.source for cell in notebook.cells if cell.cell_type == "code")
    if any(MEASURES.search(source) for source in code):
        notebook.metadata.update(copy.deepcopy(ACCELERATOR))


def _collapse(cells: list) -> None:
    """Let Jupyter open a notebook with its folds closed, and with nothing else closed."""
    heads = {fold.start for fold in main_path.folds(cells)}
    for number, cell in enumerate(cells):
        cell.metadata.pop(main_path.COLLAPSED, None)
        if number in heads:
            cell.metadata[main_path.COLLAPSED] = True


def _name_cells(cells: list) -> None:
    """Derive each id from the cell's source, so that an edit changes one id only."""
    seen: dict[str, int] = {}
    for cell in cells:
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"


def _name_widgets(notebook: nbformat.NotebookNode, states: dict, name: str) -> None:
    """Replace random widget ids by ones that depend on the place of the view."""
    names: dict[str, str] = {}
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    views = [o["data"][VIEW] for o in outputs if o.get("data", {}).get(VIEW)]
    for view in views:
        for key in reachable(view["model_id"], states):
            place = hashlib.sha256(f"{name}:{len(names)}".encode()).hexdigest()[:32]
            names.setdefault(key, place)
    kept = {names[key]: _trim(model) for key, model in states.items() if key in names}
    text = json.dumps(kept)
    for old, new in names.items():
        text = text.replace(f"IPY_MODEL_{old}", f"IPY_MODEL_{new}")
    for view in views:
        view["model_id"] = names[view["model_id"]]
    notebook.metadata.pop("widgets", None)
    if kept:
        state = {"state": json.loads(text), "version_major": 2, "version_minor": 0}
        notebook.metadata["widgets"] = {STATE: state}


def _trim(model: dict) -> dict:
    """Leave out the sixty empty fields of every layout."""
    if model["model_name"] == "LayoutModel":
        model["state"] = {k: v for k, v in model["state"].items() if v is not None}
    return model


def _references(value) -> list[str]:
    """Return the widget ids inside a state, in the order in which they are there."""
    if isinstance(value, str):
        return _REFERENCE.findall(value)
    items = [*value.values()] if isinstance(value, dict) else value
    return [f for one in items for f in _references(one)] if isinstance(items, list) else []
