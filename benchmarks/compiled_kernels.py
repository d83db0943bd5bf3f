"""What Triton's compiler makes of the kernels, for GPUs that this machine does not have.

It needs Triton: ``make kernels`` brings it into an environment, whose Python runs this. For one
version of Triton the counts are the same on every machine. Run it with each version in turn;
the record keeps both.

``counts`` says what is in the whole of each kernel. ``bounds`` takes the loop of the
forward alone, counts what one tile costs each unit of a multiprocessor, and says how fast the
kernel can be at most. ``backward`` counts the same in the loops of the backward: as it is, with
seven products in two kernels, and with five in one, which adds by atomics. ``grid`` compiles
the forward with many blocks, and says what each takes, how many programs a multiprocessor
holds and the bounds. Nothing is timed.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

import torch
import triton
from shared import command_line, store

from attention_course.kernels.compiling import (
    BOUNDED,
    DOOR,
    EXPONENTIALS,
    SCHEDULERS,
    compiling_for,
    counts_of,
    forward,
    loop_of,
    rates,
    resources,
    tensors,
    tile,
    tool_says,
)
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

NAME = "compiled_kernels"
BOUNDS = "compiled_kernels_bounds"
BACKWARD = "compiled_kernels_backward"
GRID = "compiled_kernels_grid"
GPUS = {"sm_80": (8, 0), "sm_90": (9, 0)}
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
# What the grid takes in turn: queries and keys in a block, warps and stages.
GRID_GPUS = ("sm_80", "sm_90", "sm_100")
CUTS = [
    Blocks(*cut) for cut in itertools.product((64, 128), (32, 64, 128), (4, 8), (1, 2, 3, 4))
]


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


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    capability: tuple[int, int],
    count: Callable[[Any], dict[str, int]] = counts_of,
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

    Raises:
        ValueError: if the loop does not do its tile's products once.
    """
    q, k, v = tensors(size)
    counts = forward(q, k, v, False, step, blocks, BOUNDED[gpu][0], tile)
    operations = 4 * blocks.q * blocks.k * size
    if counts["operations"] not in (0, operations):  # 0: the instruction does not tell
        raise ValueError(f"bound: expected {operations} operations, got {counts}")
    return {
        "gpu": gpu,
        "size": size,
        "step": step.name,
        "blocks": [blocks.q, blocks.k],
        "warps": blocks.warps,
        "stages": blocks.stages,
        **counts,
        "operations": operations,
        **rates(gpu, size, blocks, counts),
    }


def bounds() -> dict[str, Any]:
    """Return what is taken for granted, and a row for each forward, with this Triton."""
    found = [
        bound(gpu, size, step, blocks)
        for (gpu, (capability, *_)), size in itertools.product(BOUNDED.items(), SIZES)
        for step in steps(capability)
        if not step.warp_specialise  # its warps do not all run the same loop
        for blocks in blocks_of(step, size, 2, capability)
    ]
    sheets = {
        gpu: {"device": name, "operations_a_cycle": a_cycle, "source": source}
        for gpu, (_, name, a_cycle, source) in BOUNDED.items()
    }
    units = {"exponentials_a_cycle": EXPONENTIALS, "instructions_a_cycle": SCHEDULERS}
    return {"rates": sheets, "units": units, "rows": found}


def loop_and_room(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and what its loop does in a tile, if it has one."""
    takes = counts_of(done)
    found = {name: takes[name] for name in ("registers", "spilled", "shared")}
    if not takes["exponentials"]:
        return found
    loop = loop_of(tool_says(done, "nvdisasm", "-c"))
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


def grid() -> dict[str, Any]:
    """Return a row for each cut of the forward, with this Triton."""
    cases = itertools.product(GRID_GPUS, SIZES, CUTS)
    return {"rows": [resources(gpu, size, blocks=blocks) for gpu, size, blocks in cases]}


TASKS = {
    "counts": (NAME, rows),
    "bounds": (BOUNDS, bounds),
    "backward": (BACKWARD, backwards),
    "grid": (GRID, grid),
}


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
