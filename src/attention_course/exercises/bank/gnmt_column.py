"""One word of GNMT's decoder: the wiring of a stack of any height."""

from dataclasses import replace

from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Odd, Probe, Wrong

RETURNS = ("output", "m", "c", "weights")
ADDED = "x = new_m[layer] + x if layer >= 2 else new_m[layer]"
RETURN = "return x, new_m, new_c, weights"
CELL = '''\
def gate(a):
    return 1 / (1 + np.exp(-a))


def one_lstm(inputs, m, c, W, b):
    """Return the output and the cell of one LSTM after a step; this part is given."""
    i, f, g, o = np.split(W @ np.concatenate([inputs, m]) + b, 4)
    c = gate(f) * c + gate(i) * np.tanh(g)
    return gate(o) * np.tanh(c), c


'''
IMPORT = "import numpy as np\n\n\n"
HEAD = '''\
def column_step(y, m, c, annotations, W_a, U_a, v_a, W, b):
    """Return the top output (d,), all m and c (layers, d), and the weights (source,)."""
'''


def _ask(rng, layers, d, source, d_s, d_a, score_by=1.0):
    draw = rng.standard_normal
    states = draw(d), draw((layers, d)), draw((layers, d)), draw((source, d_s))
    scoring = draw((d_a, d)), draw((d_a, d_s)), score_by * draw(d_a)
    stack = draw((layers, 4 * d, d + d_s + d)), draw((layers, 4 * d))
    return [Call("column_step", (*states, *scoring, *stack), returns=RETURNS)]


def _two_layers(rng):
    return _ask(rng, 2, 3, 6, 4, 5)


def _one_layer(rng):
    return _ask(rng, 1, 4, 3, 2, 5)


def _five_layers(rng):
    return _ask(rng, 5, 4, 7, 3, 6)


def _equal_sizes(rng):
    return _ask(rng, 4, 4, 4, 4, 4)


def _large(rng):
    call = _ask(rng, 3, 2, 8, 5, 4, score_by=20000.0)[0]
    args = list(call.args)
    args[6] = -args[6]
    return [call, replace(call, args=tuple(args))]


EXERCISE = Exercise(
    slug="gnmt-column",
    title="One word of GNMT's decoder",
    chapter="recurrent/gnmt-and-lstmn",
    family="recurrent",
    target="column_step",
    minutes=25,
    statement=(
        "Wire one step of GNMT's decoder. The LSTM itself is given; your part is who asks, who "
        "hears the answer, and where outputs are added to inputs. The bottom layer's output of "
        "the *last* step asks all annotations with an additive score, "
        "$v_a^\\top \\tanh(W_a m_0 + U_a h_j)$, where $m_0$ is that output, the first row of "
        "`m`, and $h_j$ an annotation. A softmax makes weights of the scores; the context is "
        "the sum of the annotations with these weights. The context goes into every layer, "
        "beside what comes from below. From the third layer on, a layer's output is added to "
        "what came from below, and the sum goes up. Return what leaves the top layer, `(d,)`; "
        "the outputs `m` and cells `c` of all layers after the step, `(layers, d)` each; and "
        "the weights, `(source,)`."
    ),
    contract=(
        "`y`, `(d,)`, is the embedding of the last word: it goes into the bottom layer.",
        "`m` and `c` have shape `(layers, d)`, the bottom layer first, and are those of the "
        "last step; there may be any number of layers.",
        "`annotations` has shape `(source, d_s)`, `W_a` `(d_a, d)`, `U_a` `(d_a, d_s)`, `v_a` "
        "`(d_a,)`.",
        "Layer l, the bottom one being 0, has the matrix `W[l]`, `(4d, d + d_s + d)`, and the "
        "bias `b[l]`, `(4d,)`: `one_lstm(inputs, m, c, W, b)` takes as inputs what comes from "
        "below and then the context.",
        "`m` holds what the LSTMs themselves put out, without what is added to it.",
        "Scores may be large.",
        "The inputs stay as they are: the new `m` and `c` are arrays of their own.",
    ),
    stub=CELL + HEAD + "    raise NotImplementedError\n",
    solution=IMPORT
    + CELL
    + HEAD
    + """\
    scores = np.tanh(annotations @ U_a.T + W_a @ m[0]) @ v_a
    exps = np.exp(scores - scores.max())
    weights = exps / exps.sum()
    context = weights @ annotations
    x = y
    new_m, new_c = np.empty_like(m), np.empty_like(c)
    for layer in range(len(W)):
        inputs = np.concatenate([x, context])
        new_m[layer], new_c[layer] = one_lstm(inputs, m[layer], c[layer], W[layer], b[layer])
        x = new_m[layer] + x if layer >= 2 else new_m[layer]
    return x, new_m, new_c, weights
""",
    hints=(
        "Two parts: first the attention, once for the whole column; then a loop from the "
        "bottom layer to the top.",
        "In the loop one variable holds what comes from below. What is it before the first "
        "layer, and what after each?",
        "The third layer from the bottom has which number if one counts from 0?",
    ),
    points={"wiring": 3, "residuals": 2, "large scores": 1},
    probes=(
        Probe("two layers, six annotations", "wiring", _two_layers),
        Probe("a single layer", "wiring", _one_layer),
        Probe(
            "five layers",
            "residuals",
            _five_layers,
            hint="Three of the five add their input to their output.",
        ),
        Probe(
            "all sizes equal",
            "residuals",
            _equal_sizes,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe(
            "scores in the thousands",
            "large scores",
            _large,
            hint="np.exp(1000) is inf, and inf / inf is nan.",
        ),
    ),
    wrong=(
        Wrong(
            "the top layer asks",
            "who asks",
            "Which layer asks decides how long the next word must wait.",
            (("W_a @ m[0]", "W_a @ m[-1]"),),
        ),
        Wrong(
            "the last word's embedding asks",
            "who asks",
            "The question comes from a state, not from a word.",
            (("W_a @ m[0]", "W_a @ y"),),
        ),
        Wrong(
            "the bottom layer's cell asks",
            "who asks",
            "Which of the two does an LSTM show to others?",
            (("W_a @ m[0]", "W_a @ c[0]"),),
        ),
        Wrong(
            "the bottom layer asks with its output of this step",
            "who asks",
            "The bottom layer needs the context as an input. Can it wait for its own output?",
            (
                (
                    "scores = np.tanh(annotations @ U_a.T + W_a @ m[0]) @ v_a",
                    "none = np.zeros(annotations.shape[1])\n"
                    "    now, _ = one_lstm(np.concatenate([y, none]), m[0], c[0], W[0], b[0])\n"
                    "    scores = np.tanh(annotations @ U_a.T + W_a @ now) @ v_a",
                ),
            ),
        ),
        Wrong(
            "only the bottom layer hears the context",
            "who hears",
            "How many layers hear the answer?",
            (("[x, context]", "[x, context if layer == 0 else 0 * context]"),),
        ),
        Wrong(
            "only the top layer hears the context",
            "who hears",
            "How many layers hear the answer?",
            (("[x, context]", "[x, context if layer == len(W) - 1 else 0 * context]"),),
        ),
        Wrong(
            "the bottom layer does not hear the context",
            "who hears",
            "How many layers hear the answer?",
            (("[x, context]", "[x, context if layer else 0 * context]"),),
        ),
        Wrong(
            "residuals begin at the second layer",
            "residual",
            "Count from 1 in the statement, from 0 in Python.",
            (("layer >= 2", "layer >= 1"),),
        ),
        Wrong(
            "residuals begin at the fourth layer",
            "residual",
            "Count from 1 in the statement, from 0 in Python.",
            (("layer >= 2", "layer >= 3"),),
        ),
        Wrong(
            "every layer has a residual",
            "residual",
            "Where do the additions begin?",
            (("layer >= 2", "layer >= 0"),),
        ),
        Wrong(
            "there are no residuals",
            "residual",
            "What happens from the third layer on?",
            ((ADDED, "x = new_m[layer]"),),
        ),
        Wrong(
            "the sum is kept as the layer's output",
            "residual",
            "What does the LSTM hear of itself in the next step?",
            (
                (
                    ADDED,
                    "new_m[layer] = new_m[layer] + x if layer >= 2 else new_m[layer]\n"
                    "        x = new_m[layer]",
                ),
            ),
        ),
        Wrong(
            "the embedding is added instead of the layer's input",
            "residual",
            "An addition goes around one layer.",
            ((ADDED, "x = new_m[layer] + y if layer >= 2 else new_m[layer]"),),
        ),
        Wrong(
            "the layer's own last output is added",
            "residual",
            "An addition goes from below to above, not from the last step to this one.",
            ((ADDED, "x = new_m[layer] + m[layer] if layer >= 2 else new_m[layer]"),),
        ),
        Wrong(
            "the output alone goes up, and the sum only out at the top",
            "residual",
            "Does the next layer see the sum?",
            (
                (
                    ADDED,
                    "below, x = x, new_m[layer]",
                ),
                (RETURN, "return (x + below if len(W) > 2 else x), new_m, new_c, weights"),
            ),
        ),
        Wrong(
            "what leaves the top is its output without the addition",
            "residual",
            "The top layer is one of those from the third on.",
            ((RETURN, "return new_m[-1], new_m, new_c, weights"),),
        ),
        Wrong(
            "every layer reads the embedding",
            "stack",
            "What comes from below after the first layer?",
            (("[x, context]", "[y, context]"),),
        ),
        Wrong(
            "context and input are joined the other way round",
            "stack",
            "The columns of W belong first to what comes from below.",
            (("[x, context]", "[context, x]"),),
        ),
        Wrong(
            "all layers use the bottom layer's matrix",
            "stack",
            "Each layer has learned something of its own.",
            (("W[layer], b[layer]", "W[0], b[layer]"),),
        ),
        Wrong(
            "all layers use the bottom layer's bias",
            "stack",
            "Each layer has learned something of its own.",
            (("W[layer], b[layer]", "W[layer], b[0]"),),
        ),
        Wrong(
            "all layers continue the bottom layer's state",
            "stack",
            "Each layer has an output and a cell of its own.",
            (("m[layer], c[layer], W", "m[0], c[0], W"),),
        ),
        Wrong(
            "a layer continues the state of the layer below",
            "stack",
            "Each layer has an output and a cell of its own, from the last step.",
            (("m[layer], c[layer], W", "m[layer], (new_c[layer - 1] if layer else c[0]), W"),),
        ),
        Wrong(
            "the cells are returned as they were",
            "stack",
            "What does the next step continue?",
            ((RETURN, "return x, new_m, c, weights"),),
        ),
        Wrong(
            "outputs and cells are returned in the wrong order",
            "stack",
            "In which order does the statement ask for the four?",
            ((RETURN, "return x, new_c, new_m, weights"),),
        ),
        Wrong(
            "the states are overwritten",
            "in place",
            "Who else holds the last step's states?",
            (("np.empty_like(m), np.empty_like(c)", "m, c"),),
        ),
        Wrong(
            "the tanh is missing in the score",
            "score",
            "Without it the question shifts all scores by the same number.",
            (
                (
                    "np.tanh(annotations @ U_a.T + W_a @ m[0])",
                    "(annotations @ U_a.T + W_a @ m[0])",
                ),
            ),
        ),
        Wrong(
            "no largest score is subtracted",
            "unstable",
            "What is the exponential of 3000?",
            (("scores - scores.max()", "scores"),),
        ),
        Wrong(
            "the annotations are averaged",
            "score",
            "What did you compute the scores for?",
            (("context = weights @ annotations", "context = annotations.mean(axis=0)"),),
        ),
    ),
    odd=(
        Odd(
            "lists, stacked at the end",
            (
                ("new_m, new_c = np.empty_like(m), np.empty_like(c)", "after = []"),
                (
                    "new_m[layer], new_c[layer] = one_lstm("
                    "inputs, m[layer], c[layer], W[layer], b[layer])",
                    "out, cell = one_lstm(inputs, m[layer], c[layer], W[layer], b[layer])\n"
                    "        after.append((out, cell))",
                ),
                (ADDED, "x = out + x if layer >= 2 else out"),
                (RETURN, "return x, [p for p, _ in after], [p for _, p in after], weights"),
            ),
        ),
        Odd(
            "layers counted from 1, einsum in the attention",
            (
                ("annotations @ U_a.T", 'np.einsum("td,ad->ta", annotations, U_a)'),
                ("weights @ annotations", 'np.einsum("t,td->d", weights, annotations)'),
                (
                    ADDED,
                    "number = layer + 1\n        x = new_m[layer] + (x if number > 2 else 0)",
                ),
            ),
        ),
        Odd(
            "a context in single precision",
            (("weights @ annotations", "(weights @ annotations).astype(np.float32)"),),
        ),
        Odd(
            "the stack by recursion",
            source=IMPORT
            + CELL
            + """\
def climb(x, layer, context, m, c, W, b):
    if layer == len(W):
        return x, [], []
    p, q = one_lstm(np.concatenate([x, context]), m[layer], c[layer], W[layer], b[layer])
    up = p + x if layer > 1 else p
    top, outputs, cells = climb(up, layer + 1, context, m, c, W, b)
    return top, [p, *outputs], [q, *cells]


def column_step(y, m, c, annotations, W_a, U_a, v_a, W, b):
    e = [float(v_a @ np.tanh(W_a @ m[0] + U_a @ x_t)) for x_t in annotations]
    weights = np.exp(e - np.logaddexp.reduce(e))
    context = sum(p * x_t for p, x_t in zip(weights, annotations))
    return (*climb(y, 0, context, m, c, W, b), weights)
""",
        ),
    ),
)
