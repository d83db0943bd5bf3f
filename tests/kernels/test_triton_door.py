"""The door to the Triton kernels, where no Triton is: what it refuses, what it offers."""

import ast
import itertools
import math
import re
import sys
from types import SimpleNamespace

import pytest
import torch
from rules.source import SOURCE
from torch.nn.functional import scaled_dot_product_attention as attention

from attention_course._source import source_of
from attention_course.kernels import (
    triton_attention,
    triton_partial_attention,
    triton_varlen_attention,
)
from attention_course.kernels import triton_variants as steps
from attention_course.kernels.triton_attention import (
    MOST_HEADS,
    why_not,
    why_not_device,
)

WHERE = SOURCE / "attention_course/kernels"


def given(batch=2, heads=4, kv_heads=2, n_q=5, n_k=7, size=64, dtype=torch.float16):
    shapes = (
        (batch, heads, n_q, size),
        (batch, kv_heads, n_k, size),
        (batch, kv_heads, n_k, size),
    )
    return [torch.zeros(shape, dtype=dtype, device="meta") for shape in shapes]


@pytest.fixture
def no_triton(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [1.0]}, "expected q to be a tensor, got list"),
        (
            {"q": torch.zeros(2, 5, 64)},
            r"expected q of shape \(batch, heads, n, d\), got \(2, 5",
        ),
        ({"dtype": torch.float64}, "expected q in float16 or bfloat16 .*, got torch.float64"),
        (
            {"k": torch.zeros(2, 2, 7, 64)},
            "q, k and v of one dtype, got torch.float16, torch.flo",
        ),
        ({"v": torch.zeros(2, 2, 7, 64).half()}, "one device, got meta, meta and cpu"),
        ({"size": 80}, "expected a head size d of 64 or 128 .*, got 80"),
        (
            {"v": torch.zeros(2, 2, 8, 64, device="meta").half()},
            "expected k and v of one shape",
        ),
        ({"heads": 4, "kv_heads": 3}, r"heads of k that divides q's, got \(4, 3\)"),
        ({"batch": MOST_HEADS, "heads": 2}, "batch times heads of at most 65535, got 131070"),
        ({"n_k": 2**30}, "expected a length below 2 to the 30, got 1073741824"),
        ({"scale": 0.0}, "expected scale to be positive and finite, got 0.0"),
        ({"scale": -1.0}, "expected scale to be positive and finite, got -1.0"),
        ({"scale": math.inf}, "expected scale to be positive and finite, got inf"),
        ({"scale": math.nan}, "expected scale to be positive and finite, got nan"),
    ],
)
def test_what_it_cannot_do_is_refused_with_what_it_can(change, message, no_triton):
    """Without Triton, so that nothing can have been launched before."""
    sizes = {
        name: value for name, value in change.items() if name not in ("q", "k", "v", "scale")
    }
    q, k, v = (change.get(name, x) for name, x in zip("qkv", given(**sizes), strict=True))
    for call in (triton_attention, triton_partial_attention):
        with pytest.raises(ValueError, match=message) as caught:
            call(q, k, v, scale=change.get("scale"))
        assert str(caught.value).startswith("triton_attention: expected ")


@pytest.mark.parametrize("size", [80, 96, 33])
def test_padding_as_it_advises_changes_nothing(size, no_triton):
    """What is read from the message is done, with torch in Triton's place."""
    q, k, v = (torch.randn(2, 5, size, generator=torch.manual_seed(i)) for i in range(3))
    with pytest.raises(ValueError, match="zeros may pad it") as caught:
        triton_attention(*(3 * x[None].float() for x in (q, k, v)))
    base, power = re.search(r"scale=(\d+)\*\*(-[\d.]+)", str(caught.value)).groups()
    sizes = [int(x) for x in re.findall(r"\d+", str(caught.value).split("(")[0])]
    wide = min(x for x in sizes if x > size) - size
    right = attention(3 * q, k, v)
    padded = [torch.nn.functional.pad(x, (0, wide)) for x in (3 * q, k, v)]
    came = attention(*padded, scale=int(base) ** float(power))[..., :size]
    torch.testing.assert_close(came, right)
    assert (attention(*padded)[..., :size] - right).abs().max() > 0.1


def test_a_head_that_is_too_wide_is_not_advised_to_pad(no_triton):
    with pytest.raises(ValueError, match="of 64 or 128, got 160"):
        triton_attention(*given(size=160))


def test_without_triton_it_says_where_triton_comes_from(no_triton):
    assert "PyTorch for CUDA on Linux brings it" in why_not_device(torch.device("cpu"))
    with pytest.raises(ValueError, match="expected Triton to be installed"):
        triton_attention(*given())


@pytest.mark.parametrize("empty", [{"n_q": 0}, {"n_k": 0}, {"batch": 0}])
def test_nothing_to_do_needs_no_triton(empty, no_triton):
    q, k, v = (torch.ones(x.shape) for x in given(**empty))
    context, lse = triton_partial_attention(q, k, v)
    assert context.shape == q.shape
    assert lse.shape == q.shape[:-1]
    assert not context.any()
    assert (lse == -math.inf).all()


@pytest.mark.parametrize("empty", [{"n_q": 0}, {"n_k": 0}])
def test_nothing_to_do_has_a_graph_all_the_same(empty, no_triton):
    leaves = [torch.ones(x.shape, requires_grad=True) for x in given(**empty)]
    context, lse = triton_partial_attention(*leaves)
    gradients = torch.autograd.grad(context.sum() + lse.sum(), leaves)
    assert [g.shape for g in gradients] == [x.shape for x in leaves]
    assert not any(g.any() for g in gradients)


def device(monkeypatch, capability):
    """Pretend that a CUDA device of this capability is there, and a Triton that compiles."""
    from attention_course.kernels import triton_attention as function

    door = sys.modules[function.__module__]
    monkeypatch.setattr(door, "_interpreted", lambda: False)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)

    return torch.device("cuda")


def test_an_old_device_is_refused_and_told_what_is_needed(monkeypatch):
    reason = why_not(steps.PLAIN, device(monkeypatch, (7, 5)))
    assert reason.startswith("expected compute capability 8.0 or more")
    assert reason.endswith("got 7.5")


def test_each_step_runs_where_it_can_and_says_why_not_elsewhere(monkeypatch):
    hopper = device(monkeypatch, (9, 0))
    assert [why_not(step, hopper) for step in steps.LADDER] == [None] * 6
    ampere = device(monkeypatch, (8, 0))
    cannot = [step.name for step in steps.LADDER if why_not(step, ampere)]
    assert cannot == ["descriptors", "warp specialisation", "tuned blocks"]
    assert "tensor memory accelerator, got 8.0" in why_not(steps.DESCRIPTORS, ampere)


def test_a_cpu_is_told_of_the_interpreter(monkeypatch):
    device(monkeypatch, (9, 0))
    assert "set TRITON_INTERPRET=1" in why_not_device(torch.device("cpu"))


def test_the_ladder_adds_one_trick_at_a_time():
    names = ["plain", "exp2", "split", "descriptors", "warp specialisation", "tuned blocks"]
    assert [step.name for step in steps.LADDER] == names
    on = [
        {name for name, value in vars(step).items() if value is True} for step in steps.LADDER
    ]
    for before, after in itertools.pairwise(on[:4]):
        assert before < after
        assert len(after - before) == 1
    assert on[5] - on[3] == {"tuned"}
    assert on[4] == on[3] - {"split"} | {"warp_specialise"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cu_seqlens": torch.tensor([0, 4])}, r"that rise from 0 to 5, .* got \[0, 4\]"),
        ({"cu_seqlens": torch.tensor([0, 3, 2, 5])}, r"that rise .* got \[0, 3, 2, 5\]"),
        ({"cu_seqlens": torch.tensor([1, 5])}, "that rise from 0"),
        ({"cu_seqlens": [0, 5]}, "a tensor of whole numbers, got list"),
        ({"cu_seqlens_k": torch.tensor([0, 2, 5])}, "as long as cu_seqlens, 2, got 3"),
        ({"k": torch.zeros(4, 4, 64), "v": torch.zeros(4, 4, 64)}, "_k must be given where"),
        ({"q": torch.zeros(2, 5, 4, 64)}, "exactly 3 axes"),
        ({"q": torch.zeros(5, 4, 64, requires_grad=True)}, "there is no backward pass"),
    ],
)
def test_texts_end_to_end_that_do_not_fit_are_refused(change, message):
    good = dict.fromkeys("qkv", torch.zeros(5, 4, 64)) | {"cu_seqlens": torch.tensor([0, 5])}
    with pytest.raises(ValueError, match=f"triton_varlen_attention: .*{message}"):
        triton_varlen_attention(**{**good, **change})


@pytest.mark.parametrize("size", steps.HEAD_SIZES)
@pytest.mark.parametrize("capability", steps.SHARED)
def test_there_are_blocks_for_every_device_and_they_fit(size, capability):
    shared = steps.SHARED[capability]
    for n_q in (1, 64, 65, 8192):
        choices = steps.forward_blocks(size, 2, n_q, capability)
        assert choices
        assert all(blocks.shared(size, 2, capability) < shared for blocks in choices)
        assert all(blocks.q == 64 for blocks in choices) or n_q > 64
    for itemsize in (2, 4):
        for blocks in steps.backward_blocks(size, itemsize, capability):
            assert 128 % blocks.q == 0  # what is read ahead is padded to 128 queries


@pytest.mark.parametrize(
    "name", ["triton_forward", "triton_backward", "triton_softmax", "triton_varlen"]
)
def test_a_page_can_show_every_kernel_and_helper(name):
    tree = ast.parse((WHERE / f"{name}.py").read_text(encoding="utf-8"))
    kernels = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.decorator_list]
    sources = {n.name: source_of(f"attention_course.kernels.{name}.{n.name}") for n in kernels}
    shown = {  # without the module's constants, which stand above each that takes them
        kernel: len(re.findall(r"(?m)^(?![A-Z_0-9]+ = )", source))
        for kernel, source in sources.items()
    }
    assert max(shown.values()) <= 31  # with the line that says where it stands
    assert name != "triton_forward" or sum(shown.values()) - len(shown) <= 120


def test_blocks_are_tried_if_there_is_room_and_the_result_is_the_same(monkeypatch):
    """Triton is not here: what it times and what it raises is said by the test."""
    door = sys.modules[triton_attention.__module__]
    first, slow, wrong, large, best = (steps.Blocks(64, 64, 4, i) for i in range(5))
    milliseconds = {first: 3.0, slow: 4.0, wrong: 1.0, large: 0.5, best: 2.0}
    context, ran = torch.zeros(3), []

    class OutOfResources(Exception):  # noqa: N818 - Triton's name
        pass

    def run(blocks):
        if blocks == large:
            raise OutOfResources
        ran.append(blocks)
        context.fill_(2.0 if blocks == wrong else 1.0)

    def do_bench(call, **how):
        call()
        return milliseconds[ran[-1]]

    for name in ("triton", "triton.runtime"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace())
    errors = SimpleNamespace(OutOfResources=OutOfResources)
    monkeypatch.setitem(sys.modules, "triton.runtime.errors", errors)
    monkeypatch.setitem(sys.modules, "triton.testing", SimpleNamespace(do_bench=do_bench))
    assert door._fastest([first, slow, wrong, large, best], run, context) == best


def test_gradients_of_gradients_are_refused(monkeypatch):
    door = sys.modules[triton_attention.__module__]
    monkeypatch.setattr(door, "why_not", lambda *of: None)
    monkeypatch.setattr(door, "_capability", lambda device: (8, 0))
    monkeypatch.setattr(door, "_forward", lambda q, *of: (q * 1, q.new_zeros(q.shape[:-1])))
    monkeypatch.setattr(door, "_backward", lambda q, k, v, c, lse, pull, *of: (pull, k, v))
    q, k, v = (torch.ones(x.shape, requires_grad=True) for x in given())
    squared = triton_attention(q, k, v).square().sum()
    (by_q,) = torch.autograd.grad(squared, q, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        by_q.sum().backward()
