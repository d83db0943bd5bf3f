"""The Triton kernels, compiled for GPUs that are not here: they fit, and use what is there."""

import itertools

import pytest
import torch

from attention_course.kernels.triton_variants import HEAD_SIZES, LADDER, SHARED, Blocks
from attention_course.measure import recorded

its = pytest.importorskip("compiled_kernels", exc_type=ImportError)  # it imports Triton
pytestmark = pytest.mark.compiled
# Both formats and both masks for what is used by default, each once for the other steps.
EACH = ((torch.float16, True), (torch.bfloat16, False))
ALL = (*EACH, (torch.float16, False), (torch.bfloat16, True))
DEFAULT = {"sm_80": "split", "sm_90": "descriptors"}
# A few bytes that do not fit into registers cost little; more would be a mistake.
MOST_SPILLED = 64


def wrong(counts, capability, *, tma=False, special=False):
    """Return what is wrong with what the compiler made, if anything is."""
    cores, others = ("wgmma", "mma") if capability >= (9, 0) else ("mma", "wgmma")
    if not counts[cores] or counts[others]:
        return f"expected {cores} on the tensor cores, got {counts[cores]}, {counts[others]}"
    if counts["shared"] > SHARED[capability]:
        return f"shared memory: at most {SHARED[capability]}, got {counts['shared']}"
    if counts["spilled"] > MOST_SPILLED:
        return f"spilled: at most {MOST_SPILLED} bytes, got {counts['spilled']}"
    if bool(counts["descriptor_loads"]) != tma:
        return f"loads by descriptor: {counts['descriptor_loads']}"
    if bool(counts["hand_overs"]) != special:
        return f"registers handed from group to group: {counts['hand_overs']}"
    return ""


FORWARD = [
    pytest.param(gpu, size, step, blocks, id=f"{gpu} {size} {step.name} {blocks.q}x{blocks.k}")
    for (gpu, capability), size in itertools.product(its.GPUS.items(), HEAD_SIZES)
    for step in its.steps(capability)
    for blocks in its.blocks_of(step, size, 2, capability)
]


@pytest.mark.parametrize(("gpu", "size", "step", "blocks"), FORWARD)
def test_the_forward_uses_the_tensor_cores_and_fits(gpu, size, step, blocks):
    capability = its.GPUS[gpu]
    expected = {"tma": step.descriptors, "special": step.warp_specialise}
    for dtype, causal in ALL if step.name == DEFAULT[gpu] else EACH:
        counts = its.forward(*its.tensors(size, dtype), causal, step, blocks, capability)
        assert wrong(counts, capability, **expected) == ""
        if not step.warp_specialise:
            assert counts["shared"] <= blocks.shared(size, 2) + 1024  # what it is chosen by


@pytest.mark.parametrize("gpu", its.GPUS)
@pytest.mark.parametrize("size", HEAD_SIZES)
def test_the_backward_uses_the_tensor_cores_and_fits(gpu, size):
    capability = its.GPUS[gpu]
    for dtype, causal in ALL:
        kernels = its.backward(*its.tensors(size, dtype), causal, capability)
        assert [*kernels] == ["prepare_kernel", "keys_kernel", "queries_kernel"]
        for name in ("keys_kernel", "queries_kernel"):
            assert wrong(kernels[name], capability, tma=capability >= (9, 0)) == "", name


@pytest.mark.parametrize("gpu", its.GPUS)
def test_single_precision_fits(gpu):
    capability = its.GPUS[gpu]
    for size, causal in itertools.product(HEAD_SIZES, (False, True)):
        q, k, v = its.tensors(size, torch.float32)
        step = LADDER[2]
        (blocks,) = its.blocks_of(step, size, 4, capability)
        forward = its.forward(q, k, v, causal, step, blocks, capability)
        backward = its.backward(q, k, v, causal, capability)
        assert max(c["shared"] for c in (forward, *backward.values())) <= SHARED[(8, 6)]


def test_ones_among_the_sizes_are_constants_and_compile():
    """Triton compiles a kernel anew where a length, a stride or a number of heads is 1."""
    x = torch.zeros(1, 1, 1, 64, dtype=torch.float16)
    for gpu, step in (("sm_80", LADDER[2]), ("sm_90", LADDER[3])):
        capability = its.GPUS[gpu]
        (blocks,) = its.blocks_of(step, 64, 2, capability)
        counts = its.forward(x, x, x, True, step, blocks, capability)
        assert wrong(counts, capability, tma=step.descriptors) == ""
        assert its.backward(x, x, x, True, capability)["queries_kernel"]["registers"] <= 255


def test_the_record_is_what_this_compiler_makes():
    import triton

    result, origin = recorded(its.NAME)
    assert origin["script"] == "benchmarks/compiled_kernels.py"
    if triton.__version__ not in result:
        pytest.skip(f"recorded with Triton {', '.join(result)}; this is {triton.__version__}")
    pairs = zip(its.rows(), result[triton.__version__], strict=True)
    for found, known in pairs:  # what a row does not have was not yet counted
        assert {key: found[key] for key in known} == known


@pytest.mark.gate("kernels", "products that do not run on the tensor cores")
def test_products_elsewhere_are_noticed(monkeypatch):
    q, k, v = its.tensors(64, torch.float32)
    counts = its.forward(q, k, v, False, LADDER[2], Blocks(64, 32, 4, 2), (9, 0))
    assert "expected wgmma on the tensor cores, got 0" in wrong(counts, (9, 0))


@pytest.mark.gate("kernels", "blocks that do not fit into registers, or into shared memory")
def test_blocks_that_do_not_fit_are_noticed():
    q, k, v = its.tensors(128)
    counts = its.forward(q, k, v, False, LADDER[2], Blocks(128, 128, 4, 2), (8, 0))
    assert "spilled: at most 64 bytes" in wrong(counts, (8, 0))
    counts = its.forward(q, k, v, False, LADDER[2], Blocks(128, 128, 8, 4), (8, 0))
    assert "shared memory: at most 166912" in wrong(counts, (8, 0))
