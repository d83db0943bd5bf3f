"""What Triton's compiler makes of the kernels, for GPUs that this machine does not have.

It needs Triton: ``.venv-kernels/bin/python benchmarks/compiled_kernels.py``, where that
environment has been made. For one version of Triton the counts are the same on every machine.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget

from attention_course.kernels import triton_attention as door
from attention_course.kernels.triton_variants import LADDER, SHARED, Blocks, forward_blocks

CAPABILITIES = {"sm_80": (8, 0), "sm_90": (9, 0)}
DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
SIZES = (64, 128)
# What is counted in the compiler's output, and the instruction that it is known by.
COUNTED = {
    "wgmma": r"wgmma\.mma_async",
    "mma": r"mma\.sync",
    "descriptor_loads": r"cp\.async\.bulk\.tensor",
    "copies": r"cp\.async\.c[ag]",
    "exponentials": r"ex2\.approx",
    "selections": r"selp\.[bf]32",
    "hand_overs": r"setmaxnreg",
}


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
    """Let the kernels be compiled and not run; yield what came, by the kernel's name."""
    found: dict[str, dict[str, int]] = {}

    def launch(kernel: Any, grid: Any, *args: Any, blocks: Blocks, **fixed: Any) -> None:
        done = kernel.warmup(
            *args, **fixed, num_warps=blocks.warps, num_stages=blocks.stages, grid=grid
        )
        found[kernel.__name__] = counted(done)

    before = door._launch, door._capability
    door._launch, door._capability = launch, lambda q: capability
    triton.runtime.driver.set_active(Absent(capability))
    try:
        yield found
    finally:
        door._launch, door._capability = before


def counted(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and how often the instructions stand in it."""
    tool = Path(triton.__file__).parent / "backends/nvidia/bin/cuobjdump"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(done.asm["cubin"])
        file.flush()
        command = [tool, "-res-usage", file.name]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    used = re.search(r"REG:(\d+) STACK:(\d+)", said)
    assert used, said
    ptx = done.asm["ptx"]
    return {
        "shared": done.metadata.shared,
        "threads": 32 * done.metadata.num_warps,
        "registers": int(used[1]),
        "spilled": int(used[2]),
        **{name: len(re.findall(text, ptx)) for name, text in COUNTED.items()},
    }


def tensors(dtype: torch.dtype, size: int) -> list[torch.Tensor]:
    """Return queries of four heads, keys and values of two; the lengths are no multiples."""
    return [
        torch.zeros(2, heads, n, size, dtype=dtype)
        for heads, n in ((4, 300), (2, 333), (2, 333))
    ]


def steps(capability: tuple[int, int]) -> list[Any]:
    """Return the steps of the ladder that a GPU of this capability can take."""
    return [
        s for s in LADDER if capability >= (9, 0) or not (s.descriptors or s.warp_specialise)
    ]
