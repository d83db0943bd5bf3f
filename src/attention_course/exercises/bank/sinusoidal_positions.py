"""A table of sines and cosines: where a word stands, as a vector."""

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong


def _ask(n, d_model, *offset, **named):
    return Call("sinusoidal_table", (n, d_model, *offset), named, returns=("P",))


def _sizes(rng):
    """An odd number of positions and an even width never agree."""
    return 2 * int(rng.integers(2, 6)) + 1, 2 * int(rng.integers(3, 8))


def _plain(rng):
    return [_ask(*_sizes(rng))]


def _one_pair(rng):
    return [_ask(int(rng.integers(4, 9)), 2)]


def _one_position(rng):
    return [_ask(1, 2 * int(rng.integers(3, 8)))]


def _equal_sizes(rng):
    n = 2 * int(rng.integers(3, 6))
    return [_ask(n, n)]


def _later(rng):
    return [_ask(*_sizes(rng), int(rng.integers(20, 60)))]


def _by_name(rng):
    n, d_model = _sizes(rng)
    return [_ask(n, d_model, offset=n - 2)]


def _in_two_pieces(rng):
    n, d_model = _sizes(rng)
    return [_ask(n, d_model), _ask(n, d_model, n), _ask(n, d_model, 1)]


EXERCISE = Exercise(
    slug="sinusoidal-positions",
    title="Sinusoidal positions: a row of clocks",
    chapter="transformer/transformer-block",
    family="positions",
    target="sinusoidal_table",
    minutes=15,
    statement=(
        "Write the table of sinusoidal positions. `n` is the number of positions, `d_model` "
        "the width of a vector, `offset` the first position. Return `P` of shape `(n, "
        "d_model)`, one row for each of the positions `offset`, `offset + 1`, ..., `offset + "
        "n - 1`."
    ),
    contract=(
        "`d_model` is even; its columns form pairs, and pair $i = 0, 1, \\dots$ turns by the "
        "angle $t / 10000^{2i/d}$ at position $t$, with $d$ the width.",
        "Pair $i$ stands in the columns $2i$ and $2i + 1$: first the sine, then the cosine.",
        "The first position of a text is 0.",
        "Angles are in radians.",
    ),
    stub='''\
def sinusoidal_table(n, d_model, offset=0):
    """Return the vectors (n, d_model) of n positions, the first of them offset."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    """Return the vectors (n, d_model) of n positions, the first of them offset."""
    t = np.arange(offset, offset + n)[:, None]
    i = np.arange(d_model // 2)
    angles = t / 10000 ** (2 * i / d_model)
    P = np.empty((len(t), d_model))
    P[:, 0::2] = np.sin(angles)
    P[:, 1::2] = np.cos(angles)
    return P
''',
    hints=(
        "Build the angles first: a column of positions and a row of pairs give a table of "
        "shape (n, d_model / 2).",
        "You can assign to a slice of the table's columns, and a slice may have a step.",
        "Only the positions know the offset: pairs and their speeds stay as they are.",
    ),
    points={"table": 3, "offset": 2},
    probes=(
        Probe("positions from 0", "table", _plain),
        Probe("a width of 2 is a single clock", "table", _one_pair),
        Probe(
            "position 0 alone",
            "table",
            _one_position,
            hint="Which angle does every clock show at position 0?",
        ),
        Probe(
            "as many positions as columns",
            "table",
            _equal_sizes,
            hint="Here a table lying on its side has the right shape too.",
        ),
        Probe("positions far from the beginning", "offset", _later),
        Probe("the offset given by name, smaller than n", "offset", _by_name),
        Probe(
            "a later table goes on where the first one ended",
            "offset",
            _in_two_pieces,
            hint="Each call must look at its own offset.",
        ),
    ),
    wrong=(
        Wrong(
            "all sines come first and all cosines behind them",
            "pairs",
            "Which two columns belong to pair 0?",
            (
                ("P[:, 0::2]", "P[:, : d_model // 2]"),
                ("P[:, 1::2]", "P[:, d_model // 2 :]"),
            ),
        ),
        Wrong(
            "sine and cosine are exchanged",
            "pairs",
            "What should column 0 hold at position 0?",
            (
                ("np.sin(angles)", "np.cos(angles)"),
                ("P[:, 1::2] = np.cos", "P[:, 1::2] = np.sin"),
            ),
        ),
        Wrong(
            "both columns of a pair hold the sine",
            "pairs",
            "One hand of a clock needs two numbers.",
            (("np.cos(angles)", "np.sin(angles)"),),
        ),
        Wrong(
            "every column has a speed of its own",
            "frequency",
            "Sine and cosine of a pair must belong to one angle.",
            source="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    t = np.arange(offset, offset + n)[:, None]
    column = np.arange(d_model)
    angles = t / 10000 ** (column / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))
""",
        ),
        Wrong(
            "the exponent grows by 2/d with every column",
            "frequency",
            "Is your i the number of a column or the number of a pair?",
            source="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    t = np.arange(offset, offset + n)[:, None]
    column = np.arange(d_model)
    angles = t / 10000 ** (2 * column / d_model)
    return np.where(column % 2 == 0, np.sin(angles), np.cos(angles))
""",
        ),
        Wrong(
            "the exponent is i/d",
            "frequency",
            "How slow should the last pair of a wide vector be: almost 10000 positions for one "
            "radian, or about 100?",
            (("2 * i / d_model", "i / d_model"),),
        ),
        Wrong(
            "the exponents run to 1 in equal steps",
            "frequency",
            "By how much does the exponent grow from one pair to the next?",
            (("2 * i / d_model", "i / max(d_model // 2 - 1, 1)"),),
        ),
        Wrong(
            "the exponent is divided as a whole number",
            "frequency",
            "What is 2 // 8?",
            (("2 * i / d_model", "2 * i // d_model"),),
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
            "the base is e",
            "frequency",
            "Which number is raised to the power?",
            (("t / 10000 ** (2 * i / d_model)", "t / np.exp(2 * i / d_model)"),),
        ),
        Wrong(
            "the slow clocks come first",
            "frequency",
            "Pair 0 turns by one radian a position.",
            (("np.arange(d_model // 2)", "np.arange(d_model // 2)[::-1]"),),
        ),
        Wrong(
            "the angles are taken as degrees",
            "frequency",
            "In which unit does the contract ask for angles?",
            (
                (
                    "angles = t / 10000 ** (2 * i / d_model)",
                    "angles = np.radians(t / 10000 ** (2 * i / d_model))",
                ),
            ),
        ),
        Wrong(
            "positions are a share of the length",
            "position",
            "Position 3 must look the same in a short and in a long text.",
            (("angles = t /", "angles = t / n /"),),
        ),
        Wrong(
            "positions are counted from 1",
            "position",
            "What does the contract call the first position?",
            (("np.arange(offset, offset + n)", "np.arange(offset + 1, offset + n + 1)"),),
        ),
        Wrong(
            "the offset is ignored",
            "offset",
            "Where in your function does the offset appear?",
            (("np.arange(offset, offset + n)", "np.arange(n)"),),
        ),
        Wrong(
            "the offset is subtracted",
            "offset",
            "Does a later piece of text stand at larger or at smaller positions?",
            (("np.arange(offset, offset + n)", "(np.arange(n) - offset)"),),
        ),
        Wrong(
            "n is taken for the last position",
            "offset",
            "How many rows should the table have?",
            (("np.arange(offset, offset + n)", "np.arange(offset, n)"),),
        ),
        Wrong(
            "the rows before the offset are returned too",
            "offset",
            "How many rows should the table have?",
            (("np.arange(offset, offset + n)", "np.arange(offset + n)"),),
        ),
        Wrong(
            "the offset is added to the angle",
            "offset",
            "A slow clock moves little even over many positions.",
            (
                ("np.arange(offset, offset + n)", "np.arange(n)"),
                ("(2 * i / d_model)", "(2 * i / d_model) + offset"),
            ),
        ),
        Wrong(
            "a table of the same size is returned from a store",
            "offset",
            "Which inputs decide what the table holds?",
            (
                ("def sinusoidal_table", "STORE = {}\n\n\ndef sinusoidal_table"),
                ("return P", "return STORE.setdefault((n, d_model), P)"),
            ),
        ),
        Wrong(
            "the table lies on its side",
            "axis",
            "Positions are rows.",
            (("return P", "return P.T"),),
        ),
    ),
    odd=(
        Odd(
            "loops and the math module",
            source="""\
from math import cos, sin


def sinusoidal_table(n, d_model, offset=0):
    rows = []
    for t in range(offset, offset + n):
        row = []
        for i in range(d_model // 2):
            angle = t / 10000 ** (2 * i / d_model)
            row += [sin(angle), cos(angle)]
        rows.append(row)
    return rows
""",
        ),
        Odd(
            "a cosine is a sine a quarter turn ahead",
            source="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    column = np.arange(d_model)
    speeds = 10000.0 ** -((column - column % 2) / d_model)
    return np.sin(np.outer(np.arange(offset, offset + n), speeds) + column % 2 * np.pi / 2)
""",
        ),
        Odd(
            "complex numbers",
            source="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    speeds = np.exp(-np.log(10000) * np.arange(0, d_model, 2) / d_model)
    z = np.exp(1j * np.multiply.outer(np.arange(n) + offset, speeds))
    return np.stack([z.imag, z.real], axis=-1).reshape(n, d_model)
""",
        ),
        Odd("single precision comes back", (("return P", "return P.astype(np.float32)"),)),
        Odd("stored column by column", (("return P", "return np.asfortranarray(P)"),)),
    ),
    variants=(
        Variant(
            "halves",
            contract=(
                (
                    "Pair $i$ stands in the columns $2i$ and $2i + 1$: first the sine, then "
                    "the cosine.",
                    "Pair $i$ stands in the columns $i$ and $i + d/2$: all sines in the first "
                    "half of the columns, all cosines in the second.",
                ),
            ),
            hints=(("a slice may have a step", "half of them are a slice"),),
            said=dict.fromkeys(
                (
                    "all sines come first and all cosines behind them",
                    "the table lies on its side",
                )
            ),
            wrap="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    P = np.asarray(base(n, d_model, offset))
    return np.concatenate([P[:, 0::2], P[:, 1::2]], axis=1)
""",
        ),
        Variant(
            "cosine-first",
            contract=(
                ("first the sine, then the cosine.", "first the cosine, then the sine."),
            ),
            said=dict.fromkeys(
                (
                    "sine and cosine are exchanged",
                    "all sines come first and all cosines behind them",
                    "the table lies on its side",
                )
            ),
            wrap="""\
import numpy as np


def sinusoidal_table(n, d_model, offset=0):
    P = np.asarray(base(n, d_model, offset))
    return np.stack([P[:, 1::2], P[:, 0::2]], axis=-1).reshape(P.shape)
""",
        ),
    ),
)
