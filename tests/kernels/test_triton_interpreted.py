"""The Triton kernels under Triton's interpreter: right where they stand, wrong where broken."""

import importlib.util
import inspect
import itertools
import sys
from functools import partial
from pathlib import Path

import pytest
import torch
import triton_cases as its
from rules.source import SOURCE

from attention_course.kernels import (
    triton_attention,
    triton_partial_attention,
    triton_varlen_attention,
)
from attention_course.kernels.triton_attention import why_not
from attention_course.kernels.triton_variants import LADDER, Blocks
from attention_course.reference import partial_attention

pytestmark = [
    pytest.mark.interpreted,
    # Triton 3.6 reads its loops' bounds so.
    pytest.mark.filterwarnings(
        "ignore:Conversion of an array with ndim > 0:DeprecationWarning"
    ),
]


def end_to_end(lengths, keys=None, causal=False):
    """Say what is wrong if texts end to end are not each text by itself."""
    cu = torch.tensor([0, *lengths]).cumsum(0)
    cu_k = None if keys is None else torch.tensor([0, *keys]).cumsum(0)
    ends = cu if cu_k is None else cu_k
    q, k, v = (x[0].transpose(0, 1) for x in its.draw(int(cu[-1]), int(ends[-1]), batch=1))
    found = triton_varlen_attention(q, k, v, cu, cu_k, causal=causal)
    for (a, b), (c, d) in zip(itertools.pairwise(cu), itertools.pairwise(ends), strict=True):
        text = [x.transpose(0, 1)[None] for x in (q[a:b], k[c:d], v[c:d])]
        if b > a and d > c:
            right = its.formula(*(x.double() for x in text), causal, None)[0][0].transpose(0, 1)
            if not (found[a:b].double() - right).abs().max() < 4e-3:
                return f"the text from {int(a)} on is not what it is by itself"
        elif found[a:b].any():
            return "the context of a query that sees nothing is not zero"
    return ""


TEXTS = {
    "texts end to end": partial(end_to_end, (3, 70, 0, 130, 1)),
    "texts end to end, causal": partial(end_to_end, (65, 1, 64, 5), causal=True),
    "texts with other keys": partial(end_to_end, (5, 66, 3), (100, 0, 40), True),
}
CASES = TEXTS | its.cases()
CPU = torch.device("cpu")


@pytest.mark.parametrize("name", CASES)
def test_it_is_right(name):
    assert CASES[name]() == ""


@pytest.mark.parametrize("n", [1, 5, 1000, 65536])
def test_the_softmax_of_a_row_is_torch_s(n):
    from attention_course.kernels.triton_softmax import triton_softmax

    x = torch.linspace(-9, 9, 3 * n).reshape(n, 3).T  # its columns are not side by side
    torch.testing.assert_close(triton_softmax(x), x.softmax(-1))
    with pytest.raises(ValueError, match=r"n from 1 to 65,536, got \(2, 65537\)"):
        triton_softmax(torch.zeros(2, 65537))


@pytest.mark.parametrize("step", LADDER, ids=lambda step: step.name)
@pytest.mark.parametrize("causal", [False, True], ids=["full", "causal"])
def test_every_step_of_the_ladder_is_right(step, causal):
    reason = why_not(step, CPU)
    q, k, v = its.draw(130, 150, dtype=its.HALF, batch=1)
    if step.warp_specialise:
        assert "interpreter knows no groups of warps" in reason
        with pytest.raises(ValueError, match="warp specialisation: Triton's interpreter"):
            triton_attention(q, k, v, variant=step)
    else:
        assert reason is None
        assert its.wrong(q, k, v, causal=causal, variant=step, gradients=False) == ""


def test_the_formula_of_these_tests_is_that_of_the_reference():
    q, k, v = (x.double() for x in its.draw(5, 9, heads=(2, 2)))
    seen = torch.ones(5, 9, dtype=torch.bool).tril(4)
    for causal in (False, True):
        mask = seen.numpy() if causal else None
        context, lse = partial_attention(q.numpy(), k.numpy(), v.numpy(), 0.3, mask)
        ours = its.formula(q, k, v, causal, 0.3)
        torch.testing.assert_close(ours[0], torch.from_numpy(context))
        torch.testing.assert_close(ours[1], torch.from_numpy(lse))


def test_twice_the_same_gives_the_same_bits():
    inputs = its.draw(100, 90)
    ones = torch.ones(2, 4, 100, 64), torch.ones(2, 4, 100)

    def run():
        return its.with_gradients(
            lambda *x: triton_partial_attention(*x, causal=True), inputs, *ones
        )

    (a, b, c), (d, e, f) = run(), run()
    assert torch.equal(a, d)
    assert torch.equal(b, e)
    assert all(map(torch.equal, c, f))


# ---- one kernel for all gradients -----------------------------------------------------------

ONE = Blocks(32, 32, 4, 1)
# Full and causal, ragged lengths, queries that see nothing, grouped heads, three formats.
SOME = [*its.QUICK, "130 queries, 33 keys, causal", "64 queries, 127 keys, full"]
SOME += ["torch.bfloat16, d = 128, causal", "torch.float32, d = 64, full", "one key for all"]


@pytest.fixture
def one_kernel(monkeypatch):
    """Let the backward add the gradients of the queries by atomics."""
    door = sys.modules[triton_attention.__module__]
    monkeypatch.setattr(door, "_backward", partial(door._backward, atomic=ONE))


@pytest.mark.parametrize("name", SOME)
def test_one_kernel_gives_all_gradients(name, one_kernel):
    assert CASES[name]() == ""


@pytest.mark.gate("kernels", "one kernel for all gradients that adds wrongly")
@pytest.mark.parametrize(
    "change",
    [
        ("multiply(d_scores.T, k, None) * scale", "multiply(d_scores.T, k, None)"),
        ('tl.atomic_add(at, part, sem="relaxed")', "tl.store(at, part)"),
    ],
    ids=["not scaled", "the last part alone"],
)
def test_a_broken_fifth_product_is_caught(change, one_kernel, monkeypatch, tmp_path):
    break_it(monkeypatch, tmp_path, "triton_backward", *change)
    assert any(CASES[name]() for name in SOME)


# ---- broken kernels -------------------------------------------------------------------------

FORWARD = {
    "the sums are not rescaled": ("sums * shrink[:, None]", "sums"),
    "the largest score is that of the block": (
        "tl.maximum(top, tl.max(scores, 1) * scale)",
        "tl.max(scores, 1) * scale",
    ),
    "causal is aligned top left": ("rows + 1 + n_k - n_q", "rows + 1"),
    "a query sees one key ahead": ("rows + 1 + n_k - n_q", "rows + 2 + n_k - n_q"),
    "keys past the end are seen": ("seen = rows * 0 + n_k", "seen = rows * 0 + n_k + 64"),
    "rows past the end are read": ("elif n is None:", "elif True:"),
    "the wrong head of the keys": ("own[1] // group", "own[1] % (heads // group)"),
    "the masked block is left out": ("scale, full, end,", "scale, full, full,"),
    "exp2 without log2(e)": ("scale *= LOG2_E", "scale *= 1.0"),
    "a query that sees nothing divides by zero": (
        'base = tl.where(new_top == float("-inf"), 0.0, new_top)',
        "base = new_top",
    ),
    "bfloat16 as the interpreter multiplies it": ("if INTERPRETED:", "if False:"),
}
BACKWARD = {
    "what the weights give back is left out": (" - due)", ")"),
    "the keys' gradients are not scaled": ("sum_k * scale", "sum_k"),
    "only the first head of a group counts": ("in range(group)", "in range(1)"),
    "no mask": ('scores = tl.where(mask, scores, float("-inf"))', "scores = scores"),
    "the log-sum-exp's gradient is left out": (
        "total -= tl.load(d_lse + one * n_q + rows, mask=there, other=0.0)",
        "total = total",
    ),
    "queries begin where they would with equal lengths": (
        "ahead = start + n_q - n_k",
        "ahead = start",
    ),
    "a query that sees nothing has weights": (
        'lse = tl.where(lse == float("-inf"), float("inf"), lse)',
        "lse = lse",
    ),
}
VARLEN = {
    "every text begins where the first does": ("start.to(tl.int64)", "start.to(tl.int64) * 0"),
    "the last token of a text is left out": ("text + 1) - start", "text + 1) - start - 1"),
    "the keys begin where the queries do": ("where(cu_k, text)", "where(cu_q, text)"),
    "only the first block of a text": ("program_id(0) + 1)", "program_id(0) + 1) * 0"),
    "the wrong head of the keys of a text": ("own[1] // group", "own[1] * 0"),
}
BROKEN = [("triton_forward", *row) for row in FORWARD.items()]
BROKEN += [("triton_varlen", *row) for row in VARLEN.items()]
BROKEN += [("triton_backward", *row) for row in BACKWARD.items()]


def break_it(monkeypatch, folder: Path, module: str, old: str, new: str) -> None:
    """Put a kernel's module with a change in it into the place of the right one."""
    text = (SOURCE / f"attention_course/kernels/{module}.py").read_text(encoding="utf-8")
    assert text.count(old) >= 1, f"{old!r} does not stand in {module}"
    path = folder / f"broken_{module}.py"
    path.write_text(text.replace(old, new), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    broken = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(broken)
    name = f"attention_course.kernels.{module}"
    monkeypatch.setitem(sys.modules, name, broken)
    monkeypatch.setattr(sys.modules["attention_course.kernels"], module, broken, raising=False)


@pytest.mark.gate("kernels", "broken kernels: no rescaling, the wrong head, no mask …")
@pytest.mark.parametrize(("module", "name", "change"), BROKEN, ids=[row[1] for row in BROKEN])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_broken_kernel_is_caught(module, name, change, monkeypatch, tmp_path):
    break_it(monkeypatch, tmp_path, module, *change)
    caught = next((f"{name}: {said}" for name, case in CASES.items() if (said := case())), "")
    print(caught)
    assert caught


@pytest.mark.gate("kernels", "an interpreter that is not the one that the tests ask for")
def test_it_is_the_interpreter_that_runs():
    from attention_course.kernels import triton_forward

    assert "Interpreted" in type(triton_forward.forward_kernel).__name__
    assert inspect.isclass(type(triton_forward.forward_kernel))
