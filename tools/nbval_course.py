"""What nbval compares in this course: a pytest plugin beside nbval's own.

Four gaps of nbval are closed. A cell that was stored without having been run passes there
and fails here. A plotly figure is compared by its decoded numbers, within the tolerance of
``compare_outputs``, and not by its base64 text. Printed text is compared word by word, with
its numbers pair by pair. The state of every widget on show is compared as well, so that a
chapter cannot keep an old version of a widget's code. A ``hold`` that does not hold raises.
The report of a run (``--junit-xml``) says what each cell took of its kernel's CPU time, and how
much memory the kernel has held at most.
"""

import copy
import os
import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import psutil
import pytest
from compare_outputs import (
    ABSOLUTE,
    PLOTLY,
    decode,
    difference,
    figure_difference,
    sanitise,
    text_difference,
    without_what_is_printed,
)
from nbval.plugin import IPyNbCell, IPyNbFile
from normalise import STATE, VIEW, clean_outputs


class CourseCell(IPyNbCell):
    """A code cell, compared as the module's docstring says."""

    def runtest(self):
        """Refuse a cell that was never run; otherwise run and compare it."""
        if self.cell.execution_count is None and self.cell.source.strip():
            self.raise_cell_error("the cell is stored without having been run")
        kernel = psutil.Process(self.parent.kernel.km.provisioner.pid)
        before = sum(kernel.cpu_times()[:2])
        try:
            super().runtest()
        finally:
            if kernel.is_running():
                spent = round(sum(kernel.cpu_times()[:2]) - before, 2)
                self.user_properties.append(("cpu_seconds", spent))
                self.user_properties.append(("peak_mb", most_memory(kernel.pid)))

    def compare_outputs(self, test, ref, skip_compare=None):
        """Compare figures by their numbers, everything else as nbval does."""
        file = self.parent
        fresh = clean_outputs(copy.deepcopy(test))
        stored = clean_outputs(copy.deepcopy(ref))
        file.pair_views(self, self._pop(stored, VIEW), self._pop(fresh, VIEW))
        if line := self._figures_differ(self._pop(stored, PLOTLY), self._pop(fresh, PLOTLY)):
            self.comparison_traceback = [line]
            return False
        line = self._texts_differ(stored, fresh)
        if super().compare_outputs(fresh, stored, skip_compare):
            return True
        self.comparison_traceback.insert(0, line or "")
        return False

    def sanitize(self, s):
        """Hide addresses, then do what nbval does."""
        return super().sanitize(sanitise(s) if isinstance(s, str) else s)

    def _figures_differ(self, stored: list, fresh: list) -> str | None:
        if len(stored) != len(fresh):
            return f"{len(stored)} figures stored, {len(fresh)} computed"
        pairs = zip(stored, fresh, strict=True)
        found = (figure_difference(a, b, tolerance_of(self.cell)) for a, b in pairs)
        return next(filter(None, found), None)

    def _texts_differ(self, stored: list, fresh: list) -> str | None:
        """Put the stored text for every fresh one that agrees; say where one does not."""
        measured, line = self.cell.metadata.get("measured"), None
        for (old, key), (new, _) in zip(_texts(stored), _texts(fresh), strict=False):
            pair = sanitise(old[key]), sanitise(new[key])
            if found := text_difference(*pair, measured=measured):
                line = line or found
            else:
                new[key] = old[key]
        return line

    @staticmethod
    def _pop(outputs: list, mime: str) -> list:
        return [out.data.pop(mime) for out in outputs if mime in out.get("data", {})]


def tolerance_of(cell) -> float:
    """Return the absolute tolerance for numbers, which a cell may widen."""
    return cell.metadata.get("tolerance", ABSOLUTE)


def most_memory(pid: int) -> int:
    """Return the most megabytes that a process has held, where Linux says so, else 0."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmHWM:\s*(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) // 1024 if found else 0


class CourseFile(IPyNbFile):
    """A notebook whose kernel's widget messages are kept for comparison."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fresh_states: dict = {}
        self.views: list = []

    def setup(self):
        """Start the kernel; one that does not answer is started again, once."""
        with patch.dict(os.environ, TQDM_DISABLE="1"):  # bars are no output
            try:
                super().setup()
            except RuntimeError:
                super().setup()

    def collect(self):
        """Collect the cells, then one item for the widgets' states."""
        for item in super().collect():
            fields = {"name": item.name, "cell_num": item.cell_num}
            yield CourseCell.from_parent(self, cell=item.cell, options=item.options, **fields)
        widgets = self.nb.metadata.get("widgets", {})
        self.stored_states = widgets.get(STATE, {}).get("state", {})
        if self.stored_states:
            yield WidgetStates.from_parent(self, name="widget states")

    def get_kernel_message(self, timeout=None, stream="iopub"):
        """Return the next message; keep what it says about widgets."""
        message = super().get_kernel_message(timeout, stream)
        content = message["content"]
        if message["msg_type"] in ("comm_open", "comm_msg") and "state" in content["data"]:
            model = self.fresh_states.setdefault(content["comm_id"], {"state": {}})
            model["state"].update(content["data"]["state"])
            model["model_name"] = model["state"].get("_model_name")
        return message

    def pair_views(self, cell: CourseCell, stored: list, fresh: list) -> None:
        """Remember which stored widget stands where which new one does."""
        ids = ([view["model_id"] for view in views] for views in (stored, fresh))
        self.views += [(cell, *pair) for pair in zip(*ids, strict=False)]


class WidgetStates(pytest.Item):
    """Compares the traits of every widget on show after the last cell has run."""

    def runtest(self):
        """Raise AssertionError naming the cell and the trait that differs."""
        file = self.parent
        for cell, stored_id, fresh_id in file.views:
            states = (stored_id, file.stored_states), (fresh_id, file.fresh_states)
            trees = [without_what_is_printed(tree(*state)) for state in states]
            line = difference(*trees, absolute=tolerance_of(cell.cell), path="widget")
            assert line is None, f"code cell {cell.cell_num}: {line}"

    def repr_failure(self, excinfo, style=None):
        """Show the message alone."""
        return str(excinfo.value)

    def reportinfo(self):
        """Name the item after its notebook."""
        return self.path, 0, f"{self.path.name}::widget states"


def tree(model_id: str, states: dict, above: tuple = ()) -> dict:
    """Return a widget's decoded state with the widgets that it refers to in place."""
    model = states[model_id]

    def resolve(value):
        if isinstance(value, str) and value.startswith("IPY_MODEL_"):
            other = value.removeprefix("IPY_MODEL_")
            return tree(other, states, (*above, model_id)) if other not in above else "above"
        if isinstance(value, dict):
            return {key: resolve(item) for key, item in value.items()}
        return [resolve(item) for item in value] if isinstance(value, list) else value

    state = resolve(model["state"])
    if model["model_name"] == "LayoutModel":
        state = {key: item for key, item in state.items() if item is not None}
    return decode(state)


def _texts(outputs: list) -> Iterator[tuple[dict, str]]:
    """Yield the dictionary and the key of each text among the outputs."""
    for output in outputs:
        holder = output.get("data", output)
        for key in sorted(holder):
            if key in ("text", "evalue") or (key.startswith("text/") and holder is not output):
                yield holder, key


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Put the course's collector in the place of nbval's."""
    collectors = yield
    return [
        CourseFile.from_parent(parent, path=one.path) if isinstance(one, IPyNbFile) else one
        for one in collectors
    ]


def pytest_configure(config):
    """Fix what the kernels inherit; ``tools/robust.py`` sets other numbers of threads."""
    if config.option.nbval:
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        os.environ.setdefault("PYTHONHASHSEED", "0")
        for name in ("HOLD_RAISES", "STORES"):
            os.environ.setdefault(f"ATTENTION_COURSE_{name}", "1")
        os.environ.pop("PLOTLY_RENDERER", None)
