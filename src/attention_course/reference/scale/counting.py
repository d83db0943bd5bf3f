"""Layers by loops that count what they do, one multiplication and one addition at a time."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import one_of
from attention_course.reference._checked import checked
from attention_course.reference.scale.costs import LAYERS, positions_read

Vector = Sequence[float]
Matrix = Sequence[Vector]
Function = Callable[[float], float]
_SHAPES: dict[str, tuple[str, ...]] = {
    "rnn": ("d d", "d d"),
    "gru": ("d 3d", "d 3d"),
    "lstm": ("d 4d", "d 4d"),
    "convolution": ("w d d",),
    "dilated convolution": ("w d d",),
    "self-attention": ("d d", "d d", "d d", "d d"),
    "additive": ("d d", "d d", "d"),
}


class Tally:
    """Arithmetic on lists that counts itself.

    Attributes:
        operations: multiplications and additions so far.
        functions: evaluations of exp, tanh and the like so far.

    >>> tally = Tally()
    >>> tally.times([1.0, 2.0], [[1.0, 0.0, 3.0], [0.0, 1.0, 1.0]]), tally.operations
    ([1.0, 2.0, 5.0], 12)
    """

    def __init__(self) -> None:
        self.operations = 0
        self.functions = 0

    def dot(self, a: Vector, b: Vector) -> float:
        """Return a dot product: a multiplication and an addition for each component."""
        total = 0.0
        for x, y in zip(a, b, strict=True):
            total += x * y
            self.operations += 2
        return total

    def times(self, x: Vector, W: Matrix) -> list[float]:
        """Return a vector times a matrix: a dot product for each column."""
        _check_rows(x, W)
        return [self.dot(x, column) for column in zip(*W, strict=True)]

    def each(self, function: Function, x: Vector) -> list[float]:
        """Apply a function to every number."""
        self.functions += len(x)
        return [function(number) for number in x]

    def softmax(self, scores: Vector) -> list[float]:
        """Return the weights of a row of scores."""
        exps = self.each(math.exp, [e - max(scores) for e in scores])
        return [x / sum(exps) for x in exps]


@checked(layer=one_of(*LAYERS))
def layer_weights(
    layer: str, d: int, rng: np.random.RandomState, width: int = 1
) -> list[np.ndarray]:
    """Draw what :func:`run_counted` takes for a layer.

    Args:
        layer: one of ``LAYERS``.
        d: width of the layer.
        rng: the generator.
        width: how many positions a convolution reads.

    Returns:
        Its matrices; none for a layer that gets queries, keys and values.

    >>> [W.shape for W in layer_weights("lstm", 3, np.random.RandomState(0))]
    [(3, 12), (3, 12)]
    """
    sizes = {"d": d, "3d": 3 * d, "4d": 4 * d, "w": width}
    shapes = [[sizes[axis] for axis in shape.split()] for shape in _SHAPES.get(layer, ())]
    return [rng.standard_normal(shape) / math.sqrt(d) for shape in shapes]


@checked(layer=one_of(*LAYERS))
def run_counted(
    layer: str,
    x: Float[np.ndarray, "n d"],
    weights: Sequence[np.ndarray] = (),
    width: int = 1,
) -> tuple[Float[np.ndarray, "n d"], Tally]:
    """Run one layer by loops and count.

    A layer that gets queries, keys and values is given ``x`` three times.

    Args:
        layer: one of ``LAYERS``.
        x: the inputs, one a row.
        weights: from :func:`layer_weights`.
        width: see :func:`~attention_course.reference.scale.costs.positions_read`; the size of
            a block of keys where the layer is tiled.

    Returns:
        The outputs, and the tally with the counts.

    Source:
        Written for this course; each layer's formula is in the chapter that introduces it.

    >>> x = np.ones((5, 4))
    >>> run_counted("dot-product", x)[1].operations == 4 * 5 * 5 * 4
    True
    """
    rows = x.tolist()
    tally, n = Tally(), len(rows)
    given = [W.tolist() for W in weights]
    read = [positions_read(layer, i, n, width) for i in range(n)]
    if layer in ("rnn", "gru", "lstm"):
        out = {"rnn": _rnn, "gru": _gru, "lstm": _lstm}[layer](tally, rows, *given)
    elif layer.endswith("convolution"):
        ahead = width // 2 if layer == "convolution" else 0
        out = _convolution(tally, rows, given[0], ahead)
    elif layer == "self-attention":
        out = attention_counted(tally, rows, *given)
    elif layer == "additive":
        out = additive_counted(tally, rows, *given)
    elif layer == "linear":
        out = _linear(tally, rows)
    elif layer == "tiled":
        out = _tiled(tally, rows, width)
    else:
        out = [_attend(tally, rows[i], [rows[j] for j in read[i]]) for i in range(n)]
    return np.array(out), tally


def attention_counted(
    tally: Tally,
    x: Matrix,
    W_q: Matrix,
    W_k: Matrix,
    W_v: Matrix,
    W_o: Matrix,
) -> list[list[float]]:
    r"""Self-attention with its four projections, one number at a time.

    .. math:: O = \operatorname{softmax}\left(X W_q (X W_k)^\top / \sqrt d\right) X W_v W_o

    Args:
        tally: counts.
        x: the inputs, one a row.
        W_q: makes queries.
        W_k: makes keys.
        W_v: makes values.
        W_o: mixes the contexts.

    Returns:
        The outputs, one a row.

    Source:
        Vaswani et al. (2017), equation 1 with the projections of section 3.2.2.

    >>> tally, one = Tally(), [[1.0]]
    >>> attention_counted(tally, [[2.0], [2.0]], one, one, one, one), tally.operations
    ([[2.0], [2.0]], 32)
    """
    q = [tally.times(row, W_q) for row in x]
    k = [tally.times(row, W_k) for row in x]
    v = [tally.times(row, W_v) for row in x]
    outputs = []
    for q_i in q:
        scores = [tally.dot(q_i, k_j) / math.sqrt(len(q_i)) for k_j in k]
        context = tally.times(tally.softmax(scores), v)
        outputs.append(tally.times(context, W_o))
    return outputs


def additive_counted(
    tally: Tally, x: Matrix, W_q: Matrix, W_k: Matrix, w_v: Vector
) -> list[list[float]]:
    r"""Additive attention, with the sum and its tanh made anew for every pair.

    .. math:: e_{ij} = \mathbf w_v^\top \tanh(W_q \mathbf x_i + W_k \mathbf x_j)

    Args:
        tally: counts.
        x: the inputs, one a row; they are queries, keys and values.
        W_q: in front of the queries.
        W_k: in front of the keys.
        w_v: reads the score off.

    Returns:
        The contexts, one a row.

    Source:
        Bahdanau et al. (2015), appendix A.1.2, which projects each key only once.

    >>> tally = Tally()
    >>> additive_counted(tally, [[2.0], [2.0]], [[1.0]], [[1.0]], [1.0])
    [[2.0], [2.0]]
    >>> tally.functions
    8
    """
    asked = [tally.times(row, W_q) for row in x]
    told = [tally.times(row, W_k) for row in x]
    contexts = []
    for q_i in asked:
        hidden = [
            tally.each(math.tanh, [a + b for a, b in zip(q_i, k_j, strict=True)])
            for k_j in told
        ]
        scores = [tally.dot(w_v, h_ij) for h_ij in hidden]
        contexts.append(tally.times(tally.softmax(scores), x))
    return contexts


def _check_rows(x: Vector, W: Matrix) -> None:
    if len(W) != len(x):
        expected = f"as many rows as x has numbers, {len(x)}"
        raise ValueError(f"Tally.times: W must have {expected}, got {len(W)}")


def _attend(tally: Tally, q: Vector, others: Matrix) -> list[float]:
    scores = [tally.dot(q, k) / math.sqrt(len(q)) for k in others]
    return tally.times(tally.softmax(scores), others)


def _sigmoid(x: float) -> float:
    return 0.5 + 0.5 * math.tanh(x / 2)


def _rnn(tally: Tally, x: Matrix, W: Matrix, U: Matrix) -> Matrix:
    h, out = [0.0] * len(x[0]), []
    for row in x:
        drive = zip(tally.times(row, W), tally.times(h, U), strict=True)
        h = tally.each(math.tanh, [a + b for a, b in drive])
        out.append(h)
    return out


def _gru(tally: Tally, x: Matrix, W: Matrix, U: Matrix) -> Matrix:
    d = len(x[0])
    h, out = [0.0] * d, []
    for row in x:
        a, b = tally.times(row, W), tally.times(h, U)
        both = tally.each(_sigmoid, [a[i] + b[i] for i in range(2 * d)])
        new = [a[2 * d + i] + both[i] * b[2 * d + i] for i in range(d)]
        new = tally.each(math.tanh, new)
        h = [(1 - both[d + i]) * new[i] + both[d + i] * h[i] for i in range(d)]
        out.append(h)
    return out


def _lstm(tally: Tally, x: Matrix, W: Matrix, U: Matrix) -> Matrix:
    d = len(x[0])
    h, c, out = [0.0] * d, [0.0] * d, []
    for row in x:
        drive = zip(tally.times(row, W), tally.times(h, U), strict=True)
        sums = [a + b for a, b in drive]
        i, f, o = (tally.each(_sigmoid, sums[g * d : (g + 1) * d]) for g in (0, 1, 3))
        g = tally.each(math.tanh, sums[2 * d : 3 * d])
        c = [f[m] * c[m] + i[m] * g[m] for m in range(d)]
        h = [a * b for a, b in zip(o, tally.each(math.tanh, c), strict=True)]
        out.append(h)
    return out


def _convolution(
    tally: Tally, x: Matrix, kernel: Sequence[Matrix], ahead: int
) -> list[list[float]]:
    """Sum the rows around each position, each by the matrix of its tap."""
    out = []
    for i in range(len(x)):
        total = [0.0] * len(x[0])
        for j, tap in zip(range(i + ahead, i + ahead - len(kernel), -1), kernel, strict=True):
            if 0 <= j < len(x):
                part = tally.times(x[j], tap)
                total = [a + b for a, b in zip(total, part, strict=True)]
        out.append(total)
    return out


def _linear(tally: Tally, x: Matrix) -> Matrix:
    """Attend with elu(x) + 1 for the exponential: all that keys say fits into one matrix."""
    queries, keys = ([tally.each(_positive, row) for row in x] for _ in range(2))
    held = [tally.times(component, x) for component in zip(*keys, strict=True)]
    mass = [sum(component) for component in zip(*keys, strict=True)]
    out = []
    for q in queries:
        share = tally.dot(q, mass)
        out.append([a / share for a in tally.times(q, held)])
    return out


def _positive(x: float) -> float:
    return x + 1 if x > 0 else math.exp(x)


def _tiled(tally: Tally, x: Matrix, block: int) -> Matrix:
    """Attend to one block of keys after the other, with a running maximum and sum."""
    out = []
    for q in x:
        highest, total, context = -math.inf, 0.0, [0.0] * len(q)
        for first in range(0, len(x), block):
            keys = x[first : first + block]
            scores = [tally.dot(q, k) / math.sqrt(len(q)) for k in keys]
            new = max(highest, *scores)
            fade = math.exp(highest - new) if first else 0.0
            tally.functions += first > 0
            exps = tally.each(math.exp, [e - new for e in scores])
            part = tally.times(exps, keys)
            context = [fade * a + b for a, b in zip(context, part, strict=True)]
            highest, total = new, fade * total + sum(exps)
        out.append([a / total for a in context])
    return out
