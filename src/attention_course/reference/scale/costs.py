"""What one layer costs: operations, numbers kept, steps that wait, and how far a signal goes.

All of it follows from two things: what a position reads, and what is done for each reading.
"""

from collections import deque
from functools import cache
from typing import NamedTuple

from attention_course.reference._check import Call, below, one_of, whole
from attention_course.reference._checked import checked

RECURRENT = ("rnn", "gru", "lstm")
LOCAL = ("convolution", "dilated convolution", "windowed", "block-sparse")
ATTENTION = ("dot-product", "self-attention", "additive", "tiled", "linear")
LAYERS = (*RECURRENT, *LOCAL, *ATTENTION)
_GATES = {"rnn": 1, "gru": 3, "lstm": 4}

Node = tuple[int, int]  # depth in the stack, position in the sequence


class LayerCost(NamedTuple):
    """What one layer costs.

    Attributes:
        operations: multiplications and additions in products of matrices.
        functions: how often exp, tanh or a sigmoid is evaluated.
        kept: numbers that wait for the backward pass, beside inputs and parameters.
        steps: how many computations must wait for one another.
    """

    operations: int
    functions: int
    kept: int
    steps: int


def _odd(call: Call, argument: str, width: int) -> int:
    if not width % 2 and call["layer"] in ("convolution", "windowed"):
        raise call.fail(argument, "odd, with the position itself in the middle", width)
    return width


@checked(
    layer=one_of(*LAYERS),
    n=whole(1),
    width=(whole(1), _odd),
    i=(whole(0), below("n")),
    depth=whole(0),
)
def positions_read(
    layer: str,
    i: int,
    n: int,
    width: int = 1,
    depth: int = 0,
) -> list[int]:
    """Say which positions of the layer below one position reads.

    A recurrent layer also reads the position before it, in the layer itself. A dilated
    convolution looks back, with gaps that grow from layer to layer; the others look both ways.

    Args:
        layer: one of ``LAYERS``.
        i: the position that reads, from 0.
        n: length of the sequence.
        width: how many positions a convolution or a window reads, itself among them; the
            size of a block where attention is block-sparse. Others do not use it.
        depth: how many layers lie below, from 0; it sets the gaps of a dilated convolution.

    Returns:
        Positions from 0 to n - 1, in order.

    Source:
        Vaswani et al. (2017), section 4; for gaps, Kalchbrenner et al. (2016); for blocks of
        which one is global, Zaheer et al. (2020).

    >>> positions_read("windowed", 0, 7, width=3), positions_read("convolution", 4, 7, width=3)
    ([0, 1], [3, 4, 5])
    """
    if layer in RECURRENT:
        return [i]
    if layer in ("convolution", "windowed"):
        half = width // 2
        return list(range(max(0, i - half), min(n, i + half + 1)))
    if layer == "dilated convolution":  # looks back, farther in each layer
        return list(range(i, -1, -(width**depth)))[:width][::-1]
    if layer == "block-sparse":  # its own block, those beside it, the first
        blocks, mine = [j // width for j in range(n)], i // width
        near = [0 in (b, mine) or abs(b - mine) < 2 for b in blocks]
        return [j for j in range(n) if near[j]]
    return list(range(n))


@checked(
    layer=one_of(*LAYERS), n=whole(1), width=(whole(1), _odd), start=(whole(0), below("n"))
)
def signal_spread(
    layer: str,
    n: int,
    start: int,
    width: int = 1,
) -> dict[Node, Node | None]:
    """Follow a signal from an input to all places that it can reach, the nearest first.

    Breadth-first search: from all places that it can have reached in s steps to those that it
    can reach in s + 1. A step leads to a position that reads the present one. The search ends
    when the signal has arrived at every position, or can go no farther.

    Args:
        layer: one of ``LAYERS``.
        n: length of the sequence.
        start: the input's position, from 0.
        width: see :func:`positions_read`.

    Returns:
        For each place (depth, position) the place that the signal came from; for the input,
        at depth 0, None.

    Source:
        Vaswani et al. (2017), section 4 ("maximum path length").

    >>> list(signal_spread("windowed", 3, 0, width=3))
    [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
    """
    came_from: dict[Node, Node | None] = {(0, start): None}
    waiting, missing = deque(came_from), set(range(n))
    while waiting and missing:
        depth, j = waiting.popleft()
        readers = _readers(layer, n, width, depth)[j] if depth < n else ()
        steps = [(depth + 1, i) for i in readers]
        if layer in RECURRENT and depth and j + 1 < n:
            steps.append((depth, j + 1))
        for place in steps:
            if place not in came_from:
                came_from[place] = (depth, j)
                waiting.append(place)
                missing.discard(place[1])
    return came_from


@checked(
    layer=one_of(*LAYERS),
    n=whole(1),
    width=(whole(1), _odd),
    start=(whole(0), below("n")),
    end=(whole(0), below("n")),
)
def signal_path(
    layer: str,
    n: int,
    start: int,
    end: int,
    width: int = 1,
) -> list[Node]:
    """Find a shortest way of a signal, from an input to an output at the end of a stack.

    Args:
        layer: one of ``LAYERS``.
        n: length of the sequence.
        start: the input's position, from 0.
        end: the output's position, from 0.
        width: see :func:`positions_read`.

    Returns:
        Places (depth, position) from the input, at depth 0, to the output; empty if no signal
        arrives. The path's length is one less than the number of places.

    Source:
        Vaswani et al. (2017), section 4 ("maximum path length").

    >>> signal_path("rnn", 4, 0, 3)
    [(0, 0), (1, 0), (1, 1), (1, 2), (1, 3)]
    >>> signal_path("self-attention", 4, 0, 3)
    [(0, 0), (1, 3)]
    """
    came_from = signal_spread(layer, n, start, width)
    place = next((place for place in came_from if place[0] and place[1] == end), None)
    path = []
    while place is not None:
        path.append(place)
        place = came_from[place]
    return path[::-1]


@checked(layer=one_of(*LAYERS), n=whole(1), width=(whole(1), _odd))
def maximum_path(layer: str, n: int, width: int = 1) -> int:
    """Return the length of the longest of all shortest ways between two positions.

    Pairs between which nothing travels, such as backwards in a recurrent layer, do not count.

    Args:
        layer: one of ``LAYERS``.
        n: length of the sequence.
        width: see :func:`positions_read`.

    Returns:
        How many steps the farthest signal takes.

    Source:
        Vaswani et al. (2017), table 1.

    >>> [maximum_path(layer, 9, width=3) for layer in ("rnn", "convolution", "linear")]
    [9, 8, 1]
    """
    longest = 0
    for start in range(n):
        steps: dict[Node, int] = {}
        arrived: dict[int, int] = {}
        for place, before in signal_spread(layer, n, start, width).items():
            steps[place] = 0 if before is None else steps[before] + 1
            if place[0]:
                arrived.setdefault(place[1], steps[place])
        longest = max(longest, *arrived.values())
    return longest


@checked(layer=one_of(*LAYERS), n=whole(1))
def waiting_steps(layer: str, n: int, writing: bool = False) -> int:
    """Count the computations of one layer that must wait for one another.

    A position is ready one step after the last of those that it waits for. In a recurrent
    layer that is the position before it. When a model *writes*, each position waits for the one
    before in any layer, because its input is the word that was written there.

    Args:
        layer: one of ``LAYERS``.
        n: length of the sequence.
        writing: whether the words are written one by one, rather than all known.

    Returns:
        The number of steps.

    Source:
        Vaswani et al. (2017), table 1 ("sequential operations"), for words that are known.

    >>> [waiting_steps(layer, 100) for layer in ("lstm", "self-attention")]
    [100, 1]
    >>> waiting_steps("self-attention", 100, writing=True)
    100
    """
    ready: list[int] = []
    for i in range(n):
        waits = i > 0 and (writing or layer in RECURRENT)
        ready.append(1 + (ready[i - 1] if waits else 0))
    return max(ready)


@checked(layer=one_of(*LAYERS), n=whole(1), width=(whole(1), _odd), d=whole(1))
def layer_costs(layer: str, n: int, d: int, width: int = 1) -> LayerCost:
    r"""Count what one layer of width d does with n positions, one head, one sequence.

    .. math:: F_\text{self-attention} = 8 n d^2 + 4 n^2 d, \qquad F_\text{rnn} = 4 n d^2

    A multiplication and an addition are two operations. Only products of matrices count among
    them, as is usual: the rest is counted where it is dear (``functions``). "dot-product",
    "windowed", "block-sparse", "tiled" and "linear" get queries, keys and values; only
    "self-attention" makes them itself and projects its output. "tiled" is the exact form that
    keeps no weights; it is counted with the keys in one block, and each further block costs an
    exponential more for each query.

    Args:
        layer: one of ``LAYERS``.
        n: length of the sequence.
        d: width of the layer, in and out.
        width: see :func:`positions_read`.

    Returns:
        The four counts.

    Source:
        Vaswani et al. (2017), table 1, which gives orders; the constants are counted by
        :func:`~attention_course.reference.scale.counting.run_counted`.

    >>> layer_costs("self-attention", 512, 512).operations / 4 / 512**3
    3.0
    >>> layer_costs("additive", 512, 512).kept // layer_costs("dot-product", 512, 512).kept
    513
    """
    pairs = n * n
    if layer in LOCAL:
        pairs = sum(len(positions_read(layer, i, n, width)) for i in range(n))
    steps = waiting_steps(layer, n)
    if layer in RECURRENT:
        gates = _GATES[layer]
        functions = n * d * {"rnn": 1, "gru": 3, "lstm": 5}[layer]
        kept = n * d * {"rnn": 1, "gru": 6, "lstm": 7}[layer]
        return LayerCost(4 * gates * n * d**2, functions, kept, steps)
    if layer.endswith("convolution"):
        return LayerCost(2 * pairs * d**2, 0, 0, steps)
    if layer == "linear":
        return LayerCost(4 * n * d**2 + 2 * n * d, 2 * n * d, 3 * n * d + d**2 + d + n, steps)
    if layer == "additive":
        operations = 4 * n * d**2 + 4 * pairs * d
        return LayerCost(operations, pairs * d + pairs, pairs * d + pairs, steps)
    own = {"self-attention": 8 * n * d**2}.get(layer, 0)
    kept = {"self-attention": pairs + 4 * n * d, "tiled": n * d + n}.get(layer, pairs)
    return LayerCost(own + 4 * pairs * d, pairs, kept, steps)


@cache
def _readers(layer: str, n: int, width: int, depth: int) -> list[list[int]]:
    """Return for each position those of the layer above that read it."""
    if depth and layer != "dilated convolution":
        return _readers(layer, n, width, 0)
    readers: list[list[int]] = [[] for _ in range(n)]
    for i in range(n):
        for j in positions_read(layer, i, n, width, depth):
            readers[j].append(i)
    return readers
