"""A decoder with input feeding: what was found at one step is part of the next input."""

import numpy as np

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("attentional", "weights")


def _ask(rng, steps, n_x, d_y, d, d_out):
    draw = rng.standard_normal
    y, states, h_0 = draw((steps, d_y)), draw((n_x, d)), draw(d)
    W = draw((d, d_y + d_out)) / np.sqrt(d_y + d_out)
    U, W_c = draw((d, d)) / np.sqrt(d), draw((d_out, 2 * d)) / np.sqrt(d)
    return Call("feed_inputs", (y, states, h_0, W, U, W_c), returns=RETURNS)


def _with(*sizes):
    return lambda rng: [_ask(rng, *sizes)]


def _large(rng):
    call = _ask(rng, 3, 5, 4, 2, 6)
    y, _, h_0, W, U, W_c = call.args
    levels = 2000.0 * rng.permutation(np.arange(5) - 2.0)
    states = np.stack([levels, 0 * levels], axis=1)
    W, U, y, h_0 = 0.1 * np.abs(W), np.abs(U), 0.5 + np.abs(y), np.abs(h_0)
    W[:, 4:] = 0
    return [Call("feed_inputs", (y, states, h_0, W, U, W_c / 2000), returns=RETURNS)]


INPUT = "np.concatenate([y_t, fed])"
STATE = f"np.tanh(W @ {INPUT} + U @ h)"
BOTH = "np.concatenate([context, h])"
FED = f"fed = np.tanh(W_c @ {BOTH})"

EXERCISE = Exercise(
    slug="input-feeding",
    title="A decoder with input feeding",
    chapter="recurrent/luong",
    family="recurrent",
    target="feed_inputs",
    minutes=25,
    statement=(
        "Write the steps of Luong's decoder with a plain recurrent cell in place of the "
        "LSTM: `feed_inputs(y, states, h_0, W, U, W_c)`. The embeddings of the words fed in, "
        "`y`, have shape `(n_y, d_y)`, one a step; the source states, `states`, have "
        "`(n_x, d)`; the decoder starts from `h_0`, `(d,)`. `W` has `(d, d_y + d_out)`, `U` "
        "has `(d, d)`, `W_c` has `(d_out, 2d)`. Return the attentional vectors, "
        "`(n_y, d_out)`, and the weights, `(n_y, n_x)`."
    ),
    contract=(
        r"A step reads the word and the attentional vector of the step before, in this order: "
        r"$\mathbf{h}_t = \tanh(W [\mathbf{y}_t; \tilde{\mathbf{h}}_{t-1}] + "
        r"U \mathbf{h}_{t-1})$.",
        "Before the first step the attentional vector is 0.",
        r"The state of *this* step asks, the score is the dot product, and "
        r"$\tilde{\mathbf{h}}_t = \tanh(W_c [\mathbf{c}_t; \mathbf{h}_t])$, with "
        r"$\mathbf{c}_t$ the context.",
        "What the next step's $U$ multiplies is the state, not the attentional vector.",
        "Scores may be in the thousands.",
        "The arguments are left as they were.",
        "Return two arrays, the attentional vectors first.",
    ),
    stub='''\
def feed_inputs(y, states, h_0, W, U, W_c):
    """Return the attentional vectors (n_y, d_out) and the weights (n_y, n_x)."""
    raise NotImplementedError
''',
    solution='''\
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c):
    """Return the attentional vectors (n_y, d_out) and the weights (n_y, n_x)."""
    h, fed = h_0, np.zeros(len(W_c))
    attentional, all_weights = [], []
    for y_t in y:
        h = np.tanh(W @ np.concatenate([y_t, fed]) + U @ h)
        scores = states @ h
        exps = np.exp(scores - scores.max())
        weights = exps / exps.sum()
        context = weights @ states
        fed = np.tanh(W_c @ np.concatenate([context, h]))
        attentional.append(fed)
        all_weights.append(weights)
    return np.stack(attentional), np.stack(all_weights)
''',
    hints=(
        "Two things are carried from step to step. Name them before the loop.",
        "Write the order of one step as five words: state, scores, weights, context, vector. "
        "Each needs only what stands before it.",
        "For the widths: W reads d_y + d_out numbers, W_c reads 2d. Which two vectors are "
        "joined for each?",
    ),
    points={"one step": 2, "many steps": 3, "large scores": 1},
    probes=(
        Probe("a single step", "one step", _with(1, 5, 3, 4, 2)),
        Probe("a single step, a single word in the source", "one step", _with(1, 1, 2, 3, 5)),
        Probe("three steps, six words", "many steps", _with(3, 6, 2, 4, 5)),
        Probe("more steps than words", "many steps", _with(7, 3, 4, 2, 6)),
        Probe(
            "all sizes equal",
            "many steps",
            _with(4, 4, 4, 4, 4),
            hint="Here many wrong things fit as well, so only the numbers tell.",
        ),
        Probe("scores in the thousands", "large scores", _large),
    ),
    wrong=(
        Wrong(
            "nothing is fed in",
            "feeding",
            "What does a step know of where the step before looked?",
            ((INPUT, "np.concatenate([y_t, 0 * fed])"),),
        ),
        Wrong(
            "the first step is fed a vector of ones",
            "feeding",
            "What does the contract say about the time before the first step?",
            (("np.zeros(len(W_c))", "np.ones(len(W_c))"),),
        ),
        Wrong(
            "the context is fed in, where it fits",
            "feeding",
            "Which vector has already joined what was found with what was asked?",
            (
                (
                    "        attentional.append(fed)",
                    "        attentional.append(fed)\n"
                    "        fed = context if len(context) == len(fed) else fed",
                ),
            ),
        ),
        Wrong(
            "the vector is fed in before the word",
            "order",
            "In which order are the two joined?",
            ((INPUT, "np.concatenate([fed, y_t])"),),
        ),
        Wrong(
            "the state is joined before the context",
            "order",
            "In which order are the two joined?",
            ((BOTH, "np.concatenate([h, context])"),),
        ),
        Wrong(
            "the attentional vector takes the state's place, where it fits",
            "carried",
            "Two things are carried from step to step, not one.",
            (
                (
                    "        attentional.append(fed)",
                    "        attentional.append(fed)\n"
                    "        h = fed if len(h) == len(fed) else h",
                ),
            ),
        ),
        Wrong(
            "every step starts from the first state",
            "carried",
            "What does U multiply at the third step?",
            (("U @ h)", "U @ h_0)"),),
        ),
        Wrong(
            "the state before the step asks",
            "query",
            "That is Bahdanau's order.",
            (
                (
                    f"        h = {STATE}\n        scores = states @ h",
                    f"        scores = states @ h\n        h = {STATE}",
                ),
            ),
        ),
        Wrong(
            "the attentional vector asks, where it fits",
            "query",
            "Whose state is the query in this model?",
            (
                (
                    "scores = states @ h",
                    "scores = states @ (fed if len(fed) == len(h) and len(attentional) else h)",
                ),
            ),
        ),
        Wrong(
            "the attentional vector has no tanh",
            "vector",
            "Its numbers should lie between -1 and 1.",
            ((FED, f"fed = W_c @ {BOTH}"),),
        ),
        Wrong(
            "the state has no tanh",
            "cell",
            "Its numbers should lie between -1 and 1.",
            ((STATE, f"W @ {INPUT} + U @ h"),),
        ),
        Wrong(
            "U is used the other way round",
            "operands",
            "A square matrix fits either way: each row makes one number.",
            (("U @ h)", "h @ U)"),),
        ),
        Wrong(
            "the recurrence is left out",
            "cell",
            "Which matrix did you not use?",
            ((f"W @ {INPUT} + U @ h", f"W @ {INPUT}"),),
        ),
        Wrong(
            "the scores are divided by the square root of the width",
            "scale",
            "The contract names the score, and it has no factor.",
            (("states @ h\n", "states @ h / np.sqrt(len(h))\n"),),
        ),
        Wrong(
            "the context is the mean of the source states",
            "context",
            "What are the weights for?",
            (("context = weights @ states", "context = states.mean(0)"),),
        ),
        Wrong(
            "the largest score is not taken away",
            "unstable",
            "What is the exponential of 2000?",
            (("scores - scores.max()", "scores"),),
        ),
        Wrong(
            "scores are returned in the place of weights",
            "operands",
            "Scores stand before the softmax, weights after it.",
            (("all_weights.append(weights)", "all_weights.append(scores)"),),
        ),
        Wrong(
            "the decoder's states are returned",
            "operands",
            "The output layer reads the joined vector.",
            (("attentional.append(fed)", "attentional.append(h)"),),
        ),
        Wrong(
            "the two results are in the wrong order",
            "operands",
            "In which order does the contract ask for the two?",
            (
                (
                    "return np.stack(attentional), np.stack(all_weights)",
                    "return np.stack(all_weights), np.stack(attentional)",
                ),
            ),
        ),
        Wrong(
            "only the last step is returned",
            "operands",
            "How many rows does the statement ask for?",
            (
                (
                    "return np.stack(attentional), np.stack(all_weights)",
                    "return fed, weights",
                ),
            ),
        ),
    ),
    odd=(
        Odd(
            "single precision inside",
            (
                (
                    "    h, fed = h_0, np.zeros(len(W_c))",
                    "    y, states, h_0, W, U, W_c = (\n"
                    "        np.float32(x) for x in (y, states, h_0, W, U, W_c)\n    )\n"
                    "    h, fed = h_0, np.zeros(len(W_c), np.float32)",
                ),
            ),
        ),
        Odd(
            "matrices cut instead of vectors joined",
            (
                (f"W @ {INPUT}", "W[:, : len(y_t)] @ y_t + W[:, len(y_t) :] @ fed"),
                (f"W_c @ {BOTH}", "W_c[:, : len(h)] @ context + W_c[:, len(h) :] @ h"),
            ),
        ),
        Odd(
            "a recursion",
            source="""\
import numpy as np


def feed_inputs(y, states, h_0, W, U, W_c, fed=None):
    if len(y) == 0:
        return np.zeros((0, len(W_c))), np.zeros((0, len(states)))
    fed = [0.0] * len(W_c) if fed is None else fed
    h = np.tanh(W @ [*y[0], *fed] + U @ h_0)
    weights = np.exp(states @ h - np.logaddexp.reduce(states @ h))
    fed = np.tanh(W_c @ [*(weights @ states), *h])
    vectors, rest = feed_inputs(y[1:], states, h, W, U, W_c, fed)
    return np.vstack([fed, vectors]), np.vstack([weights, rest])
""",
        ),
        Odd(
            "results in lists",
            (
                (
                    "return np.stack(attentional), np.stack(all_weights)",
                    "return attentional, all_weights",
                ),
            ),
        ),
    ),
)
