"""The tricks of the Triton forward, switched on one by one, and the blocks it works in.

Nothing here needs Triton or a GPU.
"""

from dataclasses import dataclass, replace

HEAD_SIZES = (64, 128)
# Shared memory that one program may have, in bytes, by compute capability (CUDA's own tables).
SHARED = {
    (8, 0): 166912,
    (8, 6): 101376,
    (8, 7): 166912,
    (8, 9): 101376,
    (9, 0): 232448,
    (10, 0): 232448,
    (12, 0): 101376,
}
LEAST_SHARED = 101376


def multiplies_from_shared(capability: tuple[int, int]) -> bool:
    """Return whether the matrix unit reads its factors from shared memory, queries too.

    It does on Hopper (9) and on the Blackwell of data centres (10, 11). Other GPUs bring the
    factors to registers first, and so does the Blackwell of graphics cards (12): although it
    fetches by descriptor, it computes as its predecessors do.

    >>> [multiplies_from_shared(c) for c in ((8, 9), (9, 0), (10, 0), (12, 0))]
    [False, True, True, False]
    """
    return (9, 0) <= capability < (12, 0)


@dataclass(frozen=True)
class Variant:
    """One way to compile the forward.

    Args:
        name: its name in the ladder.
        what: what it does, in a sentence.
        exp2: exponentials to base 2, with log2(e) folded into the scale.
        split: no mask on blocks that every query of the program sees whole.
        descriptors: blocks are fetched by descriptor, which Hopper's tensor memory accelerator
            does by itself.
        warp_specialise: one group of warps fetches, the others compute.
        tuned: tries several sizes of blocks and keeps the fastest; else one size for all.
    """

    name: str
    what: str
    exp2: bool = False
    split: bool = False
    descriptors: bool = False
    warp_specialise: bool = False
    tuned: bool = False


PLAIN = Variant("plain", "exponentials to base e, and a mask on every block")
EXP2 = replace(PLAIN, name="exp2", what="exponentials to base 2", exp2=True)
SPLIT = replace(EXP2, name="split", what="a mask only where something is hidden", split=True)
DESCRIPTORS = replace(
    SPLIT, name="descriptors", what="blocks fetched by descriptor", descriptors=True
)
# Triton's pass for Hopper takes a kernel with one loop, so the split is given up again.
SPECIALISED = replace(
    DESCRIPTORS,
    name="warp specialisation",
    what="one group of warps fetches, the others compute; one loop again, with masks",
    split=False,
    warp_specialise=True,
)
TUNED = replace(
    DESCRIPTORS, name="tuned blocks", what="the fastest of several block sizes", tuned=True
)
# Each adds one trick to what went before; only the last builds on the last but two.
LADDER = (PLAIN, EXP2, SPLIT, DESCRIPTORS, SPECIALISED, TUNED)


@dataclass(frozen=True)
class Blocks:
    """How a kernel cuts its work.

    Args:
        q: queries in a block.
        k: keys in a block.
        warps: groups of 32 threads that work on it.
        stages: how many blocks are on their way at once.
    """

    q: int
    k: int
    warps: int
    stages: int

    def shared(self, size: int, itemsize: int, capability: tuple[int, int]) -> int:
        """Return bytes of shared memory: keys and values on the way, and the queries' block.

        It is what Triton's compiler asks for, but for a few hundred bytes. Where the matrix
        unit reads registers, the queries pass through shared memory before the keys come.
        """
        moving = 2 * self.stages * self.k
        held = self.q + moving if multiplies_from_shared(capability) else max(self.q, moving)
        return held * size * itemsize


# The first is the one that every step of the ladder before the last works with.
_FORWARD = {
    64: (
        Blocks(128, 64, 4, 3),
        Blocks(128, 128, 8, 3),
        Blocks(128, 64, 8, 3),
        Blocks(128, 128, 8, 4),
        Blocks(128, 128, 4, 2),
        Blocks(64, 64, 4, 3),
    ),
    128: (
        Blocks(128, 64, 8, 3),
        Blocks(128, 64, 8, 4),
        Blocks(128, 128, 8, 2),
        Blocks(128, 128, 8, 3),
        Blocks(64, 128, 4, 2),
        Blocks(64, 64, 4, 3),
        Blocks(64, 64, 4, 2),
    ),
}
# For Blackwell the compiler finds no room in registers for this one, and spills.
_SPILLS = Blocks(128, 128, 4, 2)
SMALL = Blocks(64, 32, 4, 2)  # single precision, for comparison only
# Four warps to fetch, and two groups of four that compute. Later versions of Triton halve the
# block of 128 queries between the two, but not its descriptor, and refuse it.
_SPECIALISED = Blocks(128, 64, 4, 2), Blocks(64, 64, 4, 2)


def forward_blocks(
    size: int, itemsize: int, n_q: int, capability: tuple[int, int]
) -> list[Blocks]:
    """Return the blocks that are worth a try, the usual ones first.

    Those that need more shared memory than there is are left out, and so are blocks of 128
    queries where there are at most 64.

    Args:
        size: of a head.
        itemsize: bytes of a number.
        n_q: how many queries there are.
        capability: of the GPU, which says how much shared memory a program may have; one that
            is not in :data:`SHARED` gets the least.

    >>> [f"{b.q} x {b.k}" for b in forward_blocks(128, 2, 8192, (8, 6))]
    ['128 x 64', '64 x 64', '64 x 64']
    >>> [f"{b.q} x {b.k}" for b in forward_blocks(64, 2, 50, (9, 0))]
    ['64 x 64']
    """
    if itemsize > 2:
        return [SMALL]
    room = SHARED.get(capability, LEAST_SHARED) - 1024
    fit = [b for b in _FORWARD[size] if b.shared(size, itemsize, capability) <= room]
    if capability >= (10, 0):
        fit = [b for b in fit if b != _SPILLS]
    return [b for b in fit if b.q <= 64 or n_q > 64]


def specialised_blocks(triton_version: str) -> Blocks:
    """Return the blocks for warp specialisation.

    >>> specialised_blocks("3.6.0").q, specialised_blocks("3.9.0").q
    (128, 64)
    """
    major, minor = (int(part) for part in triton_version.split(".")[:2])
    return _SPECIALISED[(major, minor) > (3, 6)]


def backward_blocks(size: int, itemsize: int, capability: tuple[int, int]) -> list[Blocks]:
    """Return the blocks of the two kernels of the backward: for the keys, for the queries.

    They are those with which the compiler keeps all, or nearly all, in registers.
    """
    if itemsize > 2:
        return [Blocks(32, 32, 4, 1), Blocks(32, 32, 4, 1)]
    if size == 64:
        rows = 64 if multiplies_from_shared(capability) else 32
        return [Blocks(rows, 128, 8, 2), Blocks(128, 64, 8, 2)]
    if multiplies_from_shared(capability):
        for_keys = Blocks(32, 128, 8, 2) if capability < (10, 0) else Blocks(64, 64, 8, 2)
        return [for_keys, Blocks(128, 64, 8, 2)]
    return [Blocks(64, 64, 8, 2), Blocks(128, 32, 8, 3)]
