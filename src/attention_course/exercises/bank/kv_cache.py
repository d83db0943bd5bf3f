"""Causal attention with a memory: keys and values are kept, so that nothing is done twice."""

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("weights", "context")
NEW = Call("KeyValueCache")


def _step(rng, m, d_k, d_v, batch=(), on=0):
    q, k = rng.standard_normal((2, *batch, m, d_k))
    return Call("step", (q, k, rng.standard_normal((*batch, m, d_v))), on=on, returns=RETURNS)


def _append(rng, m, d_k, d_v, batch=(), on=0):
    k = rng.standard_normal((*batch, m, d_k))
    return Call("append", (k, rng.standard_normal((*batch, m, d_v))), on=on)


def _length(on=0):
    return Call("$get", ("length",), on=on, returns=("length",))


def _one_by_one(rng):
    return [NEW, *(_step(rng, 1, 3, 5) for _ in range(4)), _length()]


def _equal_sizes(rng):
    return [NEW, *(_step(rng, 1, 4, 4) for _ in range(4))]


def _empty(rng):
    return [NEW, _length(), _step(rng, 1, 5, 2), _length()]


def _prompt_then_steps(rng):
    return [NEW, _step(rng, 5, 4, 3), _length(), _step(rng, 1, 4, 3), _step(rng, 1, 4, 3)]


def _pieces(rng):
    return [NEW, *(_step(rng, m, 6, 2) for m in (2, 4, 3)), _length()]


def _appended(rng):
    return [NEW, _append(rng, 4, 3, 2), _step(rng, 2, 3, 2), _append(rng, 1, 3, 2), _length()]


def _heads(rng):
    pieces = [_step(rng, m, 4, 7, (2, 3)) for m in (3, 1, 2)]
    return [NEW, *pieces, _append(rng, 2, 4, 7, (2, 3)), _step(rng, 1, 4, 7, (2, 3)), _length()]


def _heads_like_positions(rng):
    return [NEW, *(_step(rng, 2, 2, 2, (2, 2)) for _ in range(2)), _length()]


def _two(rng):
    first, second = [_step(rng, 2, 3, 5, on=on) for on in (0, 1)]
    return [NEW, NEW, first, second, _length(0), _step(rng, 1, 3, 5, on=0), _length(1)]


def _a_new_one(rng):
    return [NEW, _step(rng, 3, 2, 4), NEW, _length(2), _step(rng, 2, 2, 4, on=2)]


EXERCISE = Exercise(
    slug="kv-cache",
    title="A cache that forgets nothing and shares nothing",
    chapter="transformer/transformer-block",
    family="positions",
    target="KeyValueCache",
    minutes=25,
    statement=(
        "Write a class that attends causally, a piece of text at a time. `append(k, v)` keeps "
        "the keys and values of $m$ new positions, of the shapes `(..., m, d_k)` and `(..., "
        "m, d_v)`, and returns nothing. `step(q, k, v)` keeps them too, lets the $m$ new "
        "queries, `(..., m, d_k)`, attend to everything kept so far, and returns the weights, "
        "`(..., m, n)`, and the context, `(..., m, d_v)`, where $n$ counts all positions "
        "kept, the new ones included. `length` is that $n$, 0 in a new cache. In place of "
        "the dots stand any number of batch axes."
    ),
    contract=(
        "Keys and values are kept in the order in which they came.",
        "The pieces of one text may have different lengths; $m$ is at least 1.",
        "A new position sees all earlier positions and itself, and no later one of its own "
        "piece.",
        "A score is the dot product of a query with a key, divided by $\\sqrt{d_k}$; what may "
        "not be seen has weight 0.",
        "Each cache has a memory of its own: what one keeps never appears in another.",
        "If every piece comes by `step`, the results together are those of causal attention on "
        "the whole text.",
        "The arguments are left as they were.",
        "`step` returns two arrays, the weights first.",
    ),
    stub='''\
class KeyValueCache:
    """Keeps keys and values, and attends to all of them."""

    def __init__(self):
        raise NotImplementedError

    @property
    def length(self):
        """How many positions are kept."""
        raise NotImplementedError

    def append(self, k, v):
        """Keep the keys (..., m, d_k) and the values (..., m, d_v) of m positions."""
        raise NotImplementedError

    def step(self, q, k, v):
        """Keep k and v; return the weights (..., m, n) and the context (..., m, d_v)."""
        raise NotImplementedError
''',
    solution='''\
import numpy as np


class KeyValueCache:
    """Keeps keys and values, and attends to all of them."""

    def __init__(self):
        self.k = self.v = None

    @property
    def length(self):
        """How many positions are kept."""
        return 0 if self.k is None else self.k.shape[-2]

    def append(self, k, v):
        """Keep the keys (..., m, d_k) and the values (..., m, d_v) of m positions."""
        if self.k is not None:
            k = np.concatenate([self.k, k], axis=-2)
            v = np.concatenate([self.v, v], axis=-2)
        self.k, self.v = k, v

    def step(self, q, k, v):
        """Keep k and v; return the weights (..., m, n) and the context (..., m, d_v)."""
        self.append(k, v)
        m, n = q.shape[-2], self.length
        scores = q @ np.swapaxes(self.k, -1, -2) / np.sqrt(q.shape[-1])
        i, j = np.arange(n - m, n)[:, None], np.arange(n)
        scores = np.where(j <= i, scores, -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights, weights @ self.v
''',
    hints=(
        "Let step call append first: then the new position is among those it can see.",
        "A piece of m positions behind 5 kept ones: its first query stands at position 5, and "
        "may see 6 keys.",
        "Positions stand on the last axis but one, whatever stands in front.",
    ),
    points={"one position at a time": 2, "pieces": 2, "batches": 1, "two caches": 1},
    probes=(
        Probe("four steps of one position", "one position at a time", _one_by_one),
        Probe(
            "as many steps as features",
            "one position at a time",
            _equal_sizes,
            hint="Here a wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a new cache is empty", "one position at a time", _empty),
        Probe("five positions at once, then two steps", "pieces", _prompt_then_steps),
        Probe(
            "pieces of two, four and three positions",
            "pieces",
            _pieces,
            hint="In each piece a position may see the piece up to itself.",
        ),
        Probe("four positions appended before the first step", "pieces", _appended),
        Probe("two texts with three heads", "batches", _heads),
        Probe(
            "as many texts and heads as positions",
            "batches",
            _heads_like_positions,
            hint="Pieces are joined along the axis of the positions.",
        ),
        Probe(
            "two caches in turn",
            "two caches",
            _two,
            hint="What one cache keeps must not appear in the other.",
        ),
        Probe("a second cache starts empty", "two caches", _a_new_one),
    ),
    wrong=(
        Wrong(
            "all caches share one list",
            "sharing",
            "When is that list made: once for the class, or once for each cache?",
            source="""\
import numpy as np


class KeyValueCache:
    keys, values = [], []

    @property
    def length(self):
        return sum(k.shape[-2] for k in self.keys)

    def append(self, k, v):
        self.keys.append(k)
        self.values.append(v)

    def step(self, q, k, v):
        self.append(k, v)
        k = np.concatenate(self.keys, axis=-2)
        v = np.concatenate(self.values, axis=-2)
        m, n = q.shape[-2], self.length
        scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(m, n, n - m, dtype=bool), scores, -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights, weights @ v
""",
        ),
        Wrong(
            "the newest keys and values replace the earlier ones",
            "memory",
            "How many keys should the second step see?",
            (("if self.k is not None:", "if False:"),),
        ),
        Wrong(
            "new keys and values are put in front",
            "memory",
            "In which order should they stand?",
            (("[self.k, k]", "[k, self.k]"), ("[self.v, v]", "[v, self.v]")),
        ),
        Wrong(
            "only the keys are put in front",
            "memory",
            "Does each key still stand beside its own value?",
            (("[self.k, k]", "[k, self.k]"),),
        ),
        Wrong(
            "append keeps a piece in an empty cache alone",
            "memory",
            "Print length after each step.",
            (("self.k, self.v = k, v", "    return\n        self.k, self.v = k, v"),),
        ),
        Wrong(
            "append keeps nothing, only step does",
            "memory",
            "What is length after append alone?",
            (
                (
                    "def append(self, k, v):",
                    "def append(self, k, v):\n        pass\n\n    def _keep(self, k, v):",
                ),
                ("self.append(k, v)", "self._keep(k, v)"),
            ),
        ),
        Wrong(
            "the earlier keys are kept, the earlier values are not",
            "memory",
            "How many values does the second step need?",
            (("self.k, self.v = k, v", "self.k, self.v = k, v[..., -1:, :]"),),
        ),
        Wrong(
            "the newest key and value are kept after the step",
            "memory",
            "May a position see itself?",
            source="""\
import numpy as np


class KeyValueCache:
    def __init__(self):
        self.k = self.v = None

    @property
    def length(self):
        return 0 if self.k is None else self.k.shape[-2]

    def append(self, k, v):
        if self.k is not None:
            k = np.concatenate([self.k, k], axis=-2)
            v = np.concatenate([self.v, v], axis=-2)
        self.k, self.v = k, v

    def step(self, q, k, v):
        if self.k is None:
            self.append(k, v)
            late = 0
        else:
            late = q.shape[-2]
        m, n = q.shape[-2], self.length
        scores = q @ np.swapaxes(self.k, -1, -2) / np.sqrt(q.shape[-1])
        scores = np.where(np.tri(m, n, n - m + late, dtype=bool), scores, -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        context = weights @ self.v
        if late:
            self.append(k, v)
        return weights, context
""",
        ),
        Wrong(
            "keys are divided by the root of d_k each time they are kept",
            "memory",
            "What happens to the first key at the third step?",
            (
                ("self.k, self.v = k, v", "self.k, self.v = k / np.sqrt(k.shape[-1]), v"),
                (" / np.sqrt(q.shape[-1])", ""),
            ),
        ),
        Wrong(
            "keys and values are exchanged where they have the same shape",
            "memory",
            "Keys are compared, values are brought along.",
            (
                (
                    "self.k, self.v = k, v",
                    "self.k, self.v = k, v\n        if k.shape == v.shape:\n"
                    "            self.k, self.v = v, k",
                ),
            ),
        ),
        Wrong(
            "pieces are joined along the first axis",
            "axis",
            "With batches, which axis holds the positions?",
            (
                ("[self.k, k], axis=-2", "[self.k, k], axis=0"),
                ("[self.v, v], axis=-2", "[self.v, v], axis=0"),
            ),
        ),
        Wrong(
            "length counts the pieces",
            "length",
            "A piece may hold more than one position.",
            (
                ("self.k = self.v = None", "self.k = self.v = None\n        self.pieces = 0"),
                ("return 0 if self.k is None else self.k.shape[-2]", "return self.pieces"),
                ("self.k, self.v = k, v", "self.k, self.v = k, v\n        self.pieces += 1"),
                ("m, n = q.shape[-2], self.length", "m, n = q.shape[-2], self.k.shape[-2]"),
            ),
        ),
        Wrong(
            "length is that of the first axis",
            "length",
            "With batches, which axis holds the positions?",
            (
                ("else self.k.shape[-2]", "else self.k.shape[0]"),
                ("m, n = q.shape[-2], self.length", "m, n = q.shape[-2], self.k.shape[-2]"),
            ),
        ),
        Wrong(
            "a piece sees its own future",
            "mask",
            "In a piece of five, what may the first position see?",
            (("j <= i", "j <= n"),),
        ),
        Wrong(
            "the causal mask counts a piece's positions from 0",
            "mask",
            "Where does the first query of the second piece stand?",
            (("np.arange(n - m, n)[:, None]", "np.arange(m)[:, None]"),),
        ),
        Wrong(
            "a position sees one later position",
            "mask",
            "In a piece of five, what may the first position see?",
            (("j <= i", "j <= i + 1"),),
        ),
        Wrong(
            "a position does not see itself",
            "mask",
            "What could the very first position see then?",
            (("j <= i", "j < i"),),
        ),
        Wrong(
            "a position sees its own piece only",
            "mask",
            "What is the cache for?",
            (("j <= i", "(j <= i) & (j >= n - m)"),),
        ),
        Wrong(
            "later positions get the score 0",
            "mask",
            "What is the exponential of 0?",
            (("-np.inf", "0.0"),),
        ),
        Wrong(
            "the weights of later positions are set to 0 after the softmax",
            "mask",
            "What do the remaining weights add up to?",
            (
                ("scores = np.where(j <= i, scores, -np.inf)", "pass"),
                (
                    "return weights,",
                    "weights = np.where(j <= i, weights, 0)\n        return weights,",
                ),
            ),
        ),
        Wrong(
            "the scores are not divided",
            "scale",
            "Read the contract's sentence about scores.",
            ((" / np.sqrt(q.shape[-1])", ""),),
        ),
        Wrong(
            "the scores are divided by the root of the length",
            "scale",
            "Which size stands under the root?",
            (("np.sqrt(q.shape[-1])", "np.sqrt(n)"),),
        ),
        Wrong(
            "the softmax runs over the queries",
            "axis",
            "Whose shares should add up to 1?",
            (
                ("scores.max(axis=-1", "scores.max(axis=-2"),
                ("exps.sum(axis=-1", "exps.sum(axis=-2"),
            ),
        ),
        Wrong(
            "the context comes first",
            "operands",
            "In which order does the contract ask for the two?",
            (("return weights, weights @ self.v", "return weights @ self.v, weights"),),
        ),
        Wrong(
            "the scores are returned in the place of the weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("return weights,", "return scores,"),),
        ),
    ),
    odd=(
        Odd(
            "lists of pieces",
            source="""\
import numpy as np


class KeyValueCache:
    def __init__(self):
        self.pieces = []
        self.length = 0

    def append(self, k, v):
        self.pieces.append((k, v))
        self.length += k.shape[-2]

    def step(self, q, k, v):
        self.append(k, v)
        K, V = (np.concatenate(x, axis=-2) for x in zip(*self.pieces))
        m, n = q.shape[-2], self.length
        scores = np.einsum("...id,...jd->...ij", q, K) / q.shape[-1] ** 0.5
        scores[..., np.triu(np.ones((m, n), bool), n - m + 1)] = -np.inf
        weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
        return weights, weights @ V
""",
        ),
        Odd(
            "one query after the other",
            source="""\
import numpy as np


class KeyValueCache:
    def __init__(self):
        self.k, self.v = None, None

    length = property(lambda self: 0 if self.k is None else self.k.shape[-2])

    def append(self, k, v):
        self.k = k if self.k is None else np.concatenate((self.k, k), -2)
        self.v = v if self.v is None else np.concatenate((self.v, v), -2)

    def step(self, q, k, v):
        before = self.length
        self.append(k, v)
        weights = np.zeros((*q.shape[:-1], self.length))
        for i in range(q.shape[-2]):
            end = before + i + 1
            scores = (self.k[..., :end, :] * q[..., i : i + 1, :]).sum(-1)
            exps = np.exp(scores / np.sqrt(q.shape[-1]))
            weights[..., i, :end] = exps / exps.sum(-1, keepdims=True)
        return weights, weights @ self.v
""",
        ),
        Odd(
            "a buffer that grows",
            source="""\
import numpy as np


class KeyValueCache:
    def __init__(self):
        self.length, self.buffers = 0, None

    def append(self, k, v):
        end = self.length + k.shape[-2]
        if self.buffers is None:
            self.buffers = [np.zeros((*x.shape[:-2], 0, x.shape[-1])) for x in (k, v)]
        for place, x in enumerate((k, v)):
            old = self.buffers[place]
            if old.shape[-2] < end:
                new = np.zeros((*x.shape[:-2], 2 * end, x.shape[-1]))
                new[..., : self.length, :] = old[..., : self.length, :]
                self.buffers[place] = old = new
            old[..., self.length : end, :] = x
        self.length = end

    def step(self, q, k, v):
        self.append(k, v)
        K, V = (x[..., : self.length, :] for x in self.buffers)
        m, n = q.shape[-2], self.length
        scores = q @ K.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
        exps = np.exp(scores) * np.tri(m, n, n - m)
        weights = exps / exps.sum(-1, keepdims=True)
        return weights, weights @ V
""",
        ),
        Odd(
            "single precision inside",
            (
                (
                    "self.k, self.v = k, v",
                    "self.k, self.v = k.astype(np.float32), v.astype(np.float32)",
                ),
                ("q @ np.swapaxes", "q.astype(np.float32) @ np.swapaxes"),
            ),
        ),
        Odd(
            "transposed keys", (("np.swapaxes(self.k, -1, -2)", "np.moveaxis(self.k, -1, -2)"),)
        ),
    ),
)
