"""The Triton kernels, compiled for GPUs that are not here: they fit, and use what is there."""

import itertools

import pytest
import torch

from attention_course.exercises import kernel_exercises, triton_answer
from attention_course.exercises.examine import public_calls
from attention_course.kernels import compiling
from attention_course.kernels.triton_variants import (
    HEAD_SIZES,
    LADDER,
    SHARED,
    Blocks,
    forward_blocks,
    multiplies_from_shared,
)
from attention_course.kernels.varlen import launch_varlen, varlen_blocks
from attention_course.measure import recorded

its = pytest.importorskip("compiled_kernels", exc_type=ImportError)  # it imports Triton
pytestmark = pytest.mark.compiled
# Both formats and both masks for what is used by default, each once for the other steps.
EACH = ((torch.float16, True), (torch.bfloat16, False))
ALL = (*EACH, (torch.float16, False), (torch.bfloat16, True))
DEFAULT = {"sm_80": "split", "sm_90": "descriptors"}
CORES = ("mma", "wgmma", "tcgen05")
# They are compiled for as well, by default; the record has none of them.
OTHERS = {"sm_86": (8, 6), "sm_89": (8, 9), "sm_100": (10, 0), "sm_120": (12, 0)}
# A few bytes that do not fit into registers cost little; more would be a mistake.
MOST_SPILLED = 64


def wrong(counts, capability, *, tma=False, special=False):
    """Return what is wrong with what the compiler made, if anything is."""
    cores = {9: "wgmma", 10: "tcgen05"}.get(capability[0], "mma")
    others = sum(counts[name] for name in CORES if name != cores)
    if not counts[cores] or others:
        return f"expected {cores} on the tensor cores, got {counts[cores]}, {others}"
    if counts["shared"] > SHARED[capability]:
        return f"shared memory: at most {SHARED[capability]}, got {counts['shared']}"
    if counts["spilled"] > MOST_SPILLED:
        return f"spilled: at most {MOST_SPILLED} bytes, got {counts['spilled']}"
    if bool(counts["descriptor_loads"]) != tma:
        return f"loads by descriptor: {counts['descriptor_loads']}"
    if bool(counts["hand_overs"]) != special:
        return f"registers handed from group to group: {counts['hand_overs']}"
    return ""


def test_a_long_row_of_the_softmax_has_its_registers():
    from attention_course.kernels.triton_softmax import options, softmax_kernel

    n, x = 32768, torch.zeros(2, 32768)
    with compiling.compiling_for((7, 5), compiling.taken):
        done = softmax_kernel.warmup(x, x, n, n, n, **options(n), grid=(2,))
    assert compiling.taken(done)["spilled"] == 0


def chosen_wrongly(counts, blocks, size, capability):
    """Return what is wrong with the shared memory that blocks are chosen by, if anything is."""
    estimate = blocks.shared(size, 2, capability)
    if not estimate <= counts["shared"] + 64 or not counts["shared"] <= estimate + 1024:
        return f"shared memory: {estimate} expected, the compiler takes {counts['shared']}"
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
            assert chosen_wrongly(counts, blocks, size, capability) == ""


@pytest.mark.parametrize("gpu", its.GPUS)
@pytest.mark.parametrize("size", HEAD_SIZES)
def test_the_backward_uses_the_tensor_cores_and_fits(gpu, size):
    capability = its.GPUS[gpu]
    for dtype, causal in ALL:
        kernels = its.backward(*its.tensors(size, dtype), causal, capability)
        assert [*kernels] == ["prepare_kernel", "keys_kernel", "queries_kernel"]
        for name in ("keys_kernel", "queries_kernel"):
            assert wrong(kernels[name], capability, tma=capability >= (9, 0)) == "", name


@pytest.mark.parametrize("gpu", OTHERS)
@pytest.mark.parametrize("size", HEAD_SIZES)
def test_other_gpus_get_blocks_that_fit_and_use_what_is_there(gpu, size):
    capability = OTHERS[gpu]
    q, k, v = its.tensors(size)
    tma = multiplies_from_shared(capability)
    step = LADDER[3 if tma else 2]
    blocks = forward_blocks(size, 2, 8192, capability)
    for one in blocks if tma else blocks[:1]:
        counts = its.forward(q, k, v, False, step, one, capability)
        assert wrong(counts, capability, tma=tma) == "", one
        assert chosen_wrongly(counts, one, size, capability) == "", one
    backward = its.backward(q, k, v, True, capability)
    for name in ("keys_kernel", "queries_kernel"):
        assert wrong(backward[name], capability, tma=tma) == "", name


@pytest.mark.parametrize(("gpu", "capability"), {**its.GPUS, **OTHERS}.items())
def test_texts_end_to_end_fit_and_use_the_tensor_cores(gpu, capability):
    for size, causal in itertools.product(HEAD_SIZES, (False, True)):
        q, k = (torch.zeros(300, heads, size, dtype=torch.float16) for heads in (4, 2))
        blocks = varlen_blocks(size, 2, 8192, capability)
        with compiling.compiling_for(capability, compiling.counts_of) as found:
            edges = [0, 7, 300]
            launch_varlen(q, k, k, q, edges, edges, causal, 0.1, blocks)
        assert wrong(found["varlen_kernel"], capability) == "", (size, causal)


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


class Compiled:
    """A kernel that is compiled where it would be started, and does not run."""

    def __init__(self, kernel):
        self.kernel, self.made = kernel, []

    def __getitem__(self, grid):
        return lambda *args, **fixed: self.made.append(
            self.kernel.warmup(*args, **fixed, grid=grid, enable_fp_fusion=True)
        )


def compiled(exercise, source, capability):
    """Return what the compiler makes of an answer, for the first probe of each part."""
    import triton

    triton.runtime.driver.set_active(compiling.Absent(capability))
    answer = triton_answer.load(source)[exercise.target]
    kernel = Compiled(triton_answer.kernel_of(answer))
    for probe in {probe.part: probe for probe in exercise.probes[::-1]}.values():
        (call,) = public_calls(exercise, probe)
        args = (torch.from_numpy(x) if hasattr(x, "dtype") else x for x in call.args)
        exercise.launch(kernel, "cpu", *args)
    return kernel.made


@pytest.mark.parametrize("slug", kernel_exercises())
def test_answers_that_pass_without_a_gpu_compile_for_one(slug):
    exercise = kernel_exercises()[slug]
    cases = [((8, 0), exercise.source_of(odd)) for odd in exercise.right]
    cases += [(capability, exercise.solution) for capability in ((8, 0), (9, 0), (10, 0))]
    for capability, source in cases:
        made = compiled(exercise, source, capability)
        assert len(made) == len(exercise.points)
        assert max(one.metadata.shared for one in made) <= SHARED[8, 6]


@pytest.mark.gate("kernels", "an answer that the interpreter runs and no compiler takes")
def test_an_answer_that_does_not_compile_is_noticed():
    exercise = kernel_exercises()["triton-tiled-forward"]
    two_formats = exercise.solution.replace(".to(v_block.dtype)", "")
    with pytest.raises(Exception, match="Both operands must be same dtype"):
        compiled(exercise, two_formats, (9, 0))
    assert compiled(exercise, exercise.solution, (9, 0))


def on_record(name):
    """Return what was recorded with this version of Triton."""
    import triton

    result, _ = recorded(name)
    if triton.__version__ not in result:
        pytest.skip(f"recorded with Triton {', '.join(result)}; this is {triton.__version__}")
    return result[triton.__version__]


def test_the_record_is_what_this_compiler_makes():
    pairs = zip(its.rows(), on_record(its.NAME), strict=True)
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


def recounted(row):
    """Return what the compiler makes of the kernel of a row of the bounds, counted anew."""
    (step,) = (step for step in LADDER if step.name == row["step"])
    blocks = Blocks(*row["blocks"], row["warps"], row["stages"])
    return its.bound(row["gpu"], row["size"], step, blocks)


def bounded():
    """Return one row of the bounds that this version of Triton has on record."""
    rows = on_record(its.BOUNDS)["rows"]
    where = ("sm_90", 128, "split")
    return next(row for row in rows if (row["gpu"], row["size"], row["step"]) == where)


def test_the_bound_on_record_is_counted_again():
    row = bounded()
    assert recounted(row) == row


def gradients_on_record(gpu, size):
    """Return the rows of the backward that this version of Triton has on record."""
    rows = on_record(its.BACKWARD)
    assert {(row["gpu"], row["size"]) for row in rows} == set(its.ATOMIC)
    for row in rows:
        assert row["spilled"] <= MOST_SPILLED
        assert row["spilled_causal"] <= MOST_SPILLED or row["kernel"] == "one kernel"
        assert row["shared"] <= SHARED[its.BOUNDED[row["gpu"]][0]]
    return [row for row in rows if (row["gpu"], row["size"]) == (gpu, size)]


@pytest.mark.parametrize(("gpu", "size"), [("sm_80", 128), ("sm_90", 64)])
def test_the_backward_on_record_is_counted_again(gpu, size):
    assert its.gradients(gpu, size) == gradients_on_record(gpu, size)


@pytest.mark.gate("kernels", "a kernel for all gradients that does a product twice")
def test_a_product_that_is_done_twice_is_noticed(monkeypatch):
    """With these blocks the compiler makes the scores anew for the other way round."""
    monkeypatch.setitem(its.ATOMIC, ("sm_90", 64), Blocks(64, 64, 8, 2))
    with pytest.raises(ValueError, match="expected 2621440 in one kernel"):
        its.gradients("sm_90", 64)


@pytest.mark.gate("kernels", "a loop that is counted with what stands around it")
def test_a_wrong_count_is_noticed(monkeypatch):
    row, loop_of = bounded(), compiling.loop_of
    monkeypatch.setattr(compiling, "loop_of", lambda machine: [*loop_of(machine), "BAR.SYNC"])
    assert recounted(row) != row
    monkeypatch.setattr(compiling, "loop_of", lambda machine: 2 * loop_of(machine))
    with pytest.raises(ValueError, match="expected 4194304 operations"):
        recounted(row)


def remade(row):
    """Return what the compiler makes of the cut of a row of the grid."""
    blocks = Blocks(row["block_q"], row["block_k"], row["warps"], row["stages"])
    return compiling.resources(row["gpu"], row["d"], blocks=blocks)


@pytest.mark.parametrize("gpu", its.GRID_GPUS)
def test_cuts_of_the_grid_are_made_again(gpu):
    """The usual cut, one whose warps do products twice, and one that has no room."""
    rows = [r for r in on_record(its.GRID)["rows"] if (r["gpu"], r["d"]) == (gpu, 128)]
    names = ("block_q", "block_k", "warps", "stages")
    cuts = {tuple(row[name] for name in names): row for row in rows}
    large = next(row for row in rows if row["why"])
    for row in (cuts[128, 64, 8, 3], cuts[64, 32, 8, 1], large):
        assert remade(row) == row


def test_a_cut_that_needs_too_much_says_so_and_the_real_driver_comes_back():
    from triton.runtime import driver

    before = driver._active
    row = compiling.resources("sm_90", 128, blocks=Blocks(128, 128, 8, 4))
    assert row["why"] == "shared memory: at most 232448 bytes, got 295936"
    assert (row["programs"], row["apart"]) == (0, None)
    assert driver._active is before


def test_a_cut_that_does_not_compile_says_why(monkeypatch):
    def refuse(*args):
        raise RuntimeError("PassManager::run failed\nand more")

    monkeypatch.setattr(compiling, "forward", refuse)
    row = compiling.resources("sm_90", 64, blocks=Blocks(64, 64, 4, 2))
    assert row["why"] == "it does not compile: PassManager::run failed"
    assert (row["registers"], row["programs"], row["apart"]) == (None, None, None)


def test_a_cut_that_needs_too_much_tensor_memory_says_so(monkeypatch):
    counts = {"threads": 256, "registers": 128, "spilled": 0, "shared": 1024, "columns": 576}
    monkeypatch.setattr(compiling, "forward", lambda *args: counts)
    row = compiling.resources("sm_100", 128, blocks=Blocks(128, 128, 8, 2))
    assert row["why"] == "tensor memory: at most 512 columns, got 576"
    assert (row["registers"], row["apart"]) == (128, None)


def test_a_gpu_without_a_sheet_gets_no_bound():
    row = compiling.resources("sm_89", 64, blocks=Blocks(64, 32, 4, 2))
    assert (row["apart"], row["overlapped"], row["why"]) == (None, None, "")
    assert row["programs"] > 0
