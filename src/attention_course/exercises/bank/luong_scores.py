"""Luong's four scores behind one function: dot, general, concat, location."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Variant, Wrong


def _ask(h_t, states, score, *arrays):
    return Call("luong_scores", (h_t, states, score, *arrays), returns=("scores",))


def _dot(rng):
    draw = rng.standard_normal
    return [_ask(draw((2, 3)), draw((2, 5, 3)), "dot")]


def _dot_square(rng):
    draw = rng.standard_normal
    return [_ask(draw((4, 4)), draw((4, 4, 4)), "dot")]


def _general(rng):
    draw = rng.standard_normal
    return [_ask(draw((3, 2)), draw((3, 6, 4)), "general", draw((2, 4)))]


def _general_square(rng):
    draw = rng.standard_normal
    return [_ask(draw((2, 5)), draw((2, 3, 5)), "general", draw((5, 5)))]


def _concat(rng):
    draw = rng.standard_normal
    return [_ask(draw((3, 2)), draw((3, 6, 5)), "concat", draw((4, 7)), draw(4))]


def _concat_square(rng):
    draw = rng.standard_normal
    return [_ask(draw((3, 3)), draw((3, 3, 3)), "concat", draw((6, 6)), draw(6))]


def _location(longest, n_x):
    def calls(rng):
        draw = rng.standard_normal
        return [_ask(draw((3, 4)), draw((3, n_x, 2)), "location", draw((longest, 4)))]

    return calls


def _location_square(rng):
    draw = rng.standard_normal
    return [_ask(draw((4, 4)), draw((4, 4, 4)), "location", draw((4, 4)))]


def _one(rng):
    draw = rng.standard_normal
    h_t, states = draw((1, 3)), draw((1, 4, 3))
    return [_ask(h_t, states, "dot"), _ask(h_t, states, "general", draw((3, 3)))]


def _rows(call):
    """Return the call with its matrices turned, for scores that multiply rows."""
    if call.args[2] not in ("concat", "location"):
        return call
    return replace(call, args=(*call.args[:3], call.args[3].T, *call.args[4:]))


def _state_first(call):
    """Return the call with the columns of concat's matrix that meet the states in front."""
    if call.args[2] != "concat":
        return call
    d = call.args[0].shape[1]
    return replace(call, args=(*call.args[:3], np.roll(call.args[3], -d, 1), call.args[4]))


DOT = 'np.einsum("bd,bsd->bs", h_t, states)'
GENERAL = 'np.einsum("bi,ij,bsj->bs", h_t, W_a, states)'
BOTH = "[asked, states]"
HIDDEN = "np.tanh(np.concatenate([asked, states], axis=-1) @ W_a.T)"
PLACES = "(h_t @ W_a.T)[:, :n_x]"

EXERCISE = Exercise(
    slug="luong-scores",
    title="Luong's four scores behind one function",
    chapter="recurrent/luong",
    family="recurrent",
    target="luong_scores",
    minutes=25,
    statement=(
        "Write `luong_scores(h_t, states, score, W_a=None, v_a=None)`. The decoder's states "
        "`h_t` have shape `(batch, d_t)`, the source states, `states`, have "
        '`(batch, n_x, d_s)`; `score` is one of `"dot"`, `"general"`, `"concat"`, '
        '`"location"`. `W_a` is the matrix of all '
        "but dot, `v_a` the read-out vector of concat. Return the scores, `(batch, n_x)`."
    ),
    contract=(
        r"Dot: $\mathbf{h}_t \cdot \bar{\mathbf{h}}_s$, for which both widths are equal.",
        r"General: $\mathbf{h}_t^\top W_a \bar{\mathbf{h}}_s$, with `W_a` of shape "
        "`(d_t, d_s)`.",
        r"Concat: $\mathbf{v}_a^\top \tanh(W_a [\mathbf{h}_t; \bar{\mathbf{h}}_s])$, the "
        "decoder's state in front, with `W_a` of shape `(d_a, d_t + d_s)` and `v_a` of "
        "`(d_a,)`.",
        r"Location: $(W_a \mathbf{h}_t)_s$ for place $s$, with `W_a` of shape "
        "`(longest, d_t)`; what the source states contain is not read.",
        "Location has one row of `W_a` for each place in the source. A shorter source uses the "
        "first rows; places of a longer one that have no row get a score of minus infinity.",
        "What is returned are scores, before any softmax; nothing divides them.",
        "The arguments are left as they were.",
    ),
    stub='''\
def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Return the scores (batch, n_x) of h_t (batch, d_t) with states (batch, n_x, d_s)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Return the scores (batch, n_x) of h_t (batch, d_t) with states (batch, n_x, d_s)."""
    batch, n_x, _ = states.shape
    if score == "dot":
        return np.einsum("bd,bsd->bs", h_t, states)
    if score == "general":
        return np.einsum("bi,ij,bsj->bs", h_t, W_a, states)
    if score == "concat":
        asked = np.broadcast_to(h_t[:, None], (batch, n_x, h_t.shape[1]))
        return np.tanh(np.concatenate([asked, states], axis=-1) @ W_a.T) @ v_a
    scores = np.full((batch, n_x), -np.inf)
    scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]
    return scores
''',
    hints=(
        "Begin with dot and a batch of one. Then ask of each axis of `states` whether the "
        "scores keep it.",
        "General is dot, once W_a has been applied to one of the two. To which side of it does "
        "h_t belong, if its shape is (d_t, d_s)?",
        "Concat needs the same h_t beside every source state, so it has to be repeated n_x "
        "times before the two are joined.",
        "For location start from a table full of what a missing place should have, and fill in "
        "the places that exist.",
    ),
    points={"dot and general": 2, "concat": 2, "location": 2},
    probes=(
        Probe("dot, two sentences of five words", "dot and general", _dot),
        Probe("a batch of one", "dot and general", _one),
        Probe(
            "dot, with all sizes equal",
            "dot and general",
            _dot_square,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("general, with widths that differ", "dot and general", _general),
        Probe(
            "general, with a square matrix",
            "dot and general",
            _general_square,
            hint="A square matrix fits either way round, and is not symmetric.",
        ),
        Probe("concat, with widths that differ", "concat", _concat),
        Probe("concat, with equal widths", "concat", _concat_square),
        Probe("location, as many places as rows", "location", _location(5, 5)),
        Probe("location, with all sizes equal", "location", _location_square),
        Probe("location, a shorter source", "location", _location(6, 2)),
        Probe(
            "location, a longer source",
            "location",
            _location(5, 7),
            hint="The contract says what a place without a row gets.",
        ),
    ),
    wrong=(
        Wrong(
            "dot is divided by the square root of the width",
            "scale",
            "The contract has no factor in it.",
            ((DOT, f"{DOT} / np.sqrt(h_t.shape[1])"),),
        ),
        Wrong(
            "dot is a cosine",
            "scale",
            "A longer state should get a larger score.",
            (
                (
                    DOT,
                    f"{DOT} / np.linalg.norm(states, axis=-1)"
                    " / np.linalg.norm(h_t, axis=-1, keepdims=True)",
                ),
            ),
        ),
        Wrong(
            "dot takes the queries along the words where that fits",
            "axis",
            "Which sentence does each decoder state belong to?",
            ((DOT, "(states * h_t).sum(-1)"),),
        ),
        Wrong(
            "dot mixes up the axes of words and of numbers where that fits",
            "axis",
            "Which axis of the states does the sum run over?",
            (
                (
                    DOT,
                    '(np.einsum("bd,bds->bs", h_t, states) if n_x == h_t.shape[1] else '
                    'np.einsum("bd,bsd->bs", h_t, states))',
                ),
            ),
        ),
        Wrong(
            "general's matrix is applied the wrong way round where it is square",
            "operands",
            "Rows of W_a belong to the decoder's state, columns to the source's.",
            (
                (
                    GENERAL,
                    'np.einsum("bi,ij,bsj->bs", h_t, '
                    "W_a.T if len(W_a) == len(W_a.T) else W_a, states)",
                ),
            ),
        ),
        Wrong(
            "general's matrix is reshaped where it should be transposed",
            "operands",
            "Both give a shape that fits; a reshape tears the rows apart.",
            (
                (
                    GENERAL,
                    'np.einsum("bi,bsi->bs", h_t, states @ W_a.reshape(W_a.shape[::-1]))',
                ),
            ),
        ),
        Wrong(
            "general has a tanh",
            "score",
            "Of the four scores, which has a hidden layer?",
            ((GENERAL, 'np.einsum("bi,bsi->bs", h_t, np.tanh(states @ W_a.T))'),),
        ),
        Wrong(
            "general leaves its matrix out where it can",
            "score",
            "With widths that are equal the matrix still belongs to the score.",
            (
                (
                    GENERAL,
                    f"{GENERAL} if len(W_a) != len(W_a.T) else "
                    'np.einsum("bj,bsj->bs", h_t, states)',
                ),
            ),
        ),
        Wrong(
            "concat joins the source state in front",
            "operands",
            "Which of the two stands first in the brackets of the contract?",
            ((BOTH, "[states, asked]"),),
        ),
        Wrong(
            "concat has no tanh",
            "score",
            "Without it the decoder's state adds the same to every score.",
            ((HIDDEN, "(np.concatenate([asked, states], axis=-1) @ W_a.T)"),),
        ),
        Wrong(
            "concat takes the tanh of the score",
            "score",
            "The tanh is the hidden layer's; the read-out comes after it.",
            (
                (
                    f"{HIDDEN} @ v_a",
                    "np.tanh(np.concatenate([asked, states], axis=-1) @ W_a.T @ v_a)",
                ),
            ),
        ),
        Wrong(
            "concat sums the hidden layer without reading it out",
            "score",
            "What is v_a for?",
            ((f"{HIDDEN} @ v_a", f"{HIDDEN}.sum(-1)"),),
        ),
        Wrong(
            "concat takes the tanh of the states, before the matrix",
            "score",
            "Which is applied first, the matrix or the tanh?",
            ((HIDDEN, "(np.tanh(np.concatenate([asked, states], axis=-1)) @ W_a.T)"),),
        ),
        Wrong(
            "concat uses its square matrix the other way round",
            "operands",
            "A row of W_a makes one hidden unit.",
            (
                (
                    HIDDEN,
                    "np.tanh(np.concatenate([asked, states], axis=-1) @ "
                    "(W_a if len(W_a) == len(W_a.T) else W_a.T))",
                ),
            ),
        ),
        Wrong(
            "concat asks with the first decoder state of the batch",
            "axis",
            "Every sentence has a decoder state of its own.",
            (("h_t[:, None], (batch", "h_t[:1, None], (batch"),),
        ),
        Wrong(
            "location reads the source states too",
            "score",
            "Which letters stand in location's formula, and which do not?",
            ((PLACES, "(h_t @ W_a.T)[:, :n_x] * states.sum(-1)[:, : len(W_a)]"),),
        ),
        Wrong(
            "location gives missing places the score 0",
            "location",
            "The exponential of 0 is not 0.",
            (("-np.inf", "0.0"),),
        ),
        Wrong(
            "location gives missing places a large negative number",
            "location",
            "The contract names the score exactly.",
            (("-np.inf", "-1e9"),),
        ),
        Wrong(
            "location uses its last rows for a shorter source",
            "location",
            "The first word's row should not depend on how long the source is.",
            ((PLACES, "(h_t @ W_a.T)[:, -n_x:]"),),
        ),
        Wrong(
            "location's matrix is turned where it is square",
            "operands",
            "A row of W_a belongs to one place.",
            ((PLACES, "(h_t @ (W_a if len(W_a) == len(W_a.T) else W_a.T))[:, :n_x]"),),
        ),
        Wrong(
            "location fails on a source longer than its matrix",
            "location",
            "Try a source with more words than W_a has rows.",
            (("scores[:, : len(W_a)] = ", "scores[:] = "),),
        ),
        Wrong(
            "location begins again with the first row on a longer source",
            "location",
            "Two places would then share a score, and neither is masked.",
            (
                (
                    "scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]",
                    "scores[:] = (h_t @ W_a.T)[:, np.arange(n_x) % len(W_a)]",
                ),
            ),
        ),
        Wrong(
            "a softmax has been taken already",
            "normalisation",
            "Scores stand before the softmax, weights after it.",
            source="""\
import numpy as np


def scores_of(h_t, states, score, W_a, v_a):
    batch, n_x, _ = states.shape
    if score == "dot":
        return np.einsum("bd,bsd->bs", h_t, states)
    if score == "general":
        return np.einsum("bi,ij,bsj->bs", h_t, W_a, states)
    if score == "concat":
        asked = np.broadcast_to(h_t[:, None], (batch, n_x, h_t.shape[1]))
        return np.tanh(np.concatenate([asked, states], axis=-1) @ W_a.T) @ v_a
    scores = np.full((batch, n_x), -np.inf)
    scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]
    return scores


def luong_scores(h_t, states, score, W_a=None, v_a=None):
    scores = scores_of(h_t, states, score, W_a, v_a)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exps / exps.sum(axis=1, keepdims=True)
""",
        ),
    ),
    odd=(
        Odd(
            "loops over single numbers",
            source="""\
from math import inf, tanh


def luong_scores(h_t, states, score, W_a=None, v_a=None):
    def one(h, s, place):
        if score == "dot":
            return sum(a * b for a, b in zip(h, s))
        if score == "general":
            return sum(h[i] * W_a[i, j] * s[j] for i in range(len(h)) for j in range(len(s)))
        if score == "concat":
            both = [*h, *s]
            return sum(
                v * tanh(sum(w * x for w, x in zip(row, both))) for v, row in zip(v_a, W_a)
            )
        return sum(w * x for w, x in zip(W_a[place], h)) if place < len(W_a) else -inf

    return [
        [one(h, s, place) for place, s in enumerate(sentence)]
        for h, sentence in zip(h_t, states)
    ]
""",
        ),
        Odd(
            "single precision inside",
            (
                (
                    "    batch, n_x, _ = states.shape",
                    "    h_t, states = np.float32(h_t), np.float32(states)\n"
                    "    W_a = None if W_a is None else np.float32(W_a)\n"
                    "    v_a = None if v_a is None else np.float32(v_a)\n"
                    "    batch, n_x, _ = states.shape",
                ),
            ),
        ),
        Odd("matrix products for dot", ((DOT, "(states @ h_t[:, :, None])[:, :, 0]"),)),
        Odd("dot by broadcasting", ((DOT, "(h_t[:, None] * states).sum(-1)"),)),
        Odd("general as dot", ((GENERAL, "((h_t @ W_a)[:, None] * states).sum(-1)"),)),
        Odd(
            "general from the other side",
            ((GENERAL, "(states @ W_a.T @ h_t[..., None])[..., 0]"),),
        ),
        Odd(
            "concat as the additive score",
            (
                (
                    HIDDEN,
                    "np.tanh((h_t @ W_a[:, : h_t.shape[1]].T)[:, None] + "
                    "states @ W_a[:, h_t.shape[1] :].T)",
                ),
            ),
        ),
        Odd(
            "a table of functions",
            source="""\
import numpy as np


def location(h_t, states, W_a, v_a):
    batch, n_x = states.shape[:2]
    missing = np.full((batch, max(0, n_x - len(W_a))), -np.inf)
    return np.hstack([h_t @ W_a[:n_x].T, missing])


def concat(h_t, states, W_a, v_a):
    both = np.dstack([np.repeat(h_t[:, None], states.shape[1], 1), states])
    return np.tanh(both @ W_a.T) @ v_a


TABLE = {
    "dot": lambda h_t, states, W_a, v_a: np.stack([s @ h for h, s in zip(h_t, states)]),
    "general": lambda h_t, states, W_a, v_a: np.stack(
        [s @ (W_a.T @ h) for h, s in zip(h_t, states)]
    ),
    "concat": concat,
    "location": location,
}


def luong_scores(h_t, states, score, W_a=None, v_a=None):
    return TABLE[score](h_t, states, W_a, v_a)
""",
        ),
    ),
    variants=(
        Variant(
            "state-first",
            contract=(
                (
                    r"$\mathbf{v}_a^\top \tanh(W_a [\mathbf{h}_t; \bar{\mathbf{h}}_s])$, the "
                    "decoder's state in front",
                    r"$\mathbf{v}_a^\top \tanh(W_a [\bar{\mathbf{h}}_s; \mathbf{h}_t])$, the "
                    "source state in front",
                ),
            ),
            adapt=_state_first,
            said={"concat joins the source state in front": None},
            wrap='''
def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Return the scores (batch, n_x) of h_t (batch, d_t) with states (batch, n_x, d_s)."""
    if score == "concat":
        d = states.shape[2]
        W_a = np.concatenate([W_a[:, d:], W_a[:, :d]], axis=1)
    return base(h_t, states, score, W_a, v_a)
''',
        ),
        Variant(
            "rows",
            contract=(
                (
                    r"$\mathbf{v}_a^\top \tanh(W_a [\mathbf{h}_t; \bar{\mathbf{h}}_s])$",
                    r"$\tanh([\mathbf{h}_t; \bar{\mathbf{h}}_s] W_a) \cdot \mathbf{v}_a$",
                ),
                ("`(d_a, d_t + d_s)`", "`(d_t + d_s, d_a)`"),
                (r"$(W_a \mathbf{h}_t)_s$", r"$(\mathbf{h}_t W_a)_s$"),
                ("`(longest, d_t)`", "`(d_t, longest)`"),
                ("one row of `W_a` for each place", "one column of `W_a` for each place"),
                ("the first rows; places", "the first columns; places"),
                ("that have no row get", "that have no column get"),
            ),
            adapt=_rows,
            probes={
                "location, as many places as rows": ("location, as many places as columns", ""),
                "location, a longer source": (
                    "location, a longer source",
                    "The contract says what a place without a column gets.",
                ),
            },
            said={
                "concat uses its square matrix the other way round": (
                    "concat uses its square matrix the other way round",
                    "A column of W_a makes one hidden unit.",
                ),
                "location uses its last rows for a shorter source": (
                    "location uses its last columns for a shorter source",
                    "The first word's column should not depend on how long the source is.",
                ),
                "location's matrix is turned where it is square": (
                    "location's matrix is turned where it is square",
                    "A column of W_a belongs to one place.",
                ),
                "location fails on a source longer than its matrix": (
                    "location fails on a source longer than its matrix",
                    "Try a source with more words than W_a has columns.",
                ),
                "location begins again with the first row on a longer source": (
                    "location begins again with the first column on a longer source",
                    "Two places would then share a score, and neither is masked.",
                ),
            },
            wrap='''
def luong_scores(h_t, states, score, W_a=None, v_a=None):
    """Return the scores (batch, n_x) of h_t (batch, d_t) with states (batch, n_x, d_s)."""
    turned = W_a.T if score in ("concat", "location") else W_a
    return base(h_t, states, score, turned, v_a)
''',
        ),
    ),
)
