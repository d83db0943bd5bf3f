"""An encoder over a padded batch: each fixed vector is the state at the last word."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong

RETURNS = ("states", "last")


def _ask(rng, lengths, n_words, d_x, d, junk=3.0):
    draw, lengths = rng.standard_normal, np.array(lengths)
    x = draw((len(lengths), n_words, d_x))
    x[np.arange(n_words) >= lengths[:, None]] *= junk
    W_x, W_h, b = draw((d, d_x)), draw((d, d)) / np.sqrt(d), draw(d)
    return Call("encode_padded", (x, lengths, W_x, W_h, b), returns=RETURNS)


def _with(*args):
    return lambda rng: [_ask(rng, *args)]


CELL = "np.tanh(x[:, t] @ W_x.T + h @ W_h.T + b)"
STEP = f"h = np.where(is_word, {CELL}, h)"
KEPT = "np.where(is_word, h, 0)"
IS_WORD = "(t < lengths)[:, None]"

EXERCISE = Exercise(
    slug="encode-padded",
    title="An encoder over a padded batch",
    chapter="why/rnn-bottleneck",
    family="steps",
    target="encode_padded",
    minutes=20,
    statement=(
        "Read a batch of sentences of different lengths with one plain recurrent network: "
        "`encode_padded(x, lengths, W_x, W_h, b)`. The inputs `x` have shape "
        "`(batch, n_words, d_x)`, `lengths` has `(batch,)`; sentence $i$ has `lengths[i]` "
        "words, from 0 to `n_words`, and behind them stands padding. `W_x` has `(d, d_x)`, "
        "`W_h` has `(d, d)`, `b` has `(d,)`. Return all states, `(batch, n_words, d)`, and the "
        "fixed vectors, `(batch, d)`."
    ),
    contract=(
        r"The cell is $\mathbf{h}_t = \tanh(W_x \mathbf{x}_t + W_h \mathbf{h}_{t-1} + "
        r"\mathbf{b})$, from $\mathbf{h}_0 = \mathbf{0}$.",
        "The fixed vector of a sentence is its state at its own last word; what stands in the "
        "padding has no influence on it.",
        "The states behind a sentence's last word are 0.",
        "A sentence of length 0 has the fixed vector 0.",
        "The arguments are left as they were.",
        "Return two arrays, the states first.",
    ),
    stub='''\
def encode_padded(x, lengths, W_x, W_h, b):
    """Return the states (batch, n_words, d) and the fixed vectors (batch, d)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def encode_padded(x, lengths, W_x, W_h, b):
    """Return the states (batch, n_words, d) and the fixed vectors (batch, d)."""
    batch, n_words, _ = x.shape
    h = np.zeros((batch, len(b)))
    states = np.zeros((batch, n_words, len(b)))
    for t in range(n_words):
        is_word = (t < lengths)[:, None]
        h = np.where(is_word, np.tanh(x[:, t] @ W_x.T + h @ W_h.T + b), h)
        states[:, t] = np.where(is_word, h, 0)
    return states, h
''',
    hints=(
        "Forget the padding first: one loop over the words, the whole batch in each step.",
        "At step t some sentences still have a word and some have not. What should happen to "
        "the state of one that has not?",
        "A comparison of t with the lengths gives True or False for each sentence; it needs "
        "one more axis to choose between two states.",
    ),
    points={"states": 3, "padding": 3},
    probes=(
        Probe("two sentences of five words, no padding", "states", _with([5, 5], 5, 3, 4)),
        Probe("a batch of one", "states", _with([4], 4, 2, 3)),
        Probe("sentences of one word", "states", _with([1, 1, 1], 1, 4, 2)),
        Probe(
            "all sizes equal",
            "states",
            _with([4, 4, 4, 4], 4, 4, 4),
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "three lengths, with large numbers in the padding",
            "padding",
            _with([6, 2, 4], 6, 3, 5, 50.0),
            hint="What stands in the padding must not matter.",
        ),
        Probe(
            "zeros in the padding",
            "padding",
            _with([3, 5], 5, 2, 4, 0.0),
            hint="An input of zeros is still an input: the state moves on.",
        ),
        Probe("nobody is as long as the table", "padding", _with([2, 3, 1], 5, 4, 2)),
        Probe("a sentence of length 0", "padding", _with([0, 4, 2], 4, 2, 3)),
        Probe("as many sentences as words", "padding", _with([4, 1, 3, 2], 4, 3, 2)),
    ),
    wrong=(
        Wrong(
            "the fixed vector is the state in the last column",
            "padding",
            "In the last column a short sentence has only padding.",
            (("return states, h", "return states, states[:, -1]"),),
        ),
        Wrong(
            "the network reads the padding too",
            "padding",
            "What happens to the state of a sentence that is over?",
            ((STEP, f"h = {CELL}"), (KEPT, "h")),
        ),
        Wrong(
            "the states in the padding are set to 0, the fixed vector goes on",
            "padding",
            "Two things have to stop at the last word.",
            ((STEP, f"h = {CELL}"),),
        ),
        Wrong(
            "the padding is read as zeros",
            "padding",
            "An input of zeros still moves the state: by W_h and by b.",
            (
                (STEP, f"h = {CELL}".replace("x[:, t]", "(x[:, t] * is_word)")),
                (KEPT, "h"),
            ),
        ),
        Wrong(
            "the last state is repeated through the padding",
            "padding",
            "What do the states behind the last word have to be?",
            ((KEPT, "h"),),
        ),
        Wrong(
            "every sentence stops one word early",
            "off by one",
            "Steps are counted from 0, lengths from 1.",
            ((IS_WORD, "(t < lengths - 1)[:, None]"),),
        ),
        Wrong(
            "every sentence reads one word of padding",
            "off by one",
            "At which t does a sentence of one word have its word?",
            ((IS_WORD, "(t <= lengths)[:, None]"),),
        ),
        Wrong(
            "all sentences stop with the longest",
            "padding",
            "Lengths belong to sentences, not to the batch.",
            ((IS_WORD, "np.full((batch, 1), t < lengths.max())"),),
        ),
        Wrong(
            "all sentences stop with the shortest",
            "padding",
            "Lengths belong to sentences, not to the batch.",
            ((IS_WORD, "np.full((batch, 1), t < lengths.min())"),),
        ),
        Wrong(
            "a sentence of length 0 gets the state of another place",
            "empty",
            "Which index does length - 1 become for a length of 0?",
            (
                (STEP, f"h = {CELL}"),
                (KEPT, "h"),
                (
                    "return states, h",
                    "last = states[np.arange(batch), lengths - 1]\n"
                    "    states[np.arange(n_words) >= lengths[:, None]] = 0\n"
                    "    return states, last",
                ),
            ),
        ),
        Wrong(
            "the fixed vector is the mean of the states",
            "fixed vector",
            "Which state has read the whole sentence?",
            (("return states, h", "return states, states.mean(axis=1)"),),
        ),
        Wrong(
            "the fixed vector is the first state",
            "fixed vector",
            "Which state has read the whole sentence?",
            (("return states, h", "return states, states[:, 0]"),),
        ),
        Wrong(
            "there is no recurrence",
            "cell",
            "What does a state know of the words before?",
            ((CELL, "np.tanh(x[:, t] @ W_x.T + b)"),),
        ),
        Wrong(
            "the bias is left out",
            "cell",
            "Which argument did you not use?",
            ((CELL, "np.tanh(x[:, t] @ W_x.T + h @ W_h.T)"),),
        ),
        Wrong(
            "the bias is added behind the tanh",
            "cell",
            "A state lies between -1 and 1.",
            ((CELL, "np.tanh(x[:, t] @ W_x.T + h @ W_h.T) + b"),),
        ),
        Wrong(
            "the tanh is left out",
            "cell",
            "A state lies between -1 and 1.",
            ((CELL, "(x[:, t] @ W_x.T + h @ W_h.T + b)"),),
        ),
        Wrong(
            "W_h is used the other way round",
            "axis",
            "A square matrix fits either way: each row of W_h makes one number.",
            (("h @ W_h.T", "h @ W_h"),),
        ),
        Wrong(
            "W_x is reshaped where it should be transposed",
            "axis",
            "Both give a shape that fits; a reshape tears the rows apart.",
            (("x[:, t] @ W_x.T", "x[:, t] @ W_x.reshape(W_x.shape[::-1])"),),
        ),
        Wrong(
            "the sentences are read from right to left",
            "order",
            "Which word is the first to be read?",
            (("range(n_words)", "reversed(range(n_words))"),),
        ),
        Wrong(
            "the state before the first word is 1",
            "cell",
            "What is h_0 in the contract?",
            (("h = np.zeros((batch, len(b)))", "h = np.ones((batch, len(b)))"),),
        ),
        Wrong(
            "the two results are in the wrong order",
            "operands",
            "In which order does the contract ask for the two?",
            (("return states, h", "return h, states"),),
        ),
        Wrong(
            "the padding is set to 0 in the caller's own array",
            "in place",
            "Who else holds that array?",
            (
                (
                    "    for t",
                    "    x[np.arange(n_words) >= lengths[:, None]] = 0\n    for t",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    batch, n_words",
                    "    x, W_x, W_h, b = (np.float32(a) for a in (x, W_x, W_h, b))\n"
                    "    batch, n_words",
                ),
                ("h = np.zeros((batch, len(b)))", "h = np.zeros((batch, len(b)), np.float32)"),
            ),
        ),
        Odd(
            "one sentence after the other",
            source="""\
import numpy as np


def encode_padded(x, lengths, W_x, W_h, b):
    states, last = np.zeros((*x.shape[:2], len(b))), np.zeros((len(x), len(b)))
    for i, words in enumerate(x):
        for t in range(lengths[i]):
            last[i] = np.tanh(W_x @ words[t] + W_h @ last[i] + b)
            states[i, t] = last[i]
    return states, last
""",
        ),
        Odd(
            "one matrix for input and state together",
            (
                (
                    CELL,
                    "np.tanh(np.hstack([x[:, t], h]) @ np.hstack([W_x, W_h]).T + b)",
                ),
            ),
        ),
        Odd(
            "the inputs go through their matrix all at once",
            (
                ("    for t", '    drive = np.einsum("bti,ji->btj", x, W_x) + b\n    for t'),
                (CELL, "np.tanh(drive[:, t] + h @ W_h.T)"),
            ),
        ),
        Odd(
            "read through, and picked out afterwards",
            (
                (STEP, f"h = {CELL}"),
                (KEPT, "h"),
                (
                    "return states, h",
                    "states[np.arange(n_words) >= lengths[:, None]] = 0\n"
                    "    ends = states[np.arange(batch), np.maximum(lengths, 1) - 1]\n"
                    "    return states, ends",
                ),
            ),
        ),
    ),
    variants=(
        Variant(
            "fixed-first",
            contract=(("the states first", "the fixed vectors first"),),
            stub=(
                (
                    "the states (batch, n_words, d) and the fixed vectors (batch, d)",
                    "the fixed vectors (batch, d) and the states (batch, n_words, d)",
                ),
            ),
            adapt=lambda call: Call(call.target, call.args, returns=RETURNS[::-1]),
            statement=(
                (
                    "all states, `(batch, n_words, d)`, and the fixed vectors, `(batch, d)`",
                    "the fixed vectors, `(batch, d)`, and all states, `(batch, n_words, d)`",
                ),
            ),
            said={"the two results are in the wrong order": None},
            wrap='''
def encode_padded(x, lengths, W_x, W_h, b):
    """Return the fixed vectors (batch, d) and the states (batch, n_words, d)."""
    states, last = base(x, lengths, W_x, W_h, b)
    return last, states
''',
        ),
    ),
)
