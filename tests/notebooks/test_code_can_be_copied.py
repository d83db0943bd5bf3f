"""What a reader copies from the pages, in their order, runs and gives the stored numbers."""

import ast
import builtins
import contextlib
import copy
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

from attention_course.site.copied import copied

# What the code that a chapter shows takes from outside, and nothing that a reader copies has
# by then. The list only shrinks. What is left is of records or data, or is trained; but for
# MultiHeadAttention, which is too long for a page: multi-head shows its methods.
NOT_SHOWN: dict[str, str] = {
    "why/rnn-bottleneck": "runs",
    "recurrent/bahdanau": "pad translators",
    "recurrent/luong": "every",
    "recurrent/local-and-hard": "hard_runs",
    "recurrent/captioning": "WAYS WORDS",
    "vision/asking-an-image": "Found",
    "transformer/multi-head": "ac",
    "transformer/masks-and-cross-attention": "came translator",
    "transformer/transformer-block": "MultiHeadAttention loss_of",
    "transformer/encoder-decoder": "LengthBatches MultiHeadAttention task",
    "scale/serving": "model",
    "scale/complexity": "layer_weights run_counted",
    "scale/triton-kernel": "measure",
}
CHAPTERS = re.findall(r"file: book/(\w+/[\w-]+)", (ROOT / "_toc.yml").read_text("utf-8"))
NOTEBOOKS = {
    name: nbformat.read(path, 4)
    for name in CHAPTERS
    if (path := ROOT / "book" / f"{name}.ipynb").is_file()
}
WITHOUT = ("triton", "tl")  # make kernels runs what takes them


def lists(notebooks):
    """Return by chapter what is copied from it, and what nothing there explains."""
    return {name: (pieces, lacks) for name, pieces, lacks in copied(notebooks, WITHOUT)}


@pytest.fixture(scope="module")
def book():
    return lists(NOTEBOOKS)


def no_course(name, *rest):
    if name.partition(".")[0] == "attention_course":
        raise ImportError(f"{name} is not in the list")
    return __import__(name, *rest)


@contextlib.contextmanager
def alone():
    """Yield a module in which nothing of the course can be imported; leave no trace."""
    module = sys.modules["copied"] = types.ModuleType("copied")
    module.__builtins__ = vars(builtins) | {"__import__": no_course}
    threads, grad = torch.get_num_threads(), torch.is_grad_enabled()
    with np.printoptions(), torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the course's functions keep NumPy quiet
        yield vars(module)
    torch.set_num_threads(threads)
    torch.set_grad_enabled(grad)
    del sys.modules["copied"]


def examples(pieces, notebook):
    """Return the cells whose copied code must print what they store."""
    whole = {piece.cell for piece in pieces if piece.kind == "example" and piece.whole}
    return [c for c in notebook.cells if c.id in whole and compared(c) and stored(c)]


def run(pieces, notebook):
    """Run what is copied; return what is wrong."""
    printed, faults = {}, []
    with alone() as names:
        for piece, after in zip(pieces, [*pieces[1:], None], strict=True):
            out = printed.setdefault(piece.cell, io.StringIO())
            ends = piece.kind == "example" and (after is None or after.cell != piece.cell)
            try:
                with contextlib.redirect_stdout(out):
                    execute(piece.source, names, ends)
            except Exception as error:
                faults.append(f"{piece.cell}: {error!r} in {piece.source!r}")
    for cell in examples(pieces, notebook):
        if line := differs(cell, printed[cell.id].getvalue()):
            faults.append(f"{cell.id}: {line}")
    return faults


def execute(source, names, ends):
    """Run a piece; print the value of the expression that ends a cell, as a notebook does."""
    *before, last = ast.parse(source).body
    value = isinstance(last, ast.Expr) and ends
    exec(compile(ast.Module([*before, *[last] * (not value)], []), "copied", "exec"), names)
    if value:
        found = eval(compile(ast.Expression(last.value), "copied", "eval"), names)
        print(*[repr(found)] * (found is not None), end="\n" * (found is not None))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_what_is_copied_runs_and_gives_the_stored_numbers(name, book):
    assert run(book[name][0], NOTEBOOKS[name]) == []


def test_every_page_has_definitions_and_many_have_examples(book):
    defined = [sum(p.kind == "definition" for p in pieces) for pieces, _ in book.values()]
    assert min(defined) >= 1
    assert sum(defined) >= 345
    assert sum(len(examples(book[name][0], NOTEBOOKS[name])) for name in book) >= 137


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_page_explains_the_names_of_its_code(name, book):
    assert book[name][1] == {*NOT_SHOWN.get(name, "").split()}


def broken(name, find, replace):
    """Return the book with a text replaced in what a chapter shows and writes."""
    notebook = copy.deepcopy(NOTEBOOKS[name])
    found = 0
    for cell in (c for c in notebook.cells if c.cell_type == "code"):
        for holder in [cell, *(o.data for o in cell.outputs if "data" in o)]:
            for key in {"source", "text/plain"} & holder.keys():
                found += find in holder[key]
                holder[key] = holder[key].replace(find, replace)
    assert found == 1
    return NOTEBOOKS | {name: notebook}


@pytest.mark.gate("code that can be copied", "a helper that is taken from its page")
def test_a_helper_that_no_page_shows_is_noticed(book):
    red = lists(broken("why/attention-by-hand", "def attention(", "def unknown("))
    assert "attention" in red["why/attention-by-hand"][1] - book["why/attention-by-hand"][1]


@pytest.mark.gate("code that can be copied", "a shown body that calls what is not shown")
def test_a_call_of_what_is_not_shown_is_noticed(book):
    red = lists(broken("transformer/self-attention", "q, k, v = x @ W_q,", "q, k, v = to(x),"))
    assert red["transformer/self-attention"][1] - book["transformer/self-attention"][1] == {
        "to"
    }


@pytest.mark.gate("code that can be copied", "another formula in what is shown")
def test_a_formula_that_does_not_give_the_stored_numbers_is_noticed():
    name = "why/attention-by-hand"
    red = broken(name, "exps = np.exp(x - top)", "exps = np.exp((x - top) / 2)")
    assert any("stored" in fault for fault in run(lists(red)[name][0], NOTEBOOKS[name]))


@pytest.mark.gate("code that can be copied", "a shown body that is no Python")
def test_what_does_not_parse_is_noticed():
    with pytest.raises(SyntaxError):
        lists(broken("why/attention-by-hand", "def softmax(x,", "def softmax(x:,"))


@pytest.mark.gate("code that can be copied", "an example that imports the course")
def test_the_course_cannot_be_imported():
    with alone() as names, pytest.raises(ImportError, match="not in the list"):
        execute("import attention_course.reference", names, ends=False)
