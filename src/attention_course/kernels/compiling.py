"""What Triton's compiler makes of a kernel, for a GPU that need not be there.

Compiling needs no GPU: a driver is put in the place of the real one, which says what to compile
for, and nothing is launched. What comes out is read with two tools of Triton's own wheel.
:func:`resources` does it for one cut of the forward; ``benchmarks/compiled_kernels.py`` does it
for many, and records them. Importing this module needs torch only.
"""

import importlib
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from attention_course.kernels.triton_variants import (
    DESCRIPTORS,
    HEAD_SIZES,
    SHARED,
    SPLIT,
    Blocks,
    Variant,
    multiplies_from_shared,
)
from attention_course.reference import device_sheets, occupancy

# The module; the package has its function under the same name.
DOOR: Any = importlib.import_module("attention_course.kernels.triton_attention")
GPUS = {f"sm_{major}{minor}": (major, minor) for major, minor in SHARED}
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
# Columns of a multiprocessor's tensor memory, which the Blackwell of data centres has.
MOST_COLUMNS = 512
# What a cut may be.
CHOICES = {
    "q": (16, 32, 64, 128, 256),
    "k": (16, 32, 64, 128, 256),
    "warps": (1, 2, 4, 8, 16),
    "stages": (1, 2, 3, 4, 5, 6, 7, 8),
}
OLDEST = (3, 6)  # of Triton: what Colab brings, and the oldest that the course compiles with
NO_TRITON = (
    "resources: expected Triton to be installed, got none. On Linux `pip install triton` "
    "brings its compiler (1 GB), which needs no GPU; what it makes of many cuts is on record: "
    'recorded("compiled_kernels_grid")'
)
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
        from triton.backends.compiler import GPUTarget

        self.target = GPUTarget("cuda", 10 * capability[0] + capability[1], 32)

    def get_current_target(self) -> Any:
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
    from triton.runtime import driver

    found: dict[str, dict[str, int]] = {}

    def launch(kernel: Any, grid: Any, *args: Any, blocks: Blocks, **fixed: Any) -> None:
        done = kernel.warmup(*args, **fixed, **DOOR.options(blocks), grid=grid)
        found[kernel.__name__] = count(done)

    before, real = (DOOR._launch, DOOR._capability), driver._active
    DOOR._launch, DOOR._capability = launch, lambda device: capability
    driver.set_active(Absent(capability))
    try:
        yield found
    finally:
        DOOR._launch, DOOR._capability = before
        driver.set_active(real)


def tool_says(done: Any, tool: str, option: str) -> str:
    """Return what a tool of Triton's own wheel says about a compiled kernel."""
    import triton

    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(done.asm["cubin"])
        file.flush()
        command = [str(tools / tool), option, file.name]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def taken(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes: of each thread in bytes what has no register."""
    said = tool_says(done, "cuobjdump", "-res-usage")
    used = re.search(r"REG:(\d+) STACK:(\d+)", said)
    assert used, said
    return {
        "shared": done.metadata.shared,
        "threads": 32 * done.metadata.num_warps,
        "registers": int(used[1]),
        "spilled": int(used[2]),
    }


def counts_of(done: Any) -> dict[str, int]:
    """Return what a compiled kernel takes, and how often the instructions are in it."""
    ptx, machine = done.asm["ptx"], tool_says(done, "nvdisasm", "-c")
    return {
        **taken(done),
        **{name: len(re.findall(text, ptx)) for name, text in COUNTED.items()},
        **{name: len(re.findall(text, machine)) for name, text in IN_MACHINE_CODE.items()},
    }


def loop_of(machine: str) -> list[str]:
    """Return the shortest loop that has products and exponentials: a tile without a mask.

    Where the loop is split it is in the program twice. What a branch inside of it may
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
    loop = loop_of(tool_says(done, "nvdisasm", "-c"))
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


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    causal: bool,
    step: Variant,
    blocks: Blocks,
    capability: tuple[int, int],
    count: Callable[[Any], dict[str, int]] = counts_of,
) -> dict[str, int]:
    """Compile the forward and count."""
    context, lse = torch.zeros_like(q), torch.zeros(q.shape[:-1])
    with compiling_for(capability, count) as found:
        DOOR._launch_forward(q, k, v, context, lse, causal, 0.1, step, blocks)
    return found["forward_kernel"]


def rates(gpu: str, size: int, blocks: Blocks, counts: dict[str, int]) -> dict[str, float]:
    """Bound how fast a forward can be by what its loop does in a tile, as ``tile`` counts it.

    The rates are in TFLOP/s, by the device's sheet: ``apart`` if the products wait for all
    else in a tile, at the rate that somebody measured for products, where there is one;
    ``overlapped`` if all goes on at once, at the sheet's own rate. A product that several warps
    do again takes its time and counts once.

    Args:
        gpu: a compute capability: "sm_90".
        size: of a head.
        blocks: that it was compiled with.
        counts: "issued", "exponentials" and "operations" of a tile.

    Returns:
        Both, by name; nothing for a GPU of which the course has no sheet.

    Raises:
        ValueError: if the loop does less than its tile's products and exponentials.
    """
    useful = 4 * blocks.q * blocks.k * size
    operations = counts["operations"] or useful  # 0: the instruction does not tell
    if counts["exponentials"] < blocks.q * blocks.k:
        raise ValueError(f"bound: expected an exponential a score, got {counts}")
    if operations < useful:
        raise ValueError(f"bound: expected {useful} operations, got {counts}")
    _, name, a_cycle, _ = BOUNDED.get(gpu, ((0, 0), "", 0, ""))
    if not name:
        return {}
    sheet = device_sheets()[name]
    peak = sheet.peak["bfloat16"]
    products = operations / a_cycle
    beside = max(counts["exponentials"] / EXPONENTIALS, counts["issued"] / SCHEDULERS)
    slower = peak / sheet.measured.get("bfloat16", peak)
    cycles = {"apart": products * slower + beside, "overlapped": max(products, beside)}
    return {way: round(1e-12 * peak * useful / a_cycle / n, 1) for way, n in cycles.items()}


def resources(gpu: str, d: int, *, causal: bool = False, blocks: Blocks) -> dict[str, Any]:
    """Compile the forward for a GPU, and say what it takes and how fast it can be at most.

    It is the step of the ladder that the course takes for that GPU: "descriptors" where the
    matrix unit reads shared memory, else "split"; in float16. No GPU is needed.

    Args:
        gpu: a compute capability, one of ``GPUS``: "sm_90".
        d: size of a head, 64 or 128.
        causal: whether later keys are hidden. The bounds are those of a tile without a mask.
        blocks: queries and keys in a block, warps and stages.

    Returns:
        A row as in the record ``compiled_kernels_grid``: the cut; "registers" of a thread;
        "spilled", bytes of a thread that found no register; "shared", bytes of a program;
        "programs", "occupancy" (to four places) and "limited_by", as
        :func:`~attention_course.reference.occupancy` says; "apart" and "overlapped", the bounds
        of :func:`rates`, in TFLOP/s; and "why" it does not compile or cannot run, else "". What
        is not known is None.

    Raises:
        ValueError: if an argument is none of these, or Triton is too old or interprets.
        ImportError: if there is no Triton.
    """
    _check(gpu, d, blocks)
    from triton.errors import TritonError

    q, k, v = tensors(d)
    step = DESCRIPTORS if multiplies_from_shared(GPUS[gpu]) else SPLIT
    row: dict[str, Any] = {"gpu": gpu, "d": d, "block_q": blocks.q, "block_k": blocks.k}
    row |= {"warps": blocks.warps, "stages": blocks.stages}
    row |= dict.fromkeys(("registers", "spilled", "shared", "programs", "occupancy"))
    row |= dict.fromkeys(("limited_by", "apart", "overlapped"))
    try:
        counts = forward(q, k, v, causal, step, blocks, GPUS[gpu], _taken_and_done)
    except (TritonError, RuntimeError) as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return row | {"why": f"it does not compile: {lines[0]}"}
    row |= {name: counts[name] for name in ("registers", "spilled", "shared")}
    names = ("threads", "registers", "shared")
    found = occupancy(gpu, **{name: counts[name] for name in names})
    row |= {"programs": found.programs, "occupancy": round(found.share, 4)}
    row |= {"limited_by": found.limited_by, "why": ""}
    if not found.programs:
        most = SHARED[GPUS[gpu]]
        return row | {"why": f"shared memory: at most {most} bytes, got {counts['shared']}"}
    if counts["columns"] > MOST_COLUMNS:
        got = f"at most {MOST_COLUMNS} columns, got {counts['columns']}"
        return row | {"why": f"tensor memory: {got}"}
    return row | rates(gpu, d, blocks, counts)


def _check(gpu: str, d: int, blocks: Blocks) -> None:
    """Refuse what cannot be compiled, before Triton is asked."""

    def expected(what: str, got: Any) -> ValueError:
        return ValueError(f"resources: expected {what}, got {got}")

    if gpu not in GPUS:
        raise expected(f"gpu to be one of {', '.join(GPUS)}", repr(gpu))
    if d not in HEAD_SIZES:
        raise expected(f"d to be {' or '.join(map(str, HEAD_SIZES))}", repr(d))
    if not isinstance(blocks, Blocks):
        raise expected("blocks to be Blocks(q, k, warps, stages)", repr(blocks))
    for name, choices in CHOICES.items():
        if getattr(blocks, name) not in choices:
            among = f"blocks.{name} to be one of {', '.join(map(str, choices))}"
            raise expected(among, getattr(blocks, name))
    try:
        import triton
    except ImportError as error:
        raise ImportError(NO_TRITON) from error
    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    if version < OLDEST:
        raise expected(f"Triton {OLDEST[0]}.{OLDEST[1]} or later", triton.__version__)
    if triton.knobs.runtime.interpret:
        raise expected(
            "Triton's compiler", "its interpreter: start Python without TRITON_INTERPRET"
        )


def _taken_and_done(done: Any) -> dict[str, int]:
    columns = getattr(done.metadata, "tmem_size", None) or 0
    return {**taken(done), **tile(done), "columns": columns}
