"""What Triton's compiler makes of the kernels, for GPUs that this machine does not have.

It needs Triton: ``make kernels`` brings it into an environment, whose Python runs this. For one
version of Triton the counts are the same on every machine. Run it with each version in turn;
the record keeps both.

``counts`` says what stands in the whole of each kernel. ``bounds`` takes the loop of the
forward alone, counts what one tile costs each unit of a multiprocessor, and says how fast the
kernel can be at most. ``backward`` counts the same in the loops of the backward: as it is, with
seven products in two kernels, and with five in one, which adds by atomics. Nothing is timed.
"""

import importlib
import itertools
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import triton
from shared import command_line, store
from triton.backends.compiler import GPUTarget

from attention_course.kernels.triton_variants import (
    LADDER,
    Blocks,
    Variant,
    backward_blocks,
    forward_blocks,
    multiplies_from_shared,
    specialised_blocks,
)
from attention_course.measure import recorded
from attention_course.reference import device_sheets

NAME = "compiled_kernels"
BOUNDS = "compiled_kernels_bounds"
BACKWARD = "compiled_kernels_backward"
# The module; the package has its function under the same name.
DOOR: Any = importlib.import_module("attention_course.kernels.triton_attention")
GPUS = {"sm_80": (8, 0), "sm_90": (9, 0)}
# Those for which the loop is taken apart, with a device of that kind whose sheet the course
# has, operations of its matrix units a cycle and multiprocessor, and who says so.
BOUNDED: dict[str, tuple[tuple[int, int], str, int, str]] = {
    "sm_80": (
        (8, 0),
        "A100 SXM",
        2048,
        "NVIDIA, A100 white paper (2020): 1,024 multiply-adds a cycle and multiprocessor",
    ),
    "sm_90": (
        (9, 0),
        "H100 SXM",
        4096,
        "NVIDIA, H100 white paper (2022): twice the A100's a cycle and multiprocessor",
    ),
    "sm_100": (
        (10, 0),
        "B200",
        8192,
        "derived: the data sheet's 2,250 T a second over 148 multiprocessors x 1.85 GHz",
    ),
    "sm_120": ((12, 0), "", 0, "the course has no sheet of such a device, so no bound"),
}
# Of one multiprocessor, in a cycle: exponentials (CUDA C++ Programming Guide, table of
# arithmetic throughput), and instructions, one from each of its four schedulers (same guide,
# multiprocessor level, and the architectures of compute capabilities 8.x, 9.0 and 10.0).
EXPONENTIALS, SCHEDULERS = 16, 4
# Operations of one instruction for the matrix units, and how many warps issue it together.
PRODUCTS = {r"HMMA\.16816": (1, 16 * 8 * 16), r"HGMMA\.64x(\d+)x16": (4, 64 * 16)}
SIZES = (64, 128)
# Products of a tile in each kernel of the backward, and blocks with which the one kernel that
# adds by atomics does no product twice and hardly spills.
GRADIENTS = {"keys_kernel": 4, "queries_kernel": 3, "one kernel": 5}
ATOMIC = {
    ("sm_80", 64): Blocks(32, 64, 4, 2),
    ("sm_80", 128): Blocks(64, 64, 8, 2),
    ("sm_90", 64): Blocks(64, 128, 8, 2),
    ("sm_90", 128): Blocks(32, 128, 8, 2),
    ("sm_100", 64): Blocks(64, 128, 8, 2),
    ("sm_100", 128): Blocks(64, 128, 8, 1),
}
# What is counted in the compiler's output, and the instruction that it is known by.
COUNTED = {
    "wgmma": r"wgmma\.mma_async",
    "mma": r"mma\.sync",
    "tcgen05": r"tcgen05\.mma",
    "descriptor_loads": r"cp\.async\.bulk\.tensor",
    "copies": r"cp\.async\.c[ag]",
    "exponentials": r"ex2\.approx",
    "multiplications": r"mul\.f32|mul\.rn\.f32|mul\.ftz\.f32",
    "selections": r"selp\.[bf]32",
    "hand_overs": r"setmaxnreg",
}
# The same, in the machine code that becomes of it: what an exponential really costs.
IN_MACHINE_CODE = {"machine_multiplications": r"\bFMUL", "machine_comparisons": r"\bFSETP"}


class Absent:
    """A driver for a GPU that is not there: Triton compiles for it, and nothing can run."""

    def __init__(self, capability: tuple[int, int]):
        self.target = GPUTarget("cuda", 10 * capability[0] + capability[1], 32)

    def get_current_target(self) -> GPUTarget:
        """Return what is compiled for."""
        return self.target

    def get_current_device(self) -> int:
        """Return the number of the device: kernels are kept by it."""
        return self.target.arch

    def get_current_stream(self, device: int) -> int:
        """Return no stream."""
        return 0


@contextmanager
def compiling_for(
    capability: tuple[int, int], count: Callable[[Any], dict[str, int]]
) -> Iterator[dict[str, dict[str, int]]]:
    """Let the door compile kernels and run none; yield what is counted, by kernels' names."""
    found: dict[str, dict[str, int]] = {}

    def launch(kernel: Any, grid: Any, *args: Any, blocks: Blocks, **fixed: Any) -> None:
        done = kernel.warmup(*args, **fixed, **DOOR.options(blocks), grid=grid)
        found[kernel.__name__] = count(done)

    before = DOOR._launch, DOOR._capability
    DOOR._launch, DOOR._capability = launch, lambda device: capability
    triton.runtime.driver.set_active(Absent(capability))
    try:
        yield found
    finally:
        DOOR._launch, DOOR._capability = before


def tell(done: Any, tool: str, option: str) -> str:
    """Return what a tool of Triton's own wheel says about a compiled kernel."""
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(done.asm["cubin"])
        file.flush()
        command = [str(tools / tool), option, file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def counted(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and how often the instructions stand in it."""
    said, machine = tell(done, "cuobjdump", "-res-usage"), tell(done, "nvdisasm", "-c")
    used = re.search(r"REG:(\d+) STACK:(\d+)", said)
    assert used, said
    ptx = done.asm["ptx"]
    return {
        "shared": done.metadata.shared,
        "threads": 32 * done.metadata.num_warps,
        "registers": int(used[1]),
        "spilled": int(used[2]),
        **{name: len(re.findall(text, ptx)) for name, text in COUNTED.items()},
        **{name: len(re.findall(text, machine)) for name, text in IN_MACHINE_CODE.items()},
    }


def loop_of(machine: str) -> list[str]:
    """Return the shortest loop that has products and exponentials: a tile without a mask.

    Where the loop is split it stands in the program twice. What a branch inside of it may
    jump over is left out, so that nothing is counted that not every warp must do.

    Args:
        machine: what ``nvdisasm -c`` prints.

    Returns:
        Its instructions, without guards.

    Raises:
        ValueError: if there is none.
    """
    code: list[str] = []
    labels: dict[str, int] = {}
    for line in machine.splitlines():
        if label := re.match(r"\s*(\.L_x_\d+):", line):
            labels[label[1]] = len(code)
        elif found := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?(.*?);", line):
            code.append(found[1])
    jumps = {
        at: labels[to[1]]
        for at, text in enumerate(code)
        if text.startswith("BRA") and (to := re.search(r"`\((\.L_x_\d+)\)", text))
    }
    full = [
        range(to, at + 1)
        for at, to in jumps.items()
        if any(line.startswith("MUFU.EX2") for line in code[to:at])
        and any(re.match(r"HG?MMA|UTCHMMA", line) for line in code[to:at])
    ]
    if not full:
        raise ValueError("loop_of: expected a loop with products and exponentials, got none")
    loop = min(full, key=len)
    skipped = {
        place
        for at, to in jumps.items()
        if at in loop and at < to < loop.stop
        for place in range(at + 1, to)
    }
    return [code[at] for at in loop if at not in skipped]


def tile(done: Any) -> dict[str, int]:
    """Return what the loop of a compiled forward does in a tile, in all warps together."""
    warps = done.metadata.num_warps
    loop = loop_of(tell(done, "nvdisasm", "-c"))
    operations = 0
    for text, (group, each) in PRODUCTS.items():
        for found in (re.match(text, line) for line in loop):
            if found:
                wide = int(found[1]) if found.groups() else 1
                operations += warps // group * 2 * each * wide
    return {
        "issued": warps * len(loop),
        "exponentials": 32 * warps * sum(line.startswith("MUFU.EX2") for line in loop),
        "operations": operations,
    }


def tensors(size: int, dtype: torch.dtype = torch.float16) -> list[torch.Tensor]:
    """Return four heads of queries, two of keys and values; no length is a multiple of 16."""
    shapes = ((2, 4, 300, size), (2, 2, 333, size), (2, 2, 333, size))
    return [torch.zeros(shape, dtype=dtype) for shape in shapes]


def steps(capability: tuple[int, int]) -> list[Variant]:
    """Return the steps of the ladder that are worth a try on a GPU of this capability."""
    new = multiplies_from_shared(capability)
    return [step for step in LADDER if new or not (step.descriptors or step.warp_specialise)]


def blocks_of(
    step: Variant, size: int, itemsize: int, capability: tuple[int, int]
) -> list[Blocks]:
    """Return the blocks with which a step is compiled: all that it tries."""
    if step.warp_specialise:
        return [specialised_blocks(triton.__version__)]
    choices = forward_blocks(size, itemsize, 8192, capability)
    return choices if step.tuned else choices[:1]


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    step: Variant,
    blocks: Blocks,
    capability: tuple[int, int],
    count: Callable[[Any], dict[str, int]] = counted,
) -> dict[str, int]:
    """Compile the forward and count."""
    context, lse = torch.zeros_like(q), torch.zeros(q.shape[:-1])
    with compiling_for(capability, count) as found:
        DOOR._launch_forward(q, k, v, context, lse, causal, 0.1, step, blocks)
    return found["forward_kernel"]


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    capability: tuple[int, int],
    count: Callable[[Any], dict[str, int]] = counted,
    atomic: Blocks | None = None,
) -> dict[str, dict[str, int]]:
    """Compile the kernels of the backward and count."""
    lse = torch.zeros(q.shape[:-1])
    with compiling_for(capability, count) as found:
        DOOR._backward(q, k, v, q, lse, torch.zeros_like(q), lse, causal, 0.1, atomic)
    return found


def rows() -> list[dict[str, Any]]:
    """Return a row for each kernel: for causal attention in float16, with this Triton."""
    found: list[dict[str, Any]] = []
    for (gpu, capability), size in itertools.product(GPUS.items(), SIZES):
        q, k, v = tensors(size)
        where = {"gpu": gpu, "size": size}
        for step in steps(capability):
            for blocks in blocks_of(step, size, 2, capability):
                cut = {
                    "step": step.name,
                    "blocks": [blocks.q, blocks.k],
                    "stages": blocks.stages,
                }
                counts = forward(q, k, v, True, step, blocks, capability)
                found.append({"kernel": "forward_kernel", **where, **cut, **counts})
        for kernel, counts in backward(q, k, v, True, capability).items():
            found.append({"kernel": kernel, **where, **counts})
    return found


def bound(gpu: str, size: int, step: Variant, blocks: Blocks) -> dict[str, Any]:
    """Compile a forward without a causal mask, and bound its rate by what its loop does.

    The rates are in TFLOP/s, by the device's sheet: ``apart`` if the products wait for all
    else in a tile, at the rate that somebody measured for products, where there is one;
    ``overlapped`` if all goes on at once, at the sheet's own rate.
    """
    capability, name, a_cycle, _ = BOUNDED[gpu]
    q, k, v = tensors(size)
    counts = forward(q, k, v, False, step, blocks, capability, tile)
    operations = 4 * blocks.q * blocks.k * size
    if counts["exponentials"] < blocks.q * blocks.k:
        raise ValueError(f"bound: expected an exponential a score, got {counts}")
    if counts["operations"] not in (0, operations):  # 0: the instruction does not tell
        raise ValueError(f"bound: expected {operations} operations, got {counts}")
    row: dict[str, Any] = {
        "gpu": gpu,
        "size": size,
        "step": step.name,
        "blocks": [blocks.q, blocks.k],
        "warps": blocks.warps,
        "stages": blocks.stages,
        **counts,
        "operations": operations,
    }
    if name:
        sheet = device_sheets()[name]
        peak = sheet.peak["bfloat16"]
        products = operations / a_cycle
        beside = max(counts["exponentials"] / EXPONENTIALS, counts["issued"] / SCHEDULERS)
        slower = peak / sheet.measured.get("bfloat16", peak)
        for way, cycles in (
            ("apart", products * slower + beside),
            ("overlapped", max(products, beside)),
        ):
            row[way] = round(1e-12 * peak * products / cycles, 1)
    return row


def bounds() -> dict[str, Any]:
    """Return what is taken for granted, and a row for each forward, with this Triton."""
    found = [
        bound(gpu, size, step, blocks)
        for (gpu, (capability, *_)), size in itertools.product(BOUNDED.items(), SIZES)
        for step in steps(capability)
        if not step.warp_specialise  # its warps do not all run the same loop
        for blocks in blocks_of(step, size, 2, capability)
    ]
    rates = {
        gpu: {"device": name, "operations_a_cycle": a_cycle, "source": source}
        for gpu, (_, name, a_cycle, source) in BOUNDED.items()
    }
    units = {"exponentials_a_cycle": EXPONENTIALS, "instructions_a_cycle": SCHEDULERS}
    return {"rates": rates, "units": units, "rows": found}


def loop_and_room(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and what its loop does in a tile, if it has one."""
    takes = counted(done)
    found = {name: takes[name] for name in ("registers", "spilled", "shared")}
    if not takes["exponentials"]:
        return found
    loop = loop_of(tell(done, "nvdisasm", "-c"))
    adds = (re.match(r"REDG?\.E\.ADD\.F32(?:x(\d))?", line) for line in loop)
    numbers = sum(int(add[1] or 1) for add in adds if add)
    return found | tile(done) | {"added": 32 * done.metadata.num_warps * numbers}


def gradients(gpu: str, size: int) -> list[dict[str, Any]]:
    """Compile the backward both ways; count a tile of each kernel's loop without a mask.

    Raises:
        ValueError: if a loop does not do the products, exponentials and atomic additions of its
            tile once each.
    """
    capability, inputs = BOUNDED[gpu][0], tensors(size)
    one = ATOMIC[gpu, size]
    blocks = dict(zip(GRADIENTS, (*backward_blocks(size, 2, capability), one), strict=True))
    found, causal = (
        backward(*inputs, mask, capability, loop_and_room)
        | {"one kernel": backward(*inputs, mask, capability, loop_and_room, one)["keys_kernel"]}
        for mask in (False, True)
    )
    rows = []
    for name, products in GRADIENTS.items():
        counts, cut = found[name], blocks[name]
        scores = cut.q * cut.k
        operations = 2 * products * scores * size
        told = counts["operations"] if gpu != "sm_100" else 0  # its instruction does not tell
        added = cut.q * size if name == "one kernel" else 0
        once = (counts["exponentials"], counts["added"]) == (scores, added)
        if not once or told not in (0, operations):
            raise ValueError(f"gradients: expected {operations} in {name}, got {counts}")
        where = {"gpu": gpu, "size": size, "kernel": name, "products": products}
        cut_as = {"blocks": [cut.q, cut.k], "warps": cut.warps, "stages": cut.stages}
        spilled = {"spilled_causal": causal[name]["spilled"]}
        rows.append({**where, **cut_as, **counts, **spilled, "operations": operations})
    return rows


def backwards() -> list[dict[str, Any]]:
    """Return a row for each kernel of the backward, both ways, with this Triton."""
    return [row for gpu, size in ATOMIC for row in gradients(gpu, size)]


TASKS = {"counts": (NAME, rows), "bounds": (BOUNDS, bounds), "backward": (BACKWARD, backwards)}


def main() -> None:
    """Compile all, and add this version of Triton to the record."""
    parser = command_line(__doc__, quick="")
    parser.add_argument("task", nargs="?", choices=TASKS, default="counts")
    task = parser.parse_args().task
    name, make = TASKS[task]
    try:
        result = recorded(name)[0]
    except ValueError:
        result = {}
    result[triton.__version__] = make()
    print(store(__file__, result, "" if task == "counts" else task, name))


if __name__ == "__main__":
    main()
