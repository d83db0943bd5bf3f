"""The whole of the capstone: what joins the parts of a Transformer into a translator."""

from functools import cache

import numpy as np

from attention_course.exercises.protocol import Call, Exercise, Probe, Right, Wrong
from attention_course.exercises.protocol import exercise_named as named

PARTS = ("sinusoidal-positions", "attend-in-heads", "normalise-vectors", "feed-forward-part")

STATEMENT = """
Join your four parts into a translator: call `sinusoidal_table`, `attend_in_heads`,
`normalise_vectors` and `feed_forward_part` by these names, as you wrote them above. `source`
is a list with the numbers of a sentence's words, and `p` is a dictionary with all parameters.
Write the translation one word at a time, beginning from word 1, the start mark. After each
word take the word with the largest logit, until that is word 2, the end mark, or `longest`
words are written. Return the words, an array of m whole numbers without the start mark and
with the end mark, and the logits from which each was taken, `(m, words)`.

- `p["E_x"]` and `p["E_y"]`, `(words, d_model)`, have a row for each word of the source and of
  the target. Times the square root of d_model, and with the position added, a row enters its
  first block.
- `p["encoder"]` and `p["decoder"]` are lists of blocks. A block is a dictionary: `W_q`, `W_k`,
  `W_v` and `W_o` with `b_o`, and `n_heads`, for the attention to the own sequence; `W_1`,
  `b_1`, `W_2`, `b_2` for the feed-forward layers; `gain_1` and `shift_1` for the first
  normalisation, and so on. A block of the decoder has a dictionary `cross` with the same names
  for the attention to the encoder's last vectors.
- The logits of a vector y of the last block are `y @ p["E_y"].T + p["b"]`.
"""

STUB = '''
def translate_greedily(p, source, longest):
    """Return the words (m,) that are written, and their logits (m, words)."""
    raise NotImplementedError
'''

JOINED = '''
def translate_greedily(p, source, longest):
    """Return the words (m,) that are written, and their logits (m, words)."""

    def enter(E, words):
        d = E.shape[1]
        return E[words] * np.sqrt(d) + sinusoidal_table(len(words), d)

    def look(x, seen, p, mask=None):
        one = np.ones((len(x), 1)), np.ones((len(seen), 1))
        x, seen = np.hstack([x, one[0]]), np.hstack([seen, one[1]])
        W = p["W_q"], p["W_k"], p["W_v"], p["W_o"]
        return attend_in_heads(x, seen, *W, p["n_heads"], mask)[0] + p["b_o"]

    def forward(x, p):
        return feed_forward_part(x, p["W_1"], p["b_1"], p["W_2"], p["b_2"])

    def added(x, more, p, i):
        return normalise_vectors(x + more, p[f"gain_{i}"], p[f"shift_{i}"])

    x = enter(p["E_x"], source)
    for block in p["encoder"]:
        x = added(x, look(x, x, block), block, 1)
        x = added(x, forward(x, block), block, 2)
    written, logits = [1], []
    while len(logits) < longest and written[-1] != 2:
        y = enter(p["E_y"], written)
        before = np.tri(len(y), dtype=bool)
        for block in p["decoder"]:
            y = added(y, look(y, y, block, before), block, 1)
            y = added(y, look(y, x, block["cross"]), block, 2)
            y = added(y, forward(y, block), block, 3)
        logits.append(y[-1] @ p["E_y"].T + p["b"])
        written.append(int(logits[-1].argmax()))
    return np.array(written[1:]), np.array(logits)
'''
SOLUTION = "\n\n".join([*(named(part).solution for part in PARTS), JOINED])


def drawn(rng, n, d, words):
    """Draw the parameters of n blocks on each side."""

    def draw(*shape, spread=1.0):
        return np.round(spread * rng.standard_normal(shape), 2)

    def attention():
        W = {f"W_{x}": draw(d + 1, d) for x in "qkv"}
        return W | {"W_o": draw(d, d), "b_o": draw(d, spread=0.2), "n_heads": 2}

    def block(norms):
        p = attention() | {
            "W_1": draw(d, 3),
            "b_1": draw(3, spread=0.2),
            "W_2": draw(3, d),
            "b_2": draw(d, spread=0.2),
        }
        for i in range(1, norms + 1):
            p |= {f"gain_{i}": 1 + draw(d, spread=0.2), f"shift_{i}": draw(d, spread=0.2)}
        return p

    encoder = [block(2) for _ in range(n)]
    decoder = [block(3) | {"cross": attention()} for _ in range(n)]
    named_too = {"encoder": encoder, "decoder": decoder}
    # Small vectors: else a word is followed by itself, and no mask matters.
    E = {E: draw(words, d, spread=0.2) for E in ("E_x", "E_y")}
    return E | {"b": draw(words, spread=0.02)} | named_too


def ask(p, source, longest):
    """Return the call that is made of an answer."""
    return Call("translate_greedily", (p, source, longest), returns=("words", "logits"))


def small(rng, n, longest, ends=False):
    """Ask for words with drawn parameters, with which the end mark comes at once or never."""
    p = drawn(rng, n, 4, 9)
    p["b"][2] = 6.0 if ends else -6.0
    return [ask(p, [int(i) for i in rng.integers(3, 9, 4)], longest)]


@cache
def trained():
    """Return the parameters of the small world's translator."""
    from attention_course.assembled.parts import weights_from
    from attention_course.data.tensors import load_checkpoint, tensor_bytes, unpack_translator

    content = tensor_bytes(load_checkpoint("small_world/english-transformer-1-4")[0])
    return weights_from(unpack_translator(content)[0], 4)


@cache
def words(language):
    """Return the vocabulary of the small world in a language."""
    from attention_course.data.vocabulary import Vocabulary
    from attention_course.data.world import vocabulary

    return Vocabulary(vocabulary(language))


def sentence(rng):
    """Ask for a sentence of the small world."""
    from attention_course.data.world import write

    while len(drawn := write(rng).sentence("english")) > 10:
        pass
    return [ask(trained(), words("english").encode(drawn), 16)]


def in_french(calls, values):
    """Return a translation in words, which is compared in the place of its numbers."""
    numbers = [int(n) for n in np.ravel(values[0]) if 0 <= n < len(words("french"))]
    return " ".join(words("french").decode(numbers))


EXERCISE = Exercise(
    slug="whole-translator",
    title="The whole: a translator of your parts",
    target="translate_greedily",
    minutes=60,
    statement=STATEMENT,
    contract=(
        "The parts keep the contracts that stand with them above.",
        "The biases of `W_q`, `W_k` and `W_v` are their last rows: put a 1 behind each vector "
        "that enters an attention.",
        "A block attends first, to its own sequence; in the decoder it then attends to the "
        "encoder's last vectors; the feed-forward layers come last. After each of these its "
        "result is added to what entered it, and the sum is normalised.",
        "In the decoder a word sees itself and the words before it. Nothing else is hidden.",
        "Positions count from 0.",
        "`p` and `source` stay as they are.",
    ),
    stub=STUB,
    solution=SOLUTION,
    points={"one word": 3, "several words": 3, "the trained translator": 4},
    probes=(
        Probe(
            "the first word, one block each",
            "one word",
            lambda rng: small(rng, 1, 1),
            public=True,
        ),
        Probe(
            "the first word, two blocks each",
            "one word",
            lambda rng: small(rng, 2, 1),
            "Each block gets what the one before it returned.",
        ),
        Probe("four words", "several words", lambda rng: small(rng, 1, 4), public=True),
        Probe(
            "six words, two blocks each",
            "several words",
            lambda rng: [one for _ in range(4) for one in small(rng, 2, 6)],
            "In the decoder no word may see a later one.",
        ),
        Probe("the end mark ends it", "several words", lambda rng: small(rng, 1, 5, ends=True)),
        Probe(
            "a sentence of the small world",
            "the trained translator",
            sentence,
            public=True,
            read=in_french,
        ),
        Probe(
            "another sentence of the small world",
            "the trained translator",
            sentence,
            read=in_french,
        ),
    ),
    hints=(
        "Write three small functions first: a sentence enters; vectors attend, with the 1 "
        "behind them; a sum is normalised.",
        "Let the decoder read all the written words again for each new word. It is slower than "
        "a cache and has less to go wrong.",
        "The mask of the decoder is np.tri(n, dtype=bool).",
    ),
    wrong=(
        Wrong(
            "nothing is causal",
            "mask",
            "May a word see one that comes later?",
            (("look(y, y, block, before)", "look(y, y, block)"),),
        ),
        Wrong(
            "the vectors of the words are not scaled",
            "scale",
            "What is a row multiplied by before it enters?",
            ((" * np.sqrt(d) +", " +"),),
        ),
        Wrong(
            "nothing is added before it is normalised",
            "residual",
            "Where does the residual connection end?",
            (("normalise_vectors(x + more,", "normalise_vectors(more,"),),
        ),
        Wrong(
            "the decoder never looks at the source",
            "operands",
            "Which vectors does the second attention look at?",
            (('look(y, x, block["cross"])', 'look(y, y, block["cross"])'),),
        ),
        Wrong(
            "the end mark is not returned",
            "off by one",
            "What does the contract say of word 2?",
            (("np.array(written[1:])", "np.array([w for w in written[1:] if w != 2])"),),
        ),
    ),
    right=(
        Right(
            "the largest of the sorted logits",
            (("logits[-1].argmax()", "np.argsort(logits[-1])[-1]"),),
        ),
    ),
)
