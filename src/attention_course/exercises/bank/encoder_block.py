"""A Transformer's encoder block with its normalisation before each part."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong


def _parameters(rng, d, d_k, d_v, d_ff):
    sizes = {"W_q": (d, d_k), "W_k": (d, d_k), "W_v": (d, d_v), "W_o": (d_v, d)}
    sizes |= {"W_1": (d, d_ff), "W_2": (d_ff, d)}
    p = {name: rng.standard_normal(size) / size[0] ** 0.5 for name, size in sizes.items()}
    p |= {f"gain_{i}": 1 + 0.5 * rng.random(d) for i in (1, 2)}
    p |= {f"shift_{i}": 0.5 * rng.standard_normal(d) for i in (1, 2)}
    return p | {"b_1": rng.standard_normal(d_ff), "b_2": rng.standard_normal(d)}


def _ask(x, p):
    return Call("encoder_block", (x, p), returns=("z",))


def _vectors(rng, *size):
    """Vectors whose mean is not 0 and whose spread is not 1."""
    return 2 * rng.standard_normal(size) + 1


def _plain(rng):
    return [_ask(_vectors(rng, 7, 6), _parameters(rng, 6, 4, 5, 11))]


def _equal_sizes(rng):
    return [_ask(_vectors(rng, 6, 6), _parameters(rng, 6, 6, 6, 6))]


def _batch(rng):
    return [_ask(_vectors(rng, 3, 5, 8), _parameters(rng, 8, 4, 6, 10))]


def _attention_alone(rng):
    p = _parameters(rng, 6, 3, 4, 9)
    return [_ask(_vectors(rng, 5, 6), p | {"W_2": 0 * p["W_2"], "b_2": 0 * p["b_2"]})]


def _one_position(rng):
    p = _parameters(rng, 7, 3, 4, 9)
    return [_ask(_vectors(rng, 1, 7), p | {"W_2": 0 * p["W_2"], "b_2": 0 * p["b_2"]})]


def _feed_forward_alone(rng):
    p = _parameters(rng, 6, 3, 4, 12)
    return [_ask(_vectors(rng, 5, 6), p | {"W_o": 0 * p["W_o"]})]


def _large(rng):
    p = _parameters(rng, 8, 5, 3, 10)
    return [_ask(_vectors(rng, 4, 8), p | {"W_o": 0 * p["W_o"], "b_1": 9 * p["b_1"]})]


def _nearly_constant(rng):
    x = rng.standard_normal((4, 1)) + 2e-3 * rng.standard_normal((4, 8))
    return [_ask(x, _parameters(rng, 8, 3, 5, 9))]


def _wide_apart(rng):
    x = 100 * rng.standard_normal((5, 1)) + 30 * rng.standard_normal((5, 6))
    return [_ask(x, _parameters(rng, 6, 5, 4, 9))]


def _turned_over(call):
    """Hand over the matrices as torch stores them: one row for each output."""
    x, p = call.args
    return replace(call, args=(x, {name: np.ascontiguousarray(w.T) for name, w in p.items()}))


EXERCISE = Exercise(
    slug="encoder-block",
    title="An encoder block from its parameters",
    chapter="transformer/transformer-block",
    family="positions",
    target="encoder_block",
    minutes=25,
    statement=(
        "Write one encoder block that normalises *before* each of its two parts. `x` has shape "
        "`(..., n, d)`; `p` is a dictionary of arrays: `W_q` and `W_k` `(d, d_k)`, `W_v` "
        "`(d, d_v)`, `W_o` `(d_v, d)`, `W_1` `(d, d_ff)`, `b_1` `(d_ff,)`, `W_2` `(d_ff, d)`, "
        "`b_2` `(d,)`, and `gain_1`, `shift_1`, `gain_2`, `shift_2`, each `(d,)`. There is one "
        "head and no mask. Return the new vectors, of the shape of `x`."
    ),
    contract=(
        "First $x \\leftarrow x + \\text{attention}(\\text{LN}_1(x))$, then "
        "$x \\leftarrow x + \\text{FFN}(\\text{LN}_2(x))$. The first normalisation has "
        "`gain_1` and `shift_1`, the second has the other two.",
        "A normalisation works on one vector at a time: $g \\odot (x - \\mu) / "
        "\\sqrt{\\sigma^2 + 10^{-5}} + b$, with gain $g$, shift $b$, the mean $\\mu$ of the "
        "vector's numbers, and their mean squared deviation from $\\mu$ as $\\sigma^2$.",
        "Vectors are rows, and matrices stand to their right.",
        "Attention divides its scores by $\\sqrt{d_k}$ and takes the softmax over the keys; "
        "the context goes through `W_o`.",
        "The feed-forward part makes $\\max(0,\\, h W_1 + b_1)\\, W_2 + b_2$ of what it gets, "
        "$h$.",
        "The arguments are left as they were.",
    ),
    stub='''\
def encoder_block(x, p):
    """Return the vectors (..., n, d) that leave the block."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def normalised(x, gain, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    variance = (centred**2).mean(axis=-1, keepdims=True)
    return gain * centred / np.sqrt(variance + 1e-5) + shift


def attention(h, p):
    q, k, v = h @ p["W_q"], h @ p["W_k"], h @ p["W_v"]
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1])
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    return weights @ v @ p["W_o"]


def encoder_block(x, p):
    """Return the vectors (..., n, d) that leave the block."""
    h = normalised(x, p["gain_1"], p["shift_1"])
    z = x + attention(h, p)
    h = normalised(z, p["gain_2"], p["shift_2"])
    hidden = np.maximum(0, h @ p["W_1"] + p["b_1"])
    return z + hidden @ p["W_2"] + p["b_2"]
''',
    hints=(
        "Write three small functions: the normalisation, the attention, the block that joins "
        "them.",
        "Whose numbers share a mean in a layer normalisation: the features of one vector, or "
        "one feature of all vectors?",
        "The second part starts from what the first has returned, the sum included.",
    ),
    points={"attention part": 2, "feed-forward part": 2, "whole block": 2},
    probes=(
        Probe(
            "the feed-forward part adds nothing",
            "attention part",
            _attention_alone,
            hint="W_2 and b_2 are 0 here, so only the attention part counts.",
        ),
        Probe(
            "a single position looks at itself",
            "attention part",
            _one_position,
            hint="The only weight is 1.",
        ),
        Probe(
            "attention adds nothing",
            "feed-forward part",
            _feed_forward_alone,
            hint="W_o is 0 here, so only the feed-forward part counts.",
        ),
        Probe(
            "large biases in front of the ReLU",
            "feed-forward part",
            _large,
            hint="Where exactly are negative numbers cut off?",
        ),
        Probe("both parts, seven positions", "whole block", _plain),
        Probe("three texts", "whole block", _batch),
        Probe(
            "all sizes equal",
            "whole block",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "vectors that are nearly constant",
            "whole block",
            _nearly_constant,
            hint="Here the small number under the root is as large as the variance.",
        ),
        Probe("vectors far apart", "whole block", _wide_apart),
    ),
    wrong=(
        Wrong(
            "the normalisation stands after each sum",
            "order",
            "That is the block of 2017. What does the contract normalise?",
            (
                (
                    'h = normalised(x, p["gain_1"], p["shift_1"])\n    z = x + attention(h, p)',
                    'z = normalised(x + attention(x, p), p["gain_1"], p["shift_1"])',
                ),
                (
                    'h = normalised(z, p["gain_2"], p["shift_2"])\n    hidden',
                    "h = z\n    hidden",
                ),
                (
                    'return z + hidden @ p["W_2"] + p["b_2"]',
                    'z = z + hidden @ p["W_2"] + p["b_2"]\n'
                    '    return normalised(z, p["gain_2"], p["shift_2"])',
                ),
            ),
        ),
        Wrong(
            "what attention returns is normalised before it is added",
            "order",
            "Which vectors go through the first normalisation?",
            (
                (
                    'h = normalised(x, p["gain_1"], p["shift_1"])\n    z = x + attention(h, p)',
                    'z = x + normalised(attention(x, p), p["gain_1"], p["shift_1"])',
                ),
            ),
        ),
        Wrong(
            "attention sees the vectors before their normalisation",
            "order",
            "What does the first part get?",
            (("x + attention(h, p)", "x + attention(x, p)"),),
        ),
        Wrong(
            "the feed-forward part sees the vectors before their normalisation",
            "order",
            "What does the second part get?",
            (('h @ p["W_1"]', 'z @ p["W_1"]'),),
        ),
        Wrong(
            "the feed-forward part reads the input of the block",
            "order",
            "What has attention been for, then?",
            (("h = normalised(z,", "h = normalised(x,"),),
        ),
        Wrong(
            "the block ends in one more normalisation",
            "order",
            "A stack closes with one; does a block?",
            (
                (
                    'return z + hidden @ p["W_2"] + p["b_2"]',
                    'z = z + hidden @ p["W_2"] + p["b_2"]\n'
                    '    return normalised(z, p["gain_2"], p["shift_2"])',
                ),
            ),
        ),
        Wrong(
            "attention has no residual",
            "residual",
            "What is each part's result added to?",
            (("x + attention(h, p)", "0 + attention(h, p)"),),
        ),
        Wrong(
            "the feed-forward part has no residual",
            "residual",
            "What is each part's result added to?",
            (("return z + hidden", "return hidden"),),
        ),
        Wrong(
            "the normalised vectors are the residual",
            "residual",
            "The way past a part leaves the vectors as they are.",
            (
                ("x + attention(h, p)", "h + attention(h, p)"),
                ("return z + hidden", "return h + hidden"),
            ),
        ),
        Wrong(
            "the second residual goes back to the input of the block",
            "residual",
            "Does what attention found reach the end?",
            (("return z + hidden", "return x + hidden"),),
        ),
        Wrong(
            "the normalisation runs over the positions",
            "axis",
            "Whose numbers share a mean?",
            (
                ("x.mean(axis=-1", "x.mean(axis=-2"),
                ("(centred**2).mean(axis=-1", "(centred**2).mean(axis=-2"),
            ),
        ),
        Wrong(
            "all vectors share one mean and one variance",
            "axis",
            "Each vector is normalised on its own.",
            (
                ("x.mean(axis=-1, keepdims=True)", "x.mean()"),
                ("(centred**2).mean(axis=-1, keepdims=True)", "(centred**2).mean()"),
            ),
        ),
        Wrong(
            "the variance is divided by d - 1",
            "variance",
            "A mean of d numbers divides by d.",
            (
                (
                    "(centred**2).mean(axis=-1, keepdims=True)",
                    "x.var(axis=-1, ddof=1, keepdims=True)",
                ),
            ),
        ),
        Wrong(
            "the small number is missing",
            "variance",
            "What happens to a constant vector?",
            (("variance + 1e-5", "variance"),),
        ),
        Wrong(
            "the small number stands outside the root",
            "variance",
            "What exactly stands under the root?",
            (("np.sqrt(variance + 1e-5)", "(np.sqrt(variance) + 1e-5)"),),
        ),
        Wrong(
            "the deviation is divided by the variance",
            "variance",
            "Which variance should the result have?",
            (("np.sqrt(variance + 1e-5)", "(variance + 1e-5)"),),
        ),
        Wrong(
            "the mean is not subtracted",
            "variance",
            "Which mean should a normalised vector have?",
            (("gain * centred", "gain * x"),),
        ),
        Wrong(
            "gain and shift are left out",
            "parameters",
            "Which parameters does your normalisation use?",
            (
                (
                    "gain * centred / np.sqrt(variance + 1e-5) + shift",
                    "centred / np.sqrt(variance + 1e-5)",
                ),
            ),
        ),
        Wrong(
            "the gain multiplies the shift too",
            "parameters",
            "Which comes first, the gain or the shift?",
            (
                (
                    "gain * centred / np.sqrt(variance + 1e-5) + shift",
                    "gain * (centred / np.sqrt(variance + 1e-5) + shift)",
                ),
            ),
        ),
        Wrong(
            "both parts use the first gain and shift",
            "parameters",
            "Each normalisation has parameters of its own.",
            (('p["gain_2"], p["shift_2"]', '*[p["gain_" + "1"], p["shift_" + "1"]]'),),
        ),
        Wrong(
            "queries and keys are exchanged",
            "parameters",
            "Who asks, and who is asked?",
            (('h @ p["W_q"], h @ p["W_k"]', 'h @ p["W_k"], h @ p["W_q"]'),),
        ),
        Wrong(
            "W_o is missing where the shapes allow it",
            "parameters",
            "What follows the weighted sum?",
            (
                (
                    'weights @ v @ p["W_o"]',
                    'weights @ v @ (p["W_o"] if v.shape != h.shape else np.eye(v.shape[-1]))',
                ),
            ),
        ),
        Wrong(
            "the ReLU comes after the second matrix",
            "relu",
            "Between which two layers does it stand?",
            (
                ('np.maximum(0, h @ p["W_1"] + p["b_1"])', 'h @ p["W_1"] + p["b_1"]'),
                ('hidden @ p["W_2"] + p["b_2"]', 'np.maximum(0, hidden @ p["W_2"] + p["b_2"])'),
            ),
        ),
        Wrong(
            "there is no ReLU",
            "relu",
            "Two linear layers in a row are one linear layer.",
            (('np.maximum(0, h @ p["W_1"] + p["b_1"])', 'h @ p["W_1"] + p["b_1"]'),),
        ),
        Wrong(
            "the first bias is added behind the ReLU",
            "relu",
            "What exactly is cut off at 0?",
            (
                (
                    'np.maximum(0, h @ p["W_1"] + p["b_1"])',
                    'np.maximum(0, h @ p["W_1"]) + p["b_1"]',
                ),
            ),
        ),
        Wrong(
            "the ReLU is a sigmoid",
            "relu",
            "What does the ReLU do with large numbers?",
            (
                (
                    'np.maximum(0, h @ p["W_1"] + p["b_1"])',
                    '1 / (1 + np.exp(-(h @ p["W_1"] + p["b_1"])))',
                ),
            ),
        ),
        Wrong(
            "the scores are not divided",
            "scale",
            "Read the contract's sentence about attention.",
            ((" / np.sqrt(q.shape[-1])", ""),),
        ),
        Wrong(
            "the scores are divided by the root of d",
            "scale",
            "Which width do queries have?",
            (("np.sqrt(q.shape[-1])", "np.sqrt(h.shape[-1])"),),
        ),
        Wrong(
            "the softmax runs over the queries",
            "softmax",
            "Whose shares should add up to 1?",
            (
                ("scores.max(axis=-1", "scores.max(axis=-2"),
                ("exps.sum(axis=-1", "exps.sum(axis=-2"),
            ),
        ),
        Wrong(
            "attention is causal",
            "mask",
            "An encoder may look both ways.",
            (
                (
                    "exps = np.exp(scores",
                    "n = scores.shape[-1]\n"
                    "    scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)\n"
                    "    exps = np.exp(scores",
                ),
            ),
        ),
        Wrong(
            "the input is overwritten",
            "in place",
            "Who else holds that array?",
            (("z = x + attention(h, p)", "z = x\n    z += attention(h, p)"),),
        ),
    ),
    odd=(
        Odd(
            "position after position",
            source="""\
import numpy as np


def norm(x, g, b):
    return g * (x - np.mean(x)) / (np.var(x) + 1e-5) ** 0.5 + b


def encoder_block(x, p):
    if x.ndim > 2:
        return [encoder_block(part, p) for part in x]
    H = [norm(row, p["gain_1"], p["shift_1"]) for row in x]
    K, V = [h @ p["W_k"] for h in H], [h @ p["W_v"] for h in H]
    out = []
    for row, h in zip(x, H):
        q = h @ p["W_q"]
        exps = [np.exp(q @ k / len(q) ** 0.5) for k in K]
        row = row + sum(e * v for e, v in zip(exps, V)) / sum(exps) @ p["W_o"]
        h = norm(row, p["gain_2"], p["shift_2"]) @ p["W_1"] + p["b_1"]
        out.append(row + (h * (h > 0)) @ p["W_2"] + p["b_2"])
    return np.array(out)
""",
        ),
        Odd(
            "einsum and logaddexp",
            (
                ("q @ np.swapaxes(k, -1, -2)", 'np.einsum("...id,...jd->...ij", q, k)'),
                (
                    "exps = np.exp(scores - scores.max(axis=-1, keepdims=True))",
                    "lse = np.logaddexp.reduce(scores, axis=-1, keepdims=True)",
                ),
                ("exps / exps.sum(axis=-1, keepdims=True)", "np.exp(scores - lse)"),
            ),
        ),
        Odd(
            "single precision in the feed-forward part",
            (
                (
                    'np.maximum(0, h @ p["W_1"] + p["b_1"])',
                    'np.maximum(0, (h @ p["W_1"] + p["b_1"]).astype(np.float32))',
                ),
            ),
        ),
        Odd(
            "mean and variance by NumPy",
            (
                ("(centred**2).mean(axis=-1, keepdims=True)", "x.var(-1)[..., None]"),
                ("x.mean(axis=-1, keepdims=True)", "np.average(x, axis=-1)[..., None]"),
            ),
        ),
        Odd(
            "the root as a power, the ReLU as a mean with the absolute value",
            (
                (
                    "gain * centred / np.sqrt(variance + 1e-5)",
                    "gain * centred * (variance + 1e-5) ** -0.5",
                ),
                (
                    'hidden = np.maximum(0, h @ p["W_1"] + p["b_1"])',
                    'hidden = h @ p["W_1"] + p["b_1"]\n    hidden = (hidden + abs(hidden)) / 2',
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "torch-matrices",
            contract=(
                (
                    "Vectors are rows, and matrices stand to their right.",
                    "Vectors are rows. Every matrix comes as torch stores it, with one row "
                    "for each output, so that its shape is the statement's in reverse: "
                    "transpose it first.",
                ),
            ),
            adapt=_turned_over,
            wrap="""\
def encoder_block(x, p):
    return base(x, {name: w.T for name, w in p.items()})
""",
        ),
    ),
)
