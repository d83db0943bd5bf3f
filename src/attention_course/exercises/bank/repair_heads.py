"""Multi-head attention with three planted faults, to be found and repaired."""

import numpy as np

from attention_course.exercises.bank._families import changing
from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong, edited

# ---- calls ----------------------------------------------------------------------------------


def _ask(rng, n, d_model, n_heads, **more):
    x = rng.standard_normal((n, d_model))
    matrices = 1.5 * rng.standard_normal((4, d_model, d_model)) / np.sqrt(d_model)
    return Call("repair_heads", (x, *matrices, n_heads), more, returns=("output", "weights"))


def _three_heads(rng):
    return [_ask(rng, 5, 12, 3), _ask(rng, 7, 8, 4)]


def _equal(rng):
    return [_ask(rng, 4, 16, 4), _ask(rng, 3, 9, 3)]


def _one_token(rng):
    return [_ask(rng, 1, 6, 2), _ask(rng, 4, 5, 5)]


def _causal(rng):
    return [_ask(rng, 5, 12, 3, causal=True), _ask(rng, 7, 8, 2, causal=True)]


def _growing(rng):
    """Draw tokens whose keys grow, in whole numbers: what is to come has the largest scores."""
    x = 10.0 * np.arange(1, 7)[:, None] + rng.integers(0, 3, (6, 8))
    eye = np.eye(8)
    W_v, W_o = (rng.integers(-2, 3, (8, 8)).astype(float) for _ in range(2))
    args = (x, eye, eye, W_v, W_o, 2)
    return [Call("repair_heads", args, {"causal": True}, returns=("output", "weights"))]


# ---- the answer, and the faults -------------------------------------------------------------

SOLUTION = '''\
import numpy as np


def repair_heads(x, W_q, W_k, W_v, W_o, n_heads, causal=False):
    """Return the output (n, d_model) and the weights (n_heads, n, n)."""
    n = len(x)
    q, k, v = ((x @ W).reshape(n, n_heads, -1).transpose(1, 0, 2) for W in (W_q, W_k, W_v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exps / exps.sum(axis=-1, keepdims=True)
    joined = (weights @ v).transpose(1, 0, 2).reshape(n, -1)
    return joined @ W_o, weights
'''
SPLIT = ".reshape(n, n_heads, -1).transpose(1, 0, 2) for W"
ALL = "(W_q, W_k, W_v)"
SCALE = "/ np.sqrt(q.shape[-1])"
FILL = "scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)"
MASK = f"    if causal:\n        {FILL}\n"
WEIGHTS = "    weights = exps / exps.sum(axis=-1, keepdims=True)\n"
JOIN = "joined = (weights @ v).transpose(1, 0, 2).reshape(n, -1)"
RETURN = "return joined @ W_o, weights"

FAULTS = {
    "cut": ((SPLIT, ".reshape(n_heads, n, -1) for W"),),
    "scale": ((SCALE, "/ np.sqrt(x.shape[-1])"),),
    "mask": (
        (MASK, ""),
        (WEIGHTS, f"{WEIGHTS}    if causal:\n        weights = weights * np.tri(n)\n"),
    ),
}
STUB = edited(SOLUTION, [edit for fault in FAULTS.values() for edit in fault], "repair-heads")

OF_OTHERS = "Compare a head with x @ W cut by hand: which columns are those of head 0?"
WIDTH = "How many products does one score of one head add up?"
SUMS = "What do the rows of weights add up to under the causal mask?"
LATE = "Change the last token: which outputs move?"


def _left(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple(edit for name in names for edit in FAULTS[name])


def _still(names: tuple[str, ...], what: str, hint: str) -> Wrong:
    return Wrong(f"{what} repaired", "not repaired", hint, _left(*names))


WRONG = (
    _still(("cut", "scale", "mask"), "nothing is", "Begin with a single head: what holds?"),
    _still(("cut", "scale"), "neither the way heads are cut nor the scale is", OF_OTHERS),
    _still(("cut", "mask"), "neither the way heads are cut nor the mask is", OF_OTHERS),
    _still(("scale", "mask"), "neither the scale nor the mask is", WIDTH),
    _still(("cut",), "the way heads are cut is not", OF_OTHERS),
    _still(("scale",), "the scale is not", WIDTH),
    _still(("mask",), "the mask is not", LATE),
    *changing(
        SPLIT,
        "cut",
        (
            "every n-th column goes to a head",
            ".reshape(n, -1, n_heads).transpose(2, 0, 1) for W",
            OF_OTHERS,
        ),
        (
            "the heads come in the opposite order",
            ".reshape(n, n_heads, -1).transpose(1, 0, 2)[::-1] for W",
            OF_OTHERS,
        ),
    ),
    Wrong(
        "queries and keys are cut well, values are not",
        "cut",
        OF_OTHERS,
        (
            (
                SCALE,
                f"{SCALE}\n    v = (x @ W_v).reshape(n_heads, n, -1)",
            ),
        ),
    ),
    Wrong(
        "the fault of the cut is repeated where the heads are joined",
        "cut",
        "Two reshapes undo each other, but what was between them?",
        (
            (SPLIT, ".reshape(n_heads, n, -1) for W"),
            (JOIN, "joined = (weights @ v).reshape(n, -1)"),
        ),
    ),
    *changing(
        JOIN,
        "cut",
        (
            "the heads are no longer moved back before they are joined",
            "joined = (weights @ v).reshape(n, -1)",
            "This line was right in the beginning.",
        ),
    ),
    *changing(
        SCALE,
        "scale",
        ("the scale is gone", "", WIDTH),
        ("the root is gone from the scale", "/ q.shape[-1]", "A root belongs there."),
        ("the root is of the number of heads", "/ np.sqrt(n_heads)", WIDTH),
        ("the root is of the number of tokens", "/ np.sqrt(n)", WIDTH),
    ),
    Wrong(
        "the mask stays where it was, and rows are divided by their sum again",
        "mask",
        "Say the score of the last token is by far the largest. What is left to divide?",
        (
            (MASK, ""),
            (
                WEIGHTS,
                f"{WEIGHTS}    if causal:\n        weights = weights * np.tri(n)\n"
                "        weights = weights / weights.sum(axis=-1, keepdims=True)\n",
            ),
        ),
    ),
    *changing(
        FILL,
        "mask",
        ("forbidden scores are set to 0", FILL.replace("-np.inf", "0.0"), "What is exp(0)?"),
        ("the mask is added to the scores as 0 and 1", "scores = scores + np.tri(n)", LATE),
        (
            "the past is forbidden instead of the future",
            "scores = np.where(np.tri(n, dtype=bool).T, scores, -np.inf)",
            "Rows are queries.",
        ),
        (
            "a token does not see itself",
            "scores = np.where(np.tri(n, k=-1, dtype=bool), scores, -np.inf)",
            "What does the first token see?",
        ),
        (
            "a token sees the next one",
            "scores = np.where(np.tri(n, k=1, dtype=bool), scores, -np.inf)",
            LATE,
        ),
        ("the mask is gone", "pass", LATE),
    ),
    *changing(
        WEIGHTS,
        "softmax",
        (
            "the softmax is turned to the queries",
            "    weights = exps / exps.sum(axis=-2, keepdims=True)\n",
            "The softmax was right in the beginning.",
        ),
    ),
    *changing(
        RETURN,
        "results",
        ("the last matrix is gone", "return joined, weights", "What is W_o for?"),
        ("the weights are gone", "return joined @ W_o", "Two results are asked for."),
    ),
)

BY_LOOPS = """\
import numpy as np


def repair_heads(x, W_q, W_k, W_v, W_o, n_heads, causal=False):
    n, d = len(x), x.shape[1] // n_heads
    output, weights = 0.0, np.zeros((n_heads, n, n))
    for h in range(n_heads):
        own = slice(h * d, (h + 1) * d)
        q, k, v = x @ W_q[:, own], x @ W_k[:, own], x @ W_v[:, own]
        for i in range(n):
            seen = i + 1 if causal else n
            e = k[:seen] @ q[i] / d**0.5
            e = np.exp(e - e.max())
            weights[h, i, :seen] = e / e.sum()
        output = output + weights[h] @ v @ W_o[own]
    return output, weights
"""

ODD = (
    Odd(
        "single precision inside",
        (
            ("n = len(x)\n", "n = len(x)\n    x = x.astype(np.float32)\n"),
            (SCALE, f"{SCALE}\n    scores = scores.astype(np.float32)"),
        ),
    ),
    Odd("one head after the other", source=BY_LOOPS),
    Odd(
        "einsum",
        (
            ("scores = q @ k.transpose(0, 2, 1)", 'scores = np.einsum("hid,hjd->hij", q, k)'),
            (JOIN, 'joined = np.einsum("hij,hjd->ihd", weights, v).reshape(x.shape)'),
        ),
    ),
    Odd("the mask is added", ((FILL, "scores = scores - 1e9 * (1 - np.tri(n))"),)),
    Odd("a list of results", ((RETURN, "return [joined @ W_o, weights]"),)),
    Odd("swapaxes", ((SPLIT, SPLIT.replace("transpose(1, 0, 2)", "swapaxes(0, 1)")),)),
)

# ---- the exercise ---------------------------------------------------------------------------

EXERCISE = Exercise(
    slug="repair-heads",
    title="Repair it: three faults in one layer",
    chapter="transformer/multi-head",
    family="attention",
    target="repair_heads",
    minutes=20,
    statement=(
        "Somebody wrote multi-head attention. It runs, and every shape is right: `x` and the "
        "output have `(n, d_model)`, the four matrices `(d_model, d_model)`, the weights "
        "`(n_heads, n, n)`. There are **three** mistakes in it. Find and repair them; what is "
        "right may stay."
    ),
    contract=(
        "Head i owns columns i · d_k to (i + 1) · d_k - 1 of `x @ W_q`, `x @ W_k` and "
        "`x @ W_v`, with d_k = d_model / n_heads, and the same rows of `W_o`.",
        "A score is the dot product of a query with a key, divided by the square root of d_k.",
        "With `causal=True` a token sees itself and those before; what comes later changes "
        "nothing, however large its scores.",
        "The arguments are left as they were.",
        "Return two arrays, the output first.",
    ),
    stub=STUB,
    solution=SOLUTION,
    hints=(
        "Do not read it again and again: test it. With one head two of the faults cannot show; "
        "without causal the third cannot.",
        "Number the entries: let x be an identity matrix and W_q hold 0, 1, 2, ... Which of "
        "them are in head 0?",
        "Under the causal mask, add up each row of weights, and change the last token.",
    ),
    points={"several heads": 4, "causal": 3},
    probes=(
        Probe("several heads", "several heads", _three_heads),
        Probe(
            "as many tokens as heads and as wide",
            "several heads",
            _equal,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a single token, and heads of width 1", "several heads", _one_token),
        Probe("causal", "causal", _causal, hint="Change the last token: which outputs move?"),
        Probe(
            "causal, where what is to come has the largest scores",
            "causal",
            _growing,
            hint="Is a forbidden score in a sum, before it is set to zero?",
        ),
    ),
    wrong=WRONG,
    odd=ODD,
)
