"""Attention over keys that arrive in blocks: the online softmax."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("context", "log_sums")
RETURN = "return acc / total[:, None], m + np.log(total)"
_AVERAGED = """\
import numpy as np


def attend_blockwise(q, blocks):
    context, shares, log_sum = 0.0, 0.0, -np.inf
    for k, v in blocks:
        if len(k) == 0:
            continue
        scores = q @ k.T / np.sqrt(q.shape[1])
        new = np.logaddexp.reduce(scores, axis=1)
        context = context + SHARE * np.exp(scores - new[:, None]) @ v
        shares += SHARE
        log_sum = np.logaddexp(log_sum, new)
    return context / shares, log_sum
"""


def _ask(rng, sizes, n_queries=4, d_k=3, d_v=7, q_by=1.0, k_by=None):
    k_by = np.ones(len(sizes)) if k_by is None else k_by
    blocks = tuple(
        (by * rng.standard_normal((size, d_k)), rng.standard_normal((size, d_v)))
        for size, by in zip(sizes, k_by, strict=True)
    )
    q = q_by * rng.standard_normal((n_queries, d_k))
    return Call("attend_blockwise", (q, blocks), returns=RETURNS)


def _plain(rng):
    return [_ask(rng, (5, 2, 6))]


def _one_block(rng):
    return [_ask(rng, (6,), n_queries=3, d_k=5, d_v=2)]


def _one_by_one(rng):
    return [_ask(rng, (1,) * 8, n_queries=5, d_k=2, d_v=3)]


def _equal_sizes(rng):
    return [_ask(rng, (4, 4, 4, 4), n_queries=4, d_k=4, d_v=4)]


def _empty(rng):
    return [
        _ask(rng, (0, 3, 5), n_queries=6, d_k=2, d_v=4),
        _ask(rng, (3, 0, 4, 0), n_queries=2, d_k=6, d_v=5),
    ]


def _rising(rng):
    return [_ask(rng, (3, 5, 2), d_k=6, q_by=30.0, k_by=(0.1, 3.0, 60.0))]


def _falling(rng):
    return [_ask(rng, (2, 6, 3), d_k=5, q_by=30.0, k_by=(60.0, 3.0, 0.1))]


def _all_below_zero(rng):
    q = 30 + rng.random((3, 4))
    blocks = tuple(
        (-30 - 0.01 * rng.random((size, 4)), rng.standard_normal((size, 5))) for size in (2, 6)
    )
    return [Call("attend_blockwise", (q, blocks), returns=RETURNS)]


EXERCISE = Exercise(
    slug="online-softmax",
    title="A softmax that has not seen all its scores",
    chapter="transformer/scaling",
    family="backward",
    target="attend_blockwise",
    minutes=30,
    statement=(
        "The keys are too many to be scored at once, so they arrive in blocks. Write "
        "scaled dot-product attention that looks at one block after the other and holds only "
        "that block's scores. For each query it keeps three things: the largest score so far, "
        "the sum of the exponentials so far, and the sum of the values with these exponentials "
        "as factors; when the largest score grows, the two sums are brought to the new one. "
        "`q` has shape `(n_queries, d_k)`; `blocks` is a sequence of pairs `(k, v)` of "
        "shapes `(n, d_k)` and `(n, d_v)`, where n may differ from block to block. Return the "
        "context, `(n_queries, d_v)`, and the logarithm of the sum of the exponentials of all "
        "scores, `(n_queries,)`."
    ),
    contract=(
        "A score is the dot product of a query with a key, divided by the square root of d_k.",
        "The result is that of one softmax over the keys of all blocks.",
        "A block may be empty, n = 0, the first one too; at least one key comes.",
        "Scores may be large, of either sign, in any order.",
        "The blocks may not be joined into one array: `np.concatenate` and its relatives are "
        "refused.",
        "The arguments are left as they were.",
        "Return two arrays, the context first.",
    ),
    stub='''\
def attend_blockwise(q, blocks):
    """Return the context (n_queries, d_v) and the log of each sum of exponentials."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def attend_blockwise(q, blocks):
    """Return the context (n_queries, d_v) and the log of each sum of exponentials."""
    n_queries, d_k = q.shape
    m = np.full(n_queries, -np.inf)
    total = np.zeros(n_queries)
    acc = np.zeros((n_queries, blocks[0][1].shape[1]))
    for k, v in blocks:
        if len(k) == 0:
            continue
        scores = q @ k.T / np.sqrt(d_k)
        new_m = np.maximum(m, scores.max(axis=1))
        fade = np.exp(m - new_m)
        exps = np.exp(scores - new_m[:, None])
        total = fade * total + exps.sum(axis=1)
        acc = fade[:, None] * acc + exps @ v
        m = new_m
    return acc / total[:, None], m + np.log(total)
''',
    hints=(
        "Write down the three things that are kept after one block. Which of them would be "
        "different if the largest score had been 1 higher, and by which factor?",
        "Before the first block there is no largest score. Which number is smaller than every "
        "score, and what is the exponential of it minus any finite number? And minus itself?",
        "Divide once, at the end. The log of the sum takes back the number that was subtracted "
        "from every score.",
    ),
    points={"moderate scores": 3, "empty blocks": 1, "large scores": 3},
    probes=(
        Probe("three blocks of 5, 2 and 6 keys", "moderate scores", _plain),
        Probe("a single block", "moderate scores", _one_block),
        Probe("one key at a time", "moderate scores", _one_by_one),
        Probe(
            "all sizes equal",
            "moderate scores",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "empty blocks, the first one too",
            "empty blocks",
            _empty,
            hint="What is the largest of no scores? And minus infinity minus minus infinity?",
        ),
        Probe(
            "ever larger scores, up to thousands",
            "large scores",
            _rising,
            hint="What was summed before must fade when a larger score comes.",
        ),
        Probe(
            "large scores first, small ones after",
            "large scores",
            _falling,
            hint="A largest score never falls.",
        ),
        Probe(
            "all scores far below zero",
            "large scores",
            _all_below_zero,
            hint="np.exp(-1800) is 0, and 0 / 0 is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the summed values are not rescaled",
            "rescaling",
            "Two sums were made with the old largest score.",
            (("acc = fade[:, None] * acc", "acc = acc"),),
        ),
        Wrong(
            "the sum of the exponentials is not rescaled",
            "rescaling",
            "Two sums were made with the old largest score.",
            (("total = fade * total", "total = total"),),
        ),
        Wrong(
            "nothing is rescaled",
            "rescaling",
            "With which largest score were the earlier exponentials made?",
            (("fade = np.exp(m - new_m)", "fade = np.ones_like(m)"),),
        ),
        Wrong(
            "what is added is rescaled as well",
            "rescaling",
            "The new block's exponentials are made with the new largest score already.",
            (
                ("fade * total + exps.sum(axis=1)", "fade * (total + exps.sum(axis=1))"),
                ("fade[:, None] * acc + exps @ v", "fade[:, None] * (acc + exps @ v)"),
            ),
        ),
        Wrong(
            "the sums wait with rescaling until the largest score of all queries grows",
            "rescaling",
            "Every query has a largest score of its own.",
            (
                (
                    "fade = np.exp(m - new_m)",
                    "fade = np.exp(m - new_m) if new_m.max() > m.max() else np.ones_like(m)",
                ),
            ),
        ),
        Wrong(
            "the largest score starts at 0",
            "start",
            "What if every score lies far below zero?",
            (("np.full(n_queries, -np.inf)", "np.zeros(n_queries)"),),
        ),
        Wrong(
            "the largest score is that of the last block alone",
            "start",
            "Can the exponential of a difference be above 1? How far?",
            (("np.maximum(m, scores.max(axis=1))", "scores.max(axis=1)"),),
        ),
        Wrong(
            "one largest score serves all queries",
            "axis",
            "What is left of a query whose scores all lie far below those of another?",
            (("np.maximum(m, scores.max(axis=1))", "np.maximum(m, scores.max())"),),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 5000?",
            (
                ("np.full(n_queries, -np.inf)", "np.zeros(n_queries)"),
                ("np.maximum(m, scores.max(axis=1))", "m"),
            ),
        ),
        Wrong(
            "each block gets a softmax of its own, and the blocks are averaged",
            "normalisation",
            "A block with high scores and one with low scores: should both count the same?",
            source=_AVERAGED.replace("SHARE", "1.0"),
        ),
        Wrong(
            "each block gets a softmax of its own and counts by its number of keys",
            "normalisation",
            "A block with high scores and one with low scores: should both count the same?",
            source=_AVERAGED.replace("SHARE", "len(k)"),
        ),
        Wrong(
            "the context is divided after every block",
            "normalisation",
            "How often is the first block divided by a sum?",
            (
                (
                    "        m = new_m\n",
                    "        m = new_m\n        acc = acc / total[:, None]\n",
                ),
            ),
        ),
        Wrong(
            "nothing is divided at the end",
            "normalisation",
            "What do the factors of the values add up to?",
            (("acc / total[:, None]", "acc"),),
        ),
        Wrong(
            "the context is divided by the number of keys",
            "normalisation",
            "What do the factors of the values add up to?",
            (("acc / total[:, None]", "acc / sum(len(k) for k, _ in blocks)"),),
        ),
        Wrong(
            "the log of the sum misses the largest score",
            "log",
            "The sum was made of exponentials of what?",
            (("m + np.log(total)", "np.log(total)"),),
        ),
        Wrong(
            "the largest score is multiplied with the log",
            "log",
            "The logarithm turns a product into which operation?",
            (("m + np.log(total)", "m * np.log(total)"),),
        ),
        Wrong(
            "the largest score is subtracted from the log",
            "log",
            "It was taken away before; what must happen now?",
            (("m + np.log(total)", "np.log(total) - m"),),
        ),
        Wrong(
            "the sum is returned without a logarithm",
            "log",
            "How large is the sum for scores of 5000?",
            (("m + np.log(total)", "np.exp(m) * total"),),
        ),
        Wrong(
            "the scale is missing",
            "scale",
            "How far do dot products spread as vectors get wider?",
            ((" / np.sqrt(d_k)", ""),),
        ),
        Wrong(
            "the scores are divided by d_k",
            "scale",
            "A spread grows with a root.",
            (("np.sqrt(d_k)", "d_k"),),
        ),
        Wrong(
            "the scale is that of the block's length",
            "scale",
            "Does a dot product get larger in a longer block?",
            (("np.sqrt(d_k)", "np.sqrt(len(k))"),),
        ),
        Wrong(
            "only the last block is attended to",
            "start",
            "Where do you keep what the earlier blocks said?",
            (("fade = np.exp(m - new_m)", "fade = np.zeros_like(m)"),),
        ),
        Wrong(
            "the last block is left out",
            "start",
            "When the loop ends, has every block been added?",
            (("for k, v in blocks:", "for k, v in blocks[:-1] or blocks:"),),
        ),
        Wrong(
            "an empty block ends the loop",
            "start",
            "May keys come after an empty block?",
            (("continue", "break"),),
        ),
        Wrong(
            "an empty block is scored like any other",
            "start",
            "What is the largest of no scores?",
            (("        if len(k) == 0:\n            continue\n", ""),),
        ),
        Wrong(
            "the keys are summed where they are as wide as the values",
            "operands",
            "Keys are compared, values are brought along.",
            (("exps @ v", "exps @ (k if k.shape == v.shape else v)"),),
        ),
        Wrong(
            "the log comes first",
            "operands",
            "In which order does the contract ask for the two?",
            ((RETURN, "return m + np.log(total), acc / total[:, None]"),),
        ),
        Wrong(
            "the queries are scaled in place",
            "in place",
            "Who else holds that array?",
            (
                ("m = np.full", "q /= np.sqrt(d_k)\n    m = np.full"),
                (" / np.sqrt(d_k)\n        new_m", "\n        new_m"),
            ),
        ),
    ),
    odd=(
        Odd(
            "each block's own context, mixed by the logs of the sums",
            source="""\
import numpy as np


def attend_blockwise(q, blocks):
    log_sum, context = -np.inf, 0.0
    for k, v in blocks:
        if k.size == 0:
            continue
        e = np.einsum("ic,jc->ij", q, k) * q.shape[1] ** -0.5
        new = np.logaddexp.reduce(e, axis=1)
        both = np.logaddexp(log_sum, new)
        own = np.exp(e - new[:, None]) @ v
        old_share, new_share = np.exp(log_sum - both), np.exp(new - both)
        context = np.reshape(old_share, (-1, 1)) * context + new_share[:, None] * own
        log_sum = both
    return context, log_sum
""",
        ),
        Odd(
            "loops, one key at a time",
            source="""\
from math import exp, inf, log, sqrt


def attend_blockwise(q, blocks):
    contexts, logs = [], []
    for row in q:
        m, total, acc = -inf, 0.0, [0.0] * blocks[0][1].shape[1]
        for k, v in blocks:
            for key, value in zip(k, v):
                e = sum(a * b for a, b in zip(row, key)) / sqrt(len(row))
                top = max(m, e)
                fade, new = exp(m - top), exp(e - top)
                total = fade * total + new
                acc = [fade * a + new * x for a, x in zip(acc, value)]
                m = top
        contexts.append([a / total for a in acc])
        logs.append(m + log(total))
    return contexts, logs
""",
        ),
        Odd(
            "an object that has a block and a stack, and lists that grow",
            source="""\
import numpy as np


class Pass:
    def __init__(self, q):
        self.q, self.stack, self.block = q, [], None

    def read(self, block):
        self.block = block
        if len(self.block[0]) > 0:
            self.pad(self.block[0] @ self.q.T / np.sqrt(self.q.shape[1]))

    def pad(self, scores):
        top = scores.max(axis=0)
        exps = np.exp(scores - top)
        self.stack.insert(0, (top, exps.sum(axis=0), exps.T @ self.block[1]))


def attend_blockwise(q, blocks):
    seen = Pass(q)
    for block in blocks:
        seen.read(block)
    tops = []
    for top, _, _ in seen.stack:
        tops.append(top)
    m = np.max(tops, axis=0)
    total = sum(np.exp(top - m) * one for top, one, _ in seen.stack)
    acc = sum(np.exp(top - m)[:, None] * one for top, _, one in seen.stack)
    return acc / total[:, None], m + np.log(total)
""",
        ),
        Odd(
            "values in single precision",
            (("exps @ v", "exps.astype(np.float32) @ v.astype(np.float32)"),),
        ),
        Odd(
            "a running mean instead of a running sum",
            (
                (
                    "total = fade * total + exps.sum(axis=1)",
                    "before = fade * total\n        total = before + exps.sum(axis=1)",
                ),
                (
                    "fade[:, None] * acc + exps @ v",
                    "(before[:, None] * acc + exps @ v) / total[:, None]",
                ),
                ("acc / total[:, None]", "acc"),
            ),
        ),
        Odd(
            "columns throughout",
            (
                ("np.full(n_queries, -np.inf)", "np.full((n_queries, 1), -np.inf)"),
                ("np.zeros(n_queries)", "np.zeros((n_queries, 1))"),
                ("scores.max(axis=1)", "scores.max(1, keepdims=True)"),
                ("new_m[:, None]", "new_m"),
                ("exps.sum(axis=1)", "exps.sum(1, keepdims=True)"),
                ("fade[:, None] * acc", "fade * acc"),
                (RETURN, "return acc / total, (m + np.log(total))[:, 0]"),
            ),
        ),
    ),
    forbidden=(
        *("concatenate", "concat", "cat", "vstack", "hstack", "dstack", "column_stack"),
        *("row_stack", "r_", "c_", "bmat", "union1d", "stack_arrays"),
        *("np.append", "np.block", "np.insert", "np.pad", "np.stack"),
    ),
)
