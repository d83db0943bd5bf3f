"""Attention with rotary positions: queries and keys are turned, values are not."""

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("keys", "scores", "context")


def _ask(q, k, v, *offset, **named):
    return Call("rotary_attention", (q, k, v, *offset), named, returns=RETURNS)


def _draw(rng, batch, n_queries, n_keys, d_k, d_v):
    return (
        rng.standard_normal((*batch, n_queries, d_k)),
        rng.standard_normal((*batch, n_keys, d_k)),
        rng.standard_normal((*batch, n_keys, d_v)),
    )


def _plain(rng):
    return [_ask(*_draw(rng, (), 5, 7, 6, 4))]


def _one_pair(rng):
    return [_ask(*_draw(rng, (), 3, 6, 2, 4))]


def _one_position(rng):
    return [_ask(*_draw(rng, (), 1, 1, 8, 6))]


def _odd_values(rng):
    return [_ask(*_draw(rng, (), 4, 6, 8, 3))]


def _equal_sizes(rng):
    return [_ask(*_draw(rng, (), 4, 4, 4, 4))]


def _heads(rng):
    return [_ask(*_draw(rng, (2, 3), 5, 7, 8, 6))]


def _batch(rng):
    return [_ask(*_draw(rng, (3,), 5, 6, 4, 2))]


def _batch_like_positions(rng):
    return [_ask(*_draw(rng, (4, 4), 4, 4, 6, 2))]


def _newest(rng):
    return [_ask(*_draw(rng, (), 1, 9, 6, 4), 8)]


def _some_later(rng):
    return [_ask(*_draw(rng, (), 3, 8, 4, 6), int(rng.integers(20, 90)))]


def _by_name(rng):
    return [_ask(*_draw(rng, (3,), 2, 5, 6, 4), offset=int(rng.integers(1, 9)))]


EXERCISE = Exercise(
    slug="rotary-positions",
    title="Rotary positions: turn queries and keys",
    chapter="transformer/transformer-block",
    family="positions",
    target="rotary_attention",
    minutes=25,
    statement=(
        "Write attention with rotary positions. `q` has shape `(..., n_queries, d_k)`, `k` "
        "has `(..., n_keys, d_k)`, `v` has `(..., n_keys, d_v)`; in place of the dots "
        "stand any number of batch axes, the same for all three. `offset` is the position of "
        "the first query. Return the turned keys, `(..., n_keys, d_k)`, the scores, `(..., "
        "n_queries, n_keys)`, and the context, `(..., n_queries, d_v)`."
    ),
    contract=(
        "Pair $i$ of a vector is its features $2i$ and $2i + 1$; `d_k` is even.",
        "At position $t$ pair $i$ turns by the angle $\\varphi = t / 10000^{2i/d_k}$: $(a, "
        "b)$ becomes $(a\\cos\\varphi - b\\sin\\varphi,\\ a\\sin\\varphi + b\\cos\\varphi)$.",
        "The first key stands at position 0, the first query at position `offset`.",
        "A score is the dot product of a turned query with a turned key, divided by "
        "$\\sqrt{d_k}$; scores are returned before the softmax, and nothing is masked.",
        "The context is the sum of the values, weighted by the softmax over the keys.",
        "The arguments are left as they were.",
    ),
    stub='''\
def rotary_attention(q, k, v, offset=0):
    """Return the turned keys, the scores and the context."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def turned(x, start):
    t = np.arange(start, start + x.shape[-2])[:, None]
    angles = t / 10000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = x[..., 0::2], x[..., 1::2]
    y = np.empty_like(x)
    y[..., 0::2] = a * cos - b * sin
    y[..., 1::2] = a * sin + b * cos
    return y


def rotary_attention(q, k, v, offset=0):
    """Return the turned keys, the scores and the context."""
    q, k = turned(q, offset), turned(k, 0)
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return k, scores, weights @ v
''',
    hints=(
        "Write a small function that turns an array (..., n, d_k) of which the first vector "
        "stands at a given position; you need it twice.",
        "The angles form a table (n, d_k / 2). It fits the first features of all pairs, and "
        "also the second ones, whatever stands in front.",
        "At the same position query and key turn by the same angle, so their score is the "
        "plain one. Try that with two vectors.",
    ),
    points={"one head": 3, "batches and heads": 1, "offset": 2},
    probes=(
        Probe("five queries, seven keys", "one head", _plain),
        Probe("a single pair of features", "one head", _one_pair),
        Probe(
            "at position 0 nothing turns",
            "one head",
            _one_position,
            hint="With one query and one key the context is the value itself.",
        ),
        Probe(
            "values of an odd width",
            "one head",
            _odd_values,
            hint="Only queries and keys have to come in pairs.",
        ),
        Probe(
            "all sizes equal",
            "one head",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("two texts with three heads", "batches and heads", _heads),
        Probe("three texts", "batches and heads", _batch),
        Probe(
            "as many texts and heads as positions",
            "batches and heads",
            _batch_like_positions,
            hint="Positions are counted along the last axis but one.",
        ),
        Probe("the newest of nine positions asks", "offset", _newest),
        Probe("queries far behind the keys", "offset", _some_later),
        Probe("the offset given by name, for three texts", "offset", _by_name),
    ),
    wrong=(
        Wrong(
            "feature i is paired with feature i + d_k/2",
            "pairs",
            "Both arrangements are in use. Which features are a pair in this contract?",
            (
                (
                    "a, b = x[..., 0::2], x[..., 1::2]",
                    "half = x.shape[-1] // 2\n    a, b = x[..., :half], x[..., half:]",
                ),
                ("y[..., 0::2]", "y[..., :half]"),
                ("y[..., 1::2]", "y[..., half:]"),
            ),
        ),
        Wrong(
            "the turned features are laid down in halves",
            "pairs",
            "The scores do not notice it, the keys do: where did feature 1 go?",
            (
                ("y[..., 0::2]", "y[..., : x.shape[-1] // 2]"),
                ("y[..., 1::2]", "y[..., x.shape[-1] // 2 :]"),
            ),
        ),
        Wrong(
            "the pairs turn the other way round",
            "sign",
            "Turn (1, 0) by a small angle: which sign has its second feature?",
            (
                ("a * cos - b * sin", "a * cos + b * sin"),
                ("a * sin + b * cos", "b * cos - a * sin"),
            ),
        ),
        Wrong(
            "both signs are a plus",
            "sign",
            "Does a turned vector keep its length?",
            (("a * cos - b * sin", "a * cos + b * sin"),),
        ),
        Wrong(
            "sine and cosine are exchanged",
            "sign",
            "What should happen to a vector at position 0?",
            (
                (
                    "cos, sin = np.cos(angles), np.sin(angles)",
                    "sin, cos = np.cos(angles), np.sin(angles)",
                ),
            ),
        ),
        Wrong(
            "the second feature is computed from the turned first one",
            "sign",
            "Which a does the second line see?",
            (("y[..., 0::2] = a * cos - b * sin", "y[..., 0::2] = a = a * cos - b * sin"),),
        ),
        Wrong(
            "sinusoids are added and nothing is turned",
            "kind",
            "That is the kind of position which is added to the input.",
            (("a * cos - b * sin", "a + sin"), ("a * sin + b * cos", "b + cos")),
        ),
        Wrong(
            "the features are multiplied by the cosine only",
            "kind",
            "A turned vector keeps its length.",
            (("a * cos - b * sin", "a * cos"), ("a * sin + b * cos", "b * cos")),
        ),
        Wrong(
            "the exponent is i/d_k",
            "frequency",
            "Is your i the number of a pair or the place of its first feature?",
            (("np.arange(0, x.shape[-1], 2)", "np.arange(x.shape[-1] // 2)"),),
        ),
        Wrong(
            "all pairs turn at the same speed",
            "frequency",
            "Which part of the angle depends on the pair?",
            (
                (
                    "angles = t / 10000 ** (np.arange(0, x.shape[-1], 2) / x.shape[-1])",
                    "angles = t / 10000 ** np.zeros(x.shape[-1] // 2)",
                ),
            ),
        ),
        Wrong(
            "the position is multiplied by the power",
            "frequency",
            "Later pairs turn more slowly, not faster.",
            (("t / 10000", "t * 10000.0"),),
        ),
        Wrong(
            "the base is 1000",
            "frequency",
            "Count the zeros in the contract.",
            (("10000", "1000"),),
        ),
        Wrong(
            "the values are turned as well",
            "values",
            "What is brought along does not depend on where it stands.",
            (("weights @ v", "weights @ turned(v, 0)"),),
        ),
        Wrong(
            "the context is turned",
            "values",
            "What is brought along does not depend on where it stands.",
            (("weights @ v", "turned(weights @ v, offset)"),),
        ),
        Wrong(
            "positions are counted from 1",
            "position",
            "The scores do not notice it, the keys do: by what does key 0 turn?",
            (
                (
                    "np.arange(start, start + x.shape[-2])",
                    "np.arange(start + 1, start + 1 + x.shape[-2])",
                ),
            ),
        ),
        Wrong(
            "positions are counted along the first axis",
            "position",
            "In an array of several texts, which axis holds the positions?",
            (
                (
                    "np.arange(start, start + x.shape[-2])",
                    "np.arange(start, start + x.shape[0])",
                ),
            ),
        ),
        Wrong(
            "only the queries are turned",
            "operands",
            "A score should depend on the difference of two positions.",
            (("turned(q, offset), turned(k, 0)", "turned(q, offset), k"),),
        ),
        Wrong(
            "only the keys are turned",
            "operands",
            "A score should depend on the difference of two positions.",
            (("turned(q, offset), turned(k, 0)", "q, turned(k, 0)"),),
        ),
        Wrong(
            "the keys are returned as they came",
            "operands",
            "Which keys would a cache keep, so as never to turn them again?",
            (
                (
                    "q, k = turned(q, offset), turned(k, 0)",
                    "q, raw, k = turned(q, offset), k, turned(k, 0)",
                ),
                ("return k,", "return raw,"),
            ),
        ),
        Wrong(
            "the offset is ignored",
            "offset",
            "Where does the first query stand?",
            (("turned(q, offset)", "turned(q, 0)"),),
        ),
        Wrong(
            "the offset moves the keys as well",
            "offset",
            "Where does the first key stand?",
            (("turned(k, 0)", "turned(k, offset)"),),
        ),
        Wrong(
            "the offset moves the keys and not the queries",
            "offset",
            "Whose first position is the offset?",
            (("turned(q, offset), turned(k, 0)", "turned(q, 0), turned(k, offset)"),),
        ),
        Wrong(
            "the last query is put at the last key, whatever the offset",
            "offset",
            "The contract says where the first query stands.",
            (("turned(q, offset)", "turned(q, k.shape[-2] - q.shape[-2])"),),
        ),
        Wrong(
            "the scores are not divided",
            "scale",
            "Read the contract's sentence about scores to its end.",
            ((" / np.sqrt(q.shape[-1])", ""),),
        ),
        Wrong(
            "the scores are divided by d_k",
            "scale",
            "Which power of d_k?",
            (("np.sqrt(q.shape[-1])", "q.shape[-1]"),),
        ),
        Wrong(
            "the weights are returned in the place of the scores",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("return k, scores,", "return k, weights,"),),
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
            "the turned features are written over the given ones",
            "in place",
            "Who else holds that array, and what does the second line read?",
            (("y = np.empty_like(x)", "y = x"),),
        ),
    ),
    odd=(
        Odd(
            "complex numbers",
            (
                ("a, b = x[..., 0::2], x[..., 1::2]", "z = x[..., 0::2] + 1j * x[..., 1::2]"),
                ("y = np.empty_like(x)", "z = z * (cos + 1j * sin)\n    y = np.empty_like(x)"),
                ("a * cos - b * sin", "z.real"),
                ("a * sin + b * cos", "z.imag"),
            ),
        ),
        Odd(
            "one rotation matrix for each position",
            source="""\
import numpy as np


def rotation(t, d):
    R = np.zeros((d, d))
    for i in range(d // 2):
        angle = t / 10000 ** (2 * i / d)
        c, s = np.cos(angle), np.sin(angle)
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, -s], [s, c]]
    return R


def turn(x, start):
    R = np.stack([rotation(start + t, x.shape[-1]) for t in range(x.shape[-2])])
    return np.einsum("tij,...tj->...ti", R, x)


def rotary_attention(q, k, v, offset=0):
    q, k = turn(q, offset), turn(k, 0)
    scores = np.einsum("...id,...jd->...ij", q, k) * q.shape[-1] ** -0.5
    weights = np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))
    return k, scores, np.einsum("...ij,...jd->...id", weights, v)
""",
        ),
        Odd(
            "the cosine times x plus the sine times x with its pairs crossed",
            (
                ("y = np.empty_like(x)", "y = x * np.repeat(cos, 2, axis=-1)"),
                ("y[..., 0::2] = a * cos - b * sin", "y[..., 0::2] -= b * sin"),
                ("y[..., 1::2] = a * sin + b * cos", "y[..., 1::2] += a * sin"),
            ),
        ),
        Odd(
            "single precision behind the rotation",
            (
                (
                    "turned(q, offset), turned(k, 0)",
                    "(z.astype(np.float32) for z in (turned(q, offset), turned(k, 0)))",
                ),
            ),
        ),
        Odd(
            "loops over positions and pairs",
            source="""\
import numpy as np


def spin(x, start):
    y, d = x.copy(), x.shape[-1]
    for row in range(x.shape[-2]):
        for i in range(0, d, 2):
            angle = (start + row) * 10000 ** (-i / d)
            a, b = x[..., row, i], x[..., row, i + 1]
            y[..., row, i] = a * np.cos(angle) - b * np.sin(angle)
            y[..., row, i + 1] = b * np.cos(angle) + a * np.sin(angle)
    return y


def rotary_attention(q, k, v, offset=0):
    q, k = spin(q, offset), spin(k, 0)
    scores = q @ np.moveaxis(k, -2, -1) / q.shape[-1] ** 0.5
    weights = np.exp(scores) / np.exp(scores).sum(-1)[..., None]
    return [k, scores, weights @ v]
""",
        ),
    ),
    variants=(
        Variant(
            "halves",
            contract=(
                (
                    "Pair $i$ of a vector is its features $2i$ and $2i + 1$;",
                    "Pair $i$ of a vector is its features $i$ and $i + d_k/2$;",
                ),
            ),
            said={
                "feature i is paired with feature i + d_k/2": None,
                "the turned features are laid down in halves": None,
                "the turned features are written over the given ones": None,
                "the exponent is i/d_k": (
                    "the exponent is i/d_k",
                    "How slowly should the last pair of a wide vector turn?",
                ),
            },
            wrap="""\
import numpy as np


def rotary_attention(q, k, v, offset=0):
    def woven(x):
        a, b = np.split(x, 2, axis=-1)
        return np.stack([a, b], axis=-1).reshape(x.shape)

    keys, scores, context = base(woven(q), woven(k), v, offset)
    keys = np.asarray(keys)
    return np.concatenate([keys[..., 0::2], keys[..., 1::2]], axis=-1), scores, context
""",
        ),
        Variant(
            "clockwise",
            contract=(
                (
                    "$(a\\cos\\varphi - b\\sin\\varphi,\\ a\\sin\\varphi + b\\cos\\varphi)$",
                    "$(a\\cos\\varphi + b\\sin\\varphi,\\ b\\cos\\varphi - a\\sin\\varphi)$",
                ),
            ),
            said={
                "the pairs turn the other way round": None,
                "feature i is paired with feature i + d_k/2": None,
                "the turned features are laid down in halves": None,
                "sinusoids are added and nothing is turned": None,
                "the turned features are written over the given ones": None,
                "both signs are a plus": (
                    "both signs are a minus",
                    "Does a turned vector keep its length?",
                ),
            },
            wrap="""\
import numpy as np


def rotary_attention(q, k, v, offset=0):
    signs = np.where(np.arange(q.shape[-1]) % 2, -1.0, 1.0)
    keys, scores, context = base(q * signs, k * signs, v, offset)
    return keys * signs, scores, context
""",
        ),
    ),
)
