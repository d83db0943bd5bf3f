"""What Triton's compiler makes of the kernels, for GPUs that this machine does not have.

It needs Triton: ``make kernels`` brings it into an environment, whose Python runs this. For one
version of Triton the counts are the same on every machine. Run it with each version in turn;
the record keeps both.
"""

import importlib
import itertools
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import triton
from shared import command_line, store
from triton.backends.compiler import GPUTarget

from attention_course.kernels.triton_variants import (
    LADDER,
    SHARED,
    Blocks,
    Variant,
    forward_blocks,
    specialised_blocks,
)
from attention_course.measure import recorded

NAME = "compiled_kernels"
# The module; the package has its function under the same name.
DOOR: Any = importlib.import_module("attention_course.kernels.triton_attention")
GPUS = {"sm_80": (8, 0), "sm_90": (9, 0)}
SIZES = (64, 128)
# What is counted in the compiler's output, and the instruction that it is known by.
COUNTED = {
    "wgmma": r"wgmma\.mma_async",
    "mma": r"mma\.sync",
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
def compiling_for(capability: tuple[int, int]) -> Iterator[dict[str, dict[str, int]]]:
    """Let the door compile kernels and run none; yield what came, by the kernel's name."""
    found: dict[str, dict[str, int]] = {}

    def launch(kernel: Any, grid: Any, *args: Any, blocks: Blocks, **fixed: Any) -> None:
        done = kernel.warmup(*args, **fixed, **DOOR.options(blocks), grid=grid)
        found[kernel.__name__] = counted(done)

    before = DOOR._launch, DOOR._capability
    DOOR._launch, DOOR._capability = launch, lambda device: capability
    triton.runtime.driver.set_active(Absent(capability))
    try:
        yield found
    finally:
        DOOR._launch, DOOR._capability = before


def counted(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and how often the instructions stand in it."""
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(done.asm["cubin"])
        file.flush()
        said, machine = (
            subprocess.run(
                [tools / tool, option, file.name], capture_output=True, text=True, check=True
            ).stdout
            for tool, option in (("cuobjdump", "-res-usage"), ("nvdisasm", "-c"))
        )
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


def tensors(size: int, dtype: torch.dtype = torch.float16) -> list[torch.Tensor]:
    """Return four heads of queries, two of keys and values; no length is a multiple of 16."""
    shapes = ((2, 4, 300, size), (2, 2, 333, size), (2, 2, 333, size))
    return [torch.zeros(shape, dtype=dtype) for shape in shapes]


def steps(capability: tuple[int, int]) -> list[Variant]:
    """Return the steps of the ladder that a GPU of this capability can take."""
    new = capability >= (9, 0)
    return [step for step in LADDER if new or not (step.descriptors or step.warp_specialise)]


def blocks_of(
    step: Variant, size: int, itemsize: int, capability: tuple[int, int]
) -> list[Blocks]:
    """Return the blocks with which a step is compiled: all that it tries."""
    if step.warp_specialise:
        return [specialised_blocks(triton.__version__)]
    choices = forward_blocks(size, itemsize, 8192, SHARED[capability])
    return choices if step.tuned else choices[:1]


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    step: Variant,
    blocks: Blocks,
    capability: tuple[int, int],
) -> dict[str, int]:
    """Compile the forward and count."""
    context, lse = torch.zeros_like(q), torch.zeros(q.shape[:-1])
    with compiling_for(capability) as found:
        DOOR._launch_forward(q, k, v, context, lse, causal, 0.1, step, blocks)
    return found["forward_kernel"]


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    capability: tuple[int, int],
) -> dict[str, dict[str, int]]:
    """Compile the three kernels of the backward and count."""
    lse = torch.zeros(q.shape[:-1])
    with compiling_for(capability) as found:
        DOOR._backward(q, k, v, q, lse, torch.zeros_like(q), lse, causal, 0.1)
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


def main() -> None:
    """Compile all, and add this version of Triton to the record."""
    command_line(__doc__, quick="").parse_args()
    try:
        result = recorded(NAME)[0]
    except ValueError:
        result = {}
    result[triton.__version__] = rows()
    print(store(__file__, result, name=NAME))


if __name__ == "__main__":
    main()
