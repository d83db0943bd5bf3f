"""An exercise of my own. Try it: attention-course exercise my_exercise.py."""

import numpy as np

from attention_course.exercises.protocol import Call, Exercise, Probe, Right, Wrong, draw

STATEMENT = """
A query may have nothing to look for. Give it a *sink*: one more score, which belongs to no key.
The weights are the softmax of all scores and the sink together; the sink's own weight is then
left out. `scores` has shape `(n_queries, n_keys)`, `sink` is one number, `values` has
`(n_keys, d_v)`. Return the weights, `(n_queries, n_keys)`, and the contexts,
`(n_queries, d_v)`.
"""

STUB = '''
def with_a_sink(scores, sink, values):
    """Return weights (n_queries, n_keys) and contexts (n_queries, d_v)."""
    raise NotImplementedError
'''

SOLUTION = """
import numpy as np


def with_a_sink(scores, sink, values):
    top = np.maximum(scores.max(-1, keepdims=True), sink)
    exps = np.exp(scores - top)
    weights = exps / (exps.sum(-1, keepdims=True) + np.exp(sink - top))
    return weights, weights @ values
"""

# Another way to the same numbers. It has to earn all points, so it tells you where your
# solution errs: what is right is computed from the solution and from nothing else.
IN_LOOPS = """
import numpy as np


def with_a_sink(scores, sink, values):
    weights = np.zeros(scores.shape)
    for i, row in enumerate(scores):
        for j, one in enumerate(row):
            weights[i, j] = 1 / (np.exp(sink - one) + sum(np.exp(row - one)))
    return weights, np.array([sum(w * v for w, v in zip(row, values)) for row in weights])
"""


def ask(scores, sink, values):
    """Return the call that is made of an answer, with names for what it returns."""
    return Call("with_a_sink", (scores, sink, values), returns=("weights", "contexts"))


def small(rng):
    """Draw a few numbers with two decimals, which can be read in the notebook."""
    scores, values = (np.round(array, 2) for array in draw(rng, (2, 3), (3, 4)))
    return [ask(scores, 0.5, values)]


def drawn(rng, n_queries, n_keys, d_v, far=0.0):
    """Draw sizes that all differ, so that a wrong axis is seen; ``far`` moves all scores."""
    scores, values = draw(rng, (n_queries, n_keys), (n_keys, d_v))
    return [ask(3 * scores + far, far + rng.standard_normal(), values)]


APART = np.array([[3000.0, 0.0, -3000.0], [5.0, -2000.0, 9.0]])

EXERCISE = Exercise(
    slug="attention-with-a-sink",
    title="Attention with a sink",
    target="with_a_sink",
    minutes=20,
    statement=STATEMENT,
    contract=(
        "The weights of a query add up to less than 1: the sink takes the rest.",
        "Scores may be in the thousands, above zero or below.",
        "The arguments are left as they were. Return two arrays, the weights first.",
    ),
    stub=STUB,
    solution=SOLUTION,
    points={"weights and contexts": 4, "large scores": 2},
    # Each probe is one property, in words that the student reads. Grading draws its inputs anew
    # for each answer. The notebook shows the inputs, and what is right, of public ones only.
    probes=(
        Probe("two queries, three keys", "weights and contexts", small, public=True),
        Probe(
            "sizes that all differ",
            "weights and contexts",
            lambda rng: drawn(rng, 4, 6, 3),
            hint="Along which axis do the weights of one query lie?",
        ),
        Probe(
            "scores near 1000",
            "large scores",
            lambda rng: [ask(np.array([[1000.0, 1001.0]]), 1000.0, np.array([[1.0], [2.0]]))],
            hint="np.exp(1000) is inf, and inf / inf is nan.",
            public=True,
        ),
        Probe(
            "all scores far below zero", "large scores", lambda rng: drawn(rng, 3, 5, 2, -4e3)
        ),
        Probe(
            "scores thousands apart",
            "large scores",
            lambda rng: [ask(APART, 1.0, *draw(rng, (3, 4)))],
        ),
    ),
    hints=(
        "Put the sink beside the scores as one more key. What does its value have to be?",
        "Which number, taken away from every score and from the sink, changes no weight?",
    ),
    # If you like: known wrong answers, as changes of the solution. A student who makes one
    # reads its name and hint, and the check says what it would earn.
    wrong=(
        Wrong(
            "nothing is subtracted before the exponential",
            "unstable",
            "What is the exponential of 1000?",
            (("np.maximum(scores.max(-1, keepdims=True), sink)", "0.0"),),
        ),
        Wrong(
            "the sink is added without its exponential",
            "sink",
            "The sink is a score, like the others.",
            (("np.exp(sink - top)", "sink"),),
        ),
    ),
    right=(Right("in loops", source=IN_LOOPS),),
)
