"""The mask of a padded batch: padding, causal with cached keys, and a window."""

import numpy as np

from attention_course.exercises.bank._families import changing
from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant

# ---- calls ----------------------------------------------------------------------------------


def _ask(lengths, n_q, n_k, **more):
    return Call("mask_of_a_batch", (np.array(lengths), n_q, n_k), more, returns=("mask",))


def _lengths(rng, *possible):
    return rng.permutation(np.array(possible))


def _padded(rng):
    return [_ask(_lengths(rng, 2, 5, 3), 5, 5), _ask(_lengths(rng, 4, 1, 5, 6), 7, 7)]


def _equal(rng):
    return [_ask(_lengths(rng, 4, 2, 3, 1), 4, 4)]


def _edges(rng):
    return [_ask(_lengths(rng, 0, 6), 6, 6), _ask([1], 1, 1)]


def _cached(rng):
    return [_ask(_lengths(rng, 7, 5), 3, 7), _ask(_lengths(rng, 6, 2, 4), 1, 6)]


def _window(rng):
    return [
        _ask(_lengths(rng, 6, 3, 5), 6, 6, window=2),
        _ask(_lengths(rng, 5, 4), 5, 5, window=1),
        _ask(_lengths(rng, 5, 2), 5, 5, window=9),
    ]


def _window_cached(rng):
    return [_ask(_lengths(rng, 8, 5, 7), 4, 8, window=2), _ask([7, 6], 2, 7, window=3)]


# ---- wrong and odd answers ------------------------------------------------------------------

PLACE = "place = np.arange(n_q)[:, None] + (n_k - n_q)"
CAUSAL = "may = key <= place"
WINDOW = "may = may & (key > place - window)"
IF_WINDOW = "if window is not None:"
REAL = "real = key < lengths[:, None, None, None]"
RETURN = "return real & may"
LAST = "The last query stands beside the last key. Where does the first one stand?"
COUNT = "Count the keys that one query sees: itself is one of them."
AXES = "Write the axes of the mask down: whose is each?"
TRUTH = "What does True mean here, and what type has a mask?"
KEYS = "Padding hides keys. On which axis do they lie?"
LENGTH = "Of a sequence with 3 real keys: which numbers do these keys have?"

WRONG = (
    *changing(
        CAUSAL,
        "causal",
        ("nothing is causal", "may = key <= place + n_k", "May a query see what is to come?"),
        ("a query does not see its own key", "may = key < place", "May a query see itself?"),
        (
            "a query sees the next key",
            "may = key <= place + 1",
            "Is the next key its past?",
        ),
        ("a query sees what comes later", "may = key >= place", "Rows are queries."),
    ),
    *changing(
        PLACE,
        "cached keys",
        ("queries are aligned with the first keys", "place = np.arange(n_q)[:, None]", LAST),
        (
            "the queries are moved the wrong way",
            "place = np.arange(n_q)[:, None] - (n_k - n_q)",
            LAST,
        ),
        (
            "the queries are moved by all keys",
            "place = np.arange(n_q)[:, None] + n_k",
            LAST,
        ),
        (
            "each query stands at the end of its sequence",
            "place = np.arange(n_q)[:, None] + (lengths[:, None, None, None] - n_q)",
            "The places are those of the padded table, the same for all sequences.",
        ),
    ),
    *changing(
        REAL,
        "padding",
        ("padding is ignored", "real = key < n_k + 0 * lengths[:, None, None, None]", KEYS),
        ("one key too many is real", "real = key <= lengths[:, None, None, None]", LENGTH),
        ("one key too few is real", "real = key < lengths[:, None, None, None] - 1", LENGTH),
        ("only the padding is seen", "real = key >= lengths[:, None, None, None]", TRUTH),
        (
            "the padding is looked for in front",
            "real = key >= n_k - lengths[:, None, None, None]",
            "On which side does the padding stand?",
        ),
        (
            "the padding hides queries instead of keys",
            "real = place < lengths[:, None, None, None]",
            KEYS,
        ),
        (
            "all sequences have the longest one's length",
            "real = key < np.full_like(lengths, lengths.max())[:, None, None, None]",
            "Each sequence has a length of its own.",
        ),
        (
            "all sequences have the shortest one's length",
            "real = key < np.full_like(lengths, lengths.min())[:, None, None, None]",
            "Each sequence has a length of its own.",
        ),
    ),
    *changing(
        WINDOW,
        "window",
        ("the window is ignored", "pass", "Is the argument used anywhere?"),
        ("the window is one key too wide", "may = may & (key >= place - window)", COUNT),
        (
            "the window is one key too narrow",
            "may = may & (key > place - window + 1)",
            COUNT,
        ),
        (
            "the window looks forward as well",
            "may = np.abs(key - place) < window",
            "A window makes a causal mask narrower; it allows nothing new.",
        ),
        (
            "the window stands in the place of the causal mask",
            "may = key > place - window",
            "A window makes a causal mask narrower; it allows nothing new.",
        ),
        (
            "the window is counted from the first key",
            "may = may & (key > np.arange(n_q)[:, None] - window)",
            LAST,
        ),
        (
            "only keys before the window are seen",
            "may = may & (key <= place - window)",
            "Near keys or far ones?",
        ),
    ),
    *changing(
        IF_WINDOW,
        "window",
        (
            "the window works without cached keys only",
            "if window is not None and n_q == n_k:",
            LAST,
        ),
        (
            "a window is always there",
            "window = 3 if window is None else window\n    if True:",
            "None means that there is no window.",
        ),
    ),
    *changing(
        RETURN,
        "results",
        ("either is enough", "return real | may", "A key must be real and not in the future."),
        ("the mask is turned over", "return ~(real & may)", TRUTH),
        ("numbers stand for True and False", "return (real & may).astype(int)", TRUTH),
        (
            "zero and minus infinity are returned",
            "return np.where(real & may, 0.0, -np.inf)",
            TRUTH,
        ),
        ("the axis of the heads is missing", "return (real & may)[:, 0]", AXES),
        (
            "the batch stands where the heads should be",
            "return np.swapaxes(real & may, 0, 1)",
            AXES,
        ),
        ("queries and keys change places", "return np.swapaxes(real & may, 2, 3)", AXES),
        (
            "every query sees at least one key",
            "return (real & may) | (key == 0)",
            "A sequence of length 0 has nothing to see. That is for the softmax to deal with.",
        ),
    ),
)

BY_LOOPS = """\
def mask_of_a_batch(lengths, n_q, n_k, window=None):
    width = n_k if window is None else window

    def sees(length, i, j):
        now = n_k - n_q + i
        return bool(now - width < j <= now and j < length)

    return [
        [[[sees(length, i, j) for j in range(n_k)] for i in range(n_q)]] for length in lengths
    ]
"""

BY_TRI = """\
import numpy as np


def mask_of_a_batch(lengths, n_q, n_k, window=None):
    past = n_k - n_q
    band = np.tri(n_q, n_k, past)
    if window:
        band -= np.tri(n_q, n_k, past - window)
    real = np.zeros((len(lengths), 1, 1, n_k))
    for row, length in zip(real, lengths):
        row[..., :length] = 1
    return band * real > 0.5
"""

BY_DISTANCE = """\
import numpy as np


def mask_of_a_batch(lengths, n_q, n_k, window=None):
    b, h, i, j = np.ogrid[: len(lengths), :1, n_k - n_q : n_k, :n_k]
    ago = i - j
    return (ago >= 0) & (ago < (window or n_k)) & (j < lengths[b]) & (h == 0)
"""

ODD = (
    Odd(
        "places in single precision",
        (("key = np.arange(n_k)", "key = np.arange(n_k, dtype=np.float32)"),),
    ),
    Odd("loops that make lists", source=BY_LOOPS),
    Odd("a difference of two triangles", source=BY_TRI),
    Odd("how long ago", source=BY_DISTANCE),
    Odd(
        "rows cut off by hand",
        (
            (
                REAL,
                "real = np.zeros((len(lengths), 1, 1, n_k), dtype=bool)\n    "
                "for b, length in enumerate(lengths):\n        real[b, ..., :length] = True",
            ),
        ),
    ),
    Odd(
        "logical_and",
        ((RETURN, "return np.logical_and(may, real)"),),
    ),
)

# ---- the same in other conventions ----------------------------------------------------------

TRUE_MEANS_MAY = "`True` means: may attend."
BEHIND = "Padding stands behind: the first `lengths[b]` keys of sequence b are real."

VARIANTS = (
    Variant(
        "blocked",
        ((TRUE_MEANS_MAY, "`True` means: may NOT attend."),),
        wrap='''\
def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Return which keys may not be seen: booleans (batch, 1, n_q, n_k)."""
    may = np.asarray(base(lengths, n_q, n_k, window))
    return ~may if may.dtype == bool else 1 - may
''',
        stub=(("may be seen", "may not be seen"),),
        said=dict.fromkeys(("the mask is turned over", "zero and minus infinity are returned")),
    ),
    Variant(
        "padded-in-front",
        (
            (
                BEHIND,
                "Padding stands in front: the last `lengths[b]` keys of sequence b are real.",
            ),
        ),
        wrap='''\
def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Do the same where the padding stands in front."""
    everything = base(np.full_like(lengths, n_k), n_q, n_k, window)
    in_front = base(n_k - lengths, n_q, n_k, window)
    return np.asarray(everything) & ~np.asarray(in_front)
''',
        said={
            "one key too many is real": ("one key too few is real", LENGTH),
            "one key too few is real": ("the real keys lie one place too early", LENGTH),
            "all sequences have the longest one's length": (
                "all sequences have the shortest one's length",
                "Each sequence has a length of its own.",
            ),
            "all sequences have the shortest one's length": (
                "all sequences have the longest one's length",
                "Each sequence has a length of its own.",
            ),
            "each query stands at the end of its sequence": None,
            "padding is ignored": None,
            "only the padding is seen": None,
            "the padding is looked for in front": None,
            "either is enough": None,
            "the mask is turned over": None,
            "zero and minus infinity are returned": None,
            "every query sees at least one key": None,
        },
    ),
    Variant(
        "one-table-each",
        (
            (
                "The axis of length 1 is there for the heads, which all use the same mask.",
                "There is no axis for the heads: the mask has the shape `(batch, n_q, n_k)`.",
            ),
        ),
        wrap='''\
def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Do the same without an axis for the heads."""
    return np.asarray(base(lengths, n_q, n_k, window)).squeeze(1)
''',
        statement=(("`(batch, 1, n_q, n_k)`", "`(batch, n_q, n_k)`"),),
        stub=(("(batch, 1, n_q, n_k)", "(batch, n_q, n_k)"),),
        said=dict.fromkeys(
            ("the axis of the heads is missing", "the batch stands where the heads should be")
        ),
    ),
)

# ---- the exercise ---------------------------------------------------------------------------

EXERCISE = Exercise(
    slug="mask-of-a-batch",
    title="The mask of a batch",
    chapter="transformer/masks-and-cross-attention",
    family="attention",
    target="mask_of_a_batch",
    minutes=15,
    statement=(
        "A decoder works on a batch of sequences that are padded to `n_k` keys. The newest "
        "`n_q` tokens ask, at most `n_k`; the keys of the earlier ones are cached. Write the "
        "function that makes the mask. `lengths`, an array of whole numbers of shape "
        "`(batch,)`, says how many keys of each sequence are real, from 0 to `n_k`; `window`, "
        "if it is not None, how many keys a query sees at most, 1 or more. In a shorter "
        "sequence some of the places that ask are padding themselves; they get a row like the "
        "others. Return booleans of shape `(batch, 1, n_q, n_k)`."
    ),
    contract=(
        TRUE_MEANS_MAY,
        BEHIND,
        "The last query stands beside the last key of the table (bottom right), whatever the "
        "lengths; a query sees its own key and those before, if they are real.",
        "A window counts the query's own key: with `window=2` it sees itself and one before.",
        "The mask hides keys, never queries; a row without a key stays a row without a key.",
        "The axis of length 1 is there for the heads, which all use the same mask.",
        "`lengths` stays as it is.",
    ),
    stub='''\
def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Return which keys may be seen: booleans (batch, 1, n_q, n_k)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def mask_of_a_batch(lengths, n_q, n_k, window=None):
    """Return which keys may be seen: booleans (batch, 1, n_q, n_k)."""
    key = np.arange(n_k)
    place = np.arange(n_q)[:, None] + (n_k - n_q)
    may = key <= place
    if window is not None:
        may = may & (key > place - window)
    real = key < lengths[:, None, None, None]
    return real & may
''',
    hints=(
        "Write the numbers of the keys in a row and those of the queries in a column. Every "
        "rule is then a comparison that broadcasts.",
        "With 7 keys and 3 queries, the queries stand at places 4, 5 and 6.",
        "lengths has one axis, the mask has more. Which axes are missing, and where?",
    ),
    points={"padding and causal": 3, "cached keys": 2, "window": 2},
    probes=(
        Probe("a padded batch", "padding and causal", _padded),
        Probe(
            "as many sequences as tokens",
            "padding and causal",
            _equal,
            hint="Here every wrong axis fits as well, so only the values tell.",
        ),
        Probe("an empty sequence, and a single token", "padding and causal", _edges),
        Probe(
            "fewer queries than keys",
            "cached keys",
            _cached,
            hint="The last query stands beside the last key.",
        ),
        Probe("a window", "window", _window),
        Probe("a window over cached keys", "window", _window_cached),
    ),
    wrong=WRONG,
    odd=ODD,
    variants=VARIANTS,
)
