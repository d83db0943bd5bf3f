"""What a reader copies from the pages, in their order, runs and gives the stored numbers.

That is: what ``show`` displays, here or in an earlier chapter, and the cells tagged to run by
themselves. Of the course nothing can be imported but what was shown.
"""

import builtins
import contextlib
import copy
import functools
import io
import re
import sys
import types
import warnings

import nbformat
import numpy as np
import pytest
import torch
from rules.notebooks import ROOT, compared
from stored_text import differs, stored

from attention_course.exercises.in_page import execute
from attention_course.exercises.runner import _Absent
from attention_course.site.editable import RUNS

CHAPTERS = re.findall(r"file: book/(\w+/[\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
NOTEBOOKS = {
    name: nbformat.read(path, 4)
    for name in CHAPTERS
    if (path := ROOT / "book" / f"{name}.ipynb").is_file()
}
SHOWN = re.compile(r"# (attention_course\.[\w.]+?)\.?(?:\n#     )?(\w+)\n")
LEFT_OUT = {"a6e8c8b9"}  # it counts the rows of a record
IMPORTS = """import contextlib, math, torch, numpy as np
from collections import deque
from dataclasses import dataclass
from functools import cache
from torch import nn
from torch.utils.checkpoint import checkpoint
from typing import NamedTuple
"""


def tagged(notebook, *wanted):
    """Return the cells with one of these tags."""
    return [c for c in notebook.cells if {*wanted} & {*c.metadata.get("tags", [])}]


def shown(notebook):
    """Return what a chapter shows: the module of each definition, and its text."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = ["".join(o.get("data", {}).get("text/plain", "")) for o in outputs]
    return [(found[1], text) for text in texts if (found := SHOWN.match(text))]


class Shelf(dict):
    """What was shown so far, by name: its module, and what it is.

    ``written`` has the names that the chapter's own cells define.
    """

    written = types.MappingProxyType({})

    def put_all(self, definitions):
        """Define what a page shows, each after what it takes at once."""
        while definitions:
            late = []
            for home, text in definitions:
                try:
                    self.put(home, text)
                except NameError:
                    late.append((home, text))
            definitions = late if len(late) < len(definitions) else []

    def put(self, home, text):
        """Define what a page shows; a method is one of a class that stands elsewhere."""
        names = _Names(self, home)
        exec(IMPORTS, names)
        given = {*names}
        exec(compile(text, home, "exec"), names)
        if not home.rpartition(".")[2][:1].isupper():
            for name in {*names} - given:
                self.setdefault(name, []).append((home, names[name]))

    def nearest(self, name, home):
        """Return what a name means in a module."""

        def near(entry):
            same = [a == b for a, b in zip(entry[0].split("."), home.split("."), strict=False)]
            return [*same, False].index(False)

        return max(reversed(self[name]), key=near)[1]


class _Names(dict):
    """The names of one module: those that are missing are looked for on the shelf."""

    def __init__(self, shelf, home):
        super().__init__(__name__=__name__, __builtins__=builtins)
        self.shelf, self.home = shelf, home

    def __missing__(self, name):
        if name in self.shelf:
            return self.shelf.nearest(name, self.home)
        return self.shelf.written[name]


class Course(_Absent):
    """Stands for a module of the course: it has what was shown, and what was not is absent."""

    def __init__(self, shelf, home):
        super().__init__(f"{home} is shown in no page")
        self.shelf, self.home = shelf, home

    def __getattr__(self, name):
        if name in self.shelf:
            top = "attention_course.reference"  # ac.softmax is the specification's
            return self.shelf.nearest(name, self.home if "." in self.home else top)
        return Course(self.shelf, f"{self.home}.{name}")


@contextlib.contextmanager
def alone(shelf):
    """Yield the names of a module in which the course has what was shown; leave no trace."""

    def fetch(name, *rest):
        if name.partition(".")[0] != "attention_course":
            return __import__(name, *rest)
        return Course(shelf, name if rest[2] else "attention_course")

    module = sys.modules["copied"] = types.ModuleType("copied")
    module.__builtins__ = vars(builtins) | {"__import__": fetch}
    exec(f"{IMPORTS}import attention_course as ac", vars(module))
    threads, grad = torch.get_num_threads(), torch.is_grad_enabled()
    with np.printoptions(), torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the course's functions keep NumPy quiet
        yield vars(module)
    torch.set_num_threads(threads)
    torch.set_grad_enabled(grad)
    del sys.modules["copied"]


def run(name, notebooks, whole=False):
    """Run a chapter as it is copied; return what each cell prints, and what is wrong.

    The ``whole`` of it has cells that need what no page shows; they are left out then.
    """
    shelf, printed, faults = Shelf(), {}, []
    for chapter, notebook in notebooks.items():
        shelf.put_all(shown(notebook))
        if chapter == name:
            break
    with alone(shelf) as names:
        shelf.written = names
        for one in notebooks[name].cells if whole else tagged(notebooks[name], RUNS):
            if one.cell_type != "code":
                continue
            out = io.StringIO()
            try:
                with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                    execute(
                        one.source, names, one.id, failed=functools.partial(leave_out, whole)
                    )
            except Exception as error:
                faults.append(f"{one.id}: {error!r}")
            printed[one.id] = out.getvalue()
    return printed, faults


def leave_out(anything, error, line):
    """Let a statement go that needs what is absent."""
    absent = isinstance(error, ModuleNotFoundError) or "_Absent" in str(error)
    if not (anything or absent):
        raise error


def same(name, printed, tag):
    """Return which of a chapter's cells with a tag print what they store, and which do not."""
    cells = [c for c in tagged(NOTEBOOKS[name], tag) if compared(c) and stored(c)]
    told = {c.id: differs(c, printed[c.id]) for c in cells}
    return {c for c in told if not told[c]}, {c for c in told if told[c]}


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_copied_runs_and_gives_the_stored_numbers(name):
    printed, faults = run(name, NOTEBOOKS)
    assert faults == []
    assert not same(name, printed, RUNS)[1] - LEFT_OUT


def test_code_in_torch_gives_the_stored_numbers_too():
    names = ("transformer/self-attention", "transformer/scaling", "scale/numerics")
    found = [
        same(name, run(name, NOTEBOOKS, whole=True)[0], "needs-torch")[0] for name in names
    ]
    assert [*map(len, found)] == [5, 2, 1]


def broken(name, find, replace):
    """Return the book with a text replaced in what a chapter shows and writes."""
    notebook = copy.deepcopy(NOTEBOOKS[name])
    found = 0
    for one in (c for c in notebook.cells if c.cell_type == "code"):
        for holder in [one, *(o.data for o in one.outputs if "data" in o)]:
            for key in {"source", "text/plain"} & holder.keys():
                found += find in holder[key]
                holder[key] = holder[key].replace(find, replace)
    assert found == 1
    return NOTEBOOKS | {name: notebook}


@pytest.mark.gate("code that can be copied", "another formula in what is shown")
def test_a_formula_that_does_not_give_the_stored_numbers_is_noticed():
    name = "why/attention-by-hand"
    red = broken(name, "exps = np.exp(x - top)", "exps = np.exp((x - top) / 2)")
    assert same(name, run(name, red)[0], RUNS)[1]


@pytest.mark.gate(
    "code that can be copied", "an example that takes of the course what no page shows"
)
def test_the_course_has_only_what_was_shown():
    with alone(Shelf()) as names, pytest.raises(ModuleNotFoundError, match="shown in no page"):
        execute("from attention_course.reference import softmax\nsoftmax([1.0])", names)
