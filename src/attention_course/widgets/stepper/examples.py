"""What the stepper plays: the drawing, the numbers that go in, the sentence of each step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from attention_course.drawing._stacks import GRID, GRID_WORDS, grid_steps


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        name: one or two words.
        lit: the groups of the drawing that light up, with a blank between them.
        says: its sentence, with places for numbers; or one for each scale.
    """

    name: str
    lit: str
    says: str | Mapping[str, str]


@dataclass(frozen=True)
class Example:
    """One example.

    Attributes:
        title: the heading.
        kind: how its numbers are computed, by ``values.py`` and ``maths.js``.
        inputs: what they are computed from.
        steps: from the beginning to the end.
        words: the words that the drawing names.
        word: the one that asks first, where one can choose.
        ask: the label of that choice; without it there is no choice.
        scale: "none" or "sqrt_d_k", whichever comes first, where one can choose.
        width: of queries and keys, d_k.
    """

    title: str
    kind: str
    inputs: Mapping[str, Any]
    steps: Sequence[Step]
    words: Sequence[str] = ()
    word: int = 0
    ask: str = ""
    scale: str = ""
    width: int = 0


FOUR_STATES = Example(
    "A decoder state asks four encoder states",
    "attention",
    {
        "q": [[10.0, 5.0, 10.0]],
        "k": [[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]],
    },
    (
        Step(
            "Start",
            "k",
            "There are four encoder states of three numbers each. Each will be used twice: as "
            "a key, which is compared, and as a value, which is handed on.",
        ),
        Step("Query", "q", "The decoder state is the query: {query}. It asks all four."),
        Step(
            "Scores",
            "q k dot e",
            "The dot product of the query with each state is that state’s score. For state 2: "
            "{query * k.1} = {scores.1}. The scores are {scores}.",
        ),
        Step(
            "Scale",
            "e s",
            {
                "none": "There is no factor here, so the scores stay as they are.",
                "sqrt_d_k": "Each score is divided by √3, the square root of the width: "
                "{scaled}. The order stays, and the gaps shrink.",
            },
        ),
        Step(
            "Weights",
            "s softmax a",
            "The softmax turns the scores into weights, which are positive and sum to 1: "
            "{weights}. State {#top} gets nearly everything, but no weight is exactly 0 or 1.",
        ),
        Step(
            "Values",
            "k a v",
            "Now each state is a value, by the line beside its column, and is multiplied by "
            "its weight. Almost all of state {#top} is left, and next to nothing of the rest.",
        ),
        Step(
            "Context",
            "v c",
            "The sum is the context: {context}. It is state {#top}, almost untouched. The "
            "query chose the proportions; nothing of the query itself is in the context.",
        ),
    ),
    scale="none",
    width=3,
)

SIX_WORDS = Example(
    "A word asks all the words of its sentence",
    "self",
    # torch.manual_seed(123), then an embedding of 6 words, and torch.rand for each matrix.
    {"seed": 123, "order": [0, 4, 5, 2, 1, 3], "d_model": 16, "d_k": 24, "d_v": 28},
    (
        Step(
            "Start",
            "x",
            "Six words, and for each a vector of 16 numbers: bars up for positive numbers, "
            "bars down for negative ones. Choose the word that asks.",
        ),
        Step(
            "Query",
            "asks q",
            "“{words.word}” asks. The query matrix turns its vector into a query of 24 "
            "numbers: what the word is looking for.",
        ),
        Step(
            "Keys",
            "x k",
            "The key matrix turns the vector of every word into a key, as wide as the query: "
            "what the word can be found by.",
        ),
        Step(
            "Scores",
            "q k dot e",
            "The dot product of the query with each key is a score. The highest is "
            "{scores.top}, for “{words.top}”; with its own key “{words.word}” scores "
            "{scores.word}.",
        ),
        Step(
            "Scale",
            "e s",
            {
                "none": "There is no factor here, so the scores stay as they are.",
                "sqrt_d_k": "Each score is divided by √24 ≈ 4.90, the square root of the "
                "width: {scaled}.",
            },
        ),
        Step(
            "Weights",
            "s softmax a",
            "The softmax turns the scores into weights that sum to 1. “{words.top}” gets "
            "{weights.top}; the asking word itself gets {weights.word}.",
        ),
        Step(
            "Values",
            "x a v",
            "The value matrix turns the vector of every word into a value, here of 28 numbers: "
            "what the word hands over. The lines beside the columns lead from each word to its "
            "value. The heavier the line from a weight, the larger that weight.",
        ),
        Step(
            "Context",
            "v c",
            "The values, each in the proportion of its weight, add up to the context of "
            "“{words.word}”. It begins with {context.0}, {context.1}, {context.2}.",
        ),
    ),
    ("Life", "is", "short", "eat", "dessert", "first"),
    1,
    "Who asks?",
    "sqrt_d_k",
    24,
)

CAUSAL_MASK = Example(
    "A decoder must not see later words",
    "causal",
    {
        "q": [[0.2, 0.9], [0.4, 0.2], [-0.3, 0.6], [-0.2, 1.6], [1.9, -0.5]],
        "k": [[1.2, 0.1], [0.3, 1.7], [-1.7, -1.7], [-1.9, 1.3], [1.1, 1.5]],
        "v": [[1.9, 1.2], [-0.2, 1.1], [-1.5, 0.6], [-1.4, 1.8], [0.1, -0.3]],
    },
    (
        Step(
            "Start",
            "k v",
            "A decoder reads its own words. Each has a key and a value, of two numbers here. "
            "Choose the word that asks.",
        ),
        Step("Query", "q{word}", "“{words.word}” asks with its query, {q.word}."),
        Step(
            "Scores",
            "q{word} k e{word}",
            "Its dot product with every key, divided by √2, gives a row of scores: "
            "{matrix.word}. Training has all five words, so the later ones get scores too.",
        ),
        Step(
            "Mask",
            "e{word} m{word}",
            "A word must not see what comes after it: when the decoder writes, later words do "
            "not exist yet. Their scores are struck out, that is, set to −∞.",
        ),
        Step(
            "Weights",
            "e{word} m{word} softmax a{word}",
            "The softmax divides 1 among the words that are left: {weights.word}. A word that "
            "is struck out gets a weight of exactly 0.",
        ),
        Step(
            "Context",
            "a{word} v c{word}",
            "The values, each in the proportion of its weight, add up to the context of "
            "“{words.word}”: {contexts.word}. Later words have no part in it.",
        ),
        Step(
            "All rows",
            "q0 q1 q2 q3 q4 e0 e1 e2 e3 e4 m0 m1 m2 m3 a0 a1 a2 a3 a4 c0 c1 c2 c3 c4",
            "All rows are computed at once, each with its own mask. So one pass trains the "
            "decoder on every word of the sentence.",
        ),
    ),
    ("She", "sat", "by", "the", "bank"),
    2,
    "Who asks?",
)

MULTI_HEAD = Example(
    "Two heads look at once",
    "heads",
    {
        "n_heads": 2,
        "x": [
            [-0.1, 0.6, 0.2, -0.7],
            [-0.7, 0.8, -0.7, -0.8],
            [0.8, -0.4, 0.7, -0.8],
            [0.6, -0.4, 0.8, 0.4],
        ],
        "W_q": [
            [-1.3, -1.2, 1.1, 0.0],
            [-0.1, -0.8, -0.3, -0.2],
            [-1.0, -0.1, -0.6, -0.5],
            [0.6, 0.9, 1.4, 0.2],
        ],
        "W_k": [
            [-0.9, -0.6, 1.1, 0.5],
            [-1.4, 0.8, -1.5, -0.1],
            [1.5, -0.7, -0.7, -1.5],
            [1.0, 0.2, -1.5, 0.3],
        ],
        "W_v": [
            [-0.7, 0.0, 0.3, 1.4],
            [0.2, -0.1, -1.4, 0.9],
            [1.2, 0.1, 1.3, -0.2],
            [1.0, -1.3, 0.0, -1.1],
        ],
        "W_o": [
            [1.4, -0.3, 1.4, 1.0],
            [-1.2, -0.9, 1.2, -0.5],
            [-0.4, -0.5, 1.0, 1.2],
            [0.8, -1.4, 0.3, -0.8],
        ],
    },
    (
        Step(
            "Start",
            "x",
            "Four words, with a vector of four numbers each. “{words.word}” asks; its vector "
            "is {asking}.",
        ),
        Step(
            "Split",
            "x q",
            "The query matrix turns it into a query of four numbers. The query is cut into "
            "two pieces, one for each head: {q.0} and {q.1}.",
        ),
        Step(
            "Keys",
            "x k",
            "The key matrix makes the keys of all words, which are cut in the same way. Each "
            "head gets two numbers of each key.",
        ),
        Step(
            "Scores",
            "q k dot e",
            "Each head takes the dot products of its own pieces and divides them by √2, the "
            "square root of its own width. The heads do not see each other’s pieces.",
        ),
        Step(
            "Weights",
            "e a",
            "Each head has a softmax of its own. Head 1 gives “{words.first}” "
            "{weights.0.first}; head 2 gives “{words.second}” {weights.1.second}.",
        ),
        Step(
            "Values",
            "x v",
            "The value matrix makes the values of all words, by the lines round the outside. "
            "They are cut too: each head gets two numbers of each value.",
        ),
        Step(
            "Attend",
            "a v c",
            "With its weights each head mixes its pieces of the values. Two contexts come out: "
            "{context.0} and {context.1}.",
        ),
        Step("Join", "c j", "The contexts are written side by side: {joined}."),
        Step(
            "Project",
            "j o",
            "The output matrix mixes what the heads found. The output is {output}, as wide as "
            "the vector that came in.",
        ),
    ),
    ("The", "river", "bank", "rose"),
    3,
    "Who asks?",
)

_SOURCE = ("Ich", "habe", "niemandes", "Silber")

BAHDANAU = Example(
    "Bahdanau: the state before the step asks",
    "bahdanau",
    {
        "s": [-0.1, 0.6],
        "h": [[0.5, 0.7], [-0.2, 1.0], [0.8, -0.6], [0.5, 0.3]],
        "W_a": [[1.5, 1.4], [1.0, 1.5]],
        "U_a": [[-1.3, -0.7], [-0.5, 1.2]],
        "v_a": [-2.1, -2.0],
        "y": [-0.8, -0.4],
        "W": [[0.6, -0.7], [-0.9, 0.4], [-0.6, 0.2], [-0.2, 0.0], [-0.6, 0.5], [0.7, 0.9]],
        "U": [[0.5, 0.0], [0.0, 0.2], [-0.8, -0.8], [0.9, 0.2], [-0.8, -1.0], [0.7, 0.8]],
        "b": [0.2, -0.1, 0.2, 0.4, -0.2, 0.2],
        "C": [[0.1, 1.1], [1.3, 0.0], [0.3, -0.7], [1.5, -0.9], [0.3, 0.4], [1.2, -1.1]],
    },
    (
        Step(
            "Start",
            "k",
            "The encoder has read the source in both directions. It leaves an annotation for "
            "each word, here of two numbers: one from the left, one from the right. It is the "
            "word's key and its value.",
        ),
        Step(
            "Query",
            "q",
            "The decoder is about to take a step. Its state before the step, {query}, is the "
            "query.",
        ),
        Step(
            "Scores",
            "q k dot e",
            "A small network compares the query with each annotation. Each goes through a "
            "matrix, W_a and U_a, the two are added, and a learned vector, v_a, reads the tanh "
            "of the sum. The scores are {scores}.",
        ),
        Step(
            "Weights",
            "e softmax a",
            "The softmax turns the scores into weights: {weights}. The decoder looks mostly at "
            "“{words.top}”.",
        ),
        Step(
            "Context",
            "k a c",
            "Now the annotations are the values. Each in the proportion of its weight, they "
            "add up to the context: {context}.",
        ),
        Step(
            "New state",
            "q y c unit new",
            "Only now does the decoder take its step. The gated unit reads the old state, the "
            "last word and the context, and makes the new state: {state}. The new state could "
            "not have asked, because it needs the answer.",
        ),
    ),
    _SOURCE,
)

LUONG = Example(
    "Luong: the state after the step asks",
    "luong",
    {
        "h": [0.8, -0.3],
        "m": [0.7, -1.2],
        "k": [[-0.7, 1.6], [-1.3, -0.2], [1.9, -0.5], [-0.9, -2.0]],
        "x": [0.7, -0.8, 0.3, 0.1],
        "W_x": [
            [1.4, -0.9, -0.2, 1.5],
            [0.9, 0.9, -1.9, -1.9],
            [-0.7, 0.3, 1.0, 0.9],
            [2.0, 1.9, 0.2, 2.0],
            [0.0, -0.6, 1.7, -1.2],
            [-0.4, -0.1, -1.4, 0.9],
            [0.3, -1.4, 1.1, -1.3],
            [1.0, -1.0, 1.0, -1.5],
        ],
        "W_h": [
            [-0.9, -0.6],
            [0.9, -0.4],
            [0.7, -0.3],
            [-0.1, -0.6],
            [-0.7, -1.0],
            [-0.1, -0.9],
            [0.5, 0.4],
            [-0.7, 0.1],
        ],
        "b": [0.5, 0.2, 0.4, -0.2, 0.3, 0.4, -0.3, -0.5],
        "W_c": [[-0.2, -0.3, -0.5, -1.4], [-0.8, -0.4, 0.1, 0.8]],
    },
    (
        Step(
            "Start",
            "k before",
            "The encoder has read the source from left to right and keeps its state at each "
            "word, which is the word's key and its value. The decoder has a state from the "
            "step before, {before}.",
        ),
        Step(
            "Step first",
            "before y unit q",
            "The decoder takes its step first. The LSTM reads the last word, two numbers, and "
            "the last attentional vector, two more. Its new state is {query}.",
        ),
        Step("Query", "q", "That new state is the query: it has already read the last word."),
        Step(
            "Scores",
            "q k dot e",
            "The dot product of the query with each encoder state is a score. For "
            "“{words.top}”: {query * k.top} ≈ {scores.top}. The scores are {scores}.",
        ),
        Step(
            "Weights",
            "e softmax a",
            "The softmax turns the scores into weights: {weights}. The decoder looks mostly at "
            "“{words.top}”.",
        ),
        Step(
            "Context",
            "k a c",
            "Now the encoder states are the values. Each in the proportion of its weight, they "
            "add up to the context: {context}.",
        ),
        Step(
            "Attentional vector",
            "q c join new",
            "Context and state together become the attentional vector, {state}. From it "
            "the word is chosen, and it is fed into the next step. The state that asked never "
            "saw this context.",
        ),
    ),
    _SOURCE,
)

TAPE = Example(
    "LSTMN: a word looks back at its own sentence",
    "tape",
    {
        "x": [0.9, -0.4],
        "summary": [0.3, 0.2],
        "h": [[0.4, -0.2], [0.6, 0.5], [-0.3, 0.7]],
        "c": [[0.8, -0.5], [1.3, 0.9], [-0.6, 1.4]],
        "W_h": [[1.2, -0.6], [-0.8, 1.5]],
        "W_x": [[0.7, 0.9], [0.4, -1.1]],
        "W_s": [[-0.5, 0.8], [0.6, 0.3]],
        "v": [1.4, 2.1],
        "W": [
            [0.6, -0.3, 1.1, 0.4],
            [-0.2, 0.9, 0.5, -0.7],
            [0.8, 0.3, -0.4, 0.2],
            [0.1, 0.7, 0.6, 0.5],
            [1.2, -0.8, 0.9, -0.6],
            [-0.9, 1.1, -0.3, 1.0],
            [0.4, 0.2, 0.7, -0.5],
            [0.3, -0.6, 0.8, 0.1],
        ],
        "b": [0.2, 0.1, 0.8, 0.6, -0.1, 0.3, 0.4, 0.2],
    },
    (
        Step(
            "Start",
            "k",
            "Three words have been read. The layer has kept its state and its cell of each, of "
            "two numbers here: a tape. The states are the keys; states and cells are the "
            "values.",
        ),
        Step(
            "Query",
            "q",
            "Now comes “{words.3}”. Its vector, {x}, and the last summary, {summary}, are the "
            "query together.",
        ),
        Step(
            "Scores",
            "q k dot e",
            "A small network, as in Bahdanau’s model, compares the query with the state of "
            "each word. The scores are {scores}.",
        ),
        Step(
            "Weights",
            "e softmax a",
            "The softmax turns the scores into weights: {weights}. The word looks mostly at "
            "“{words.top}”.",
        ),
        Step(
            "Summaries",
            "k a c",
            "Now the values. The states, each in the proportion of its weight, add up to one "
            "summary, {context}. The cells, with the same weights, add up to the other, "
            "{cell}. An ordinary LSTM would have the last state and the last cell in their "
            "place.",
        ),
        Step(
            "Gates",
            "q c unit new",
            "From here on it is an LSTM. Its gates read the word and the first summary, fade "
            "the second, and add to it. The new state is {state}, the new cell {memory}.",
        ),
        Step(
            "Tape",
            "new slot",
            "Both go onto the tape, where the next word will find them. Nothing on the tape is "
            "ever written over.",
        ),
    ),
    ("The", "river", "bank", "rose"),
)

FIXED_VECTOR = Example(
    "A fixed vector: four words pass through one state",
    "fixed",
    {
        "x": [[-0.8, 0.5], [0.3, 0.3], [0.2, -0.8], [0.9, 0.2]],
        "other": [0.9, 0.7],
        "W_x": [[0.2, -1.6], [0.7, 0.1], [1.7, 1.6], [-0.1, -1.2], [0.6, -1.8], [1.9, 0.3]],
        "W_h": [[1.0, 0.9], [-0.7, 0.4], [-1.3, 0.1], [0.7, -1.1], [0.1, -1.2], [-1.0, -0.2]],
        "b_x": [0.4, -0.3, 0.0, 0.2, 0.0, 0.1],
        "b_h": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    },
    (
        Step(
            "Start",
            "name",
            "Four German words are waiting, each a vector of two numbers. The encoder has one "
            "state of two numbers. It begins at zero.",
        ),
        Step(
            "Word 1",
            "name r1",
            "A gated unit reads “{words.0}” and makes the first state: {h.0}.",
        ),
        Step(
            "Word 2",
            "r1 r2",
            "It reads “{words.1}” together with that state, and writes over it: {h.1}. The "
            "earlier state is drawn here, but nothing keeps it.",
        ),
        Step(
            "Words 3, 4",
            "r2 r3 r4",
            "The same unit reads “{words.2}” and “{words.3}”. The two numbers are now {h.3}.",
        ),
        Step(
            "One vector",
            "r4 c",
            "The last state is the vector c, and nothing else leaves the encoder. A sentence "
            "of forty words would leave two numbers as well.",
        ),
        Step(
            "Decoder",
            "c s out",
            "The decoder begins with c and writes one word after the other. It cannot look "
            "back at the words, nor at the earlier states.",
        ),
        Step(
            "What is left",
            "name gap r1 r4",
            "Had the first word been another, the first state would lie {gaps.0} away from "
            "where it is, and the vector c only {gaps.3}. Each step has written over a part of "
            "the first word.",
        ),
    ),
    _SOURCE,
)

_WORDS, _LAYERS = GRID
_BEGINNING = (
    "In training all words are known: here four, each to go through three layers. A cell is "
    "worked on as soon as the cells it needs are done, however many that are at once.",
    "On both sides the bottom layer works on “I”. Nothing else can.",
    "Left, the bottom layer has asked: “love” can begin while “I” is in layer 2. Right, the "
    "context of “love” is not there yet.",
    "Left, three layers work at once, each on a different word. Right, “I” is in the top "
    "layer, and only that layer asks for “love”.",
    "Left, again three layers at once. Right, “love” begins, three steps after “I”.",
    "Left, the full stop is in layer 2 and “you” in layer 3. Right, “love” is in layer 2.",
    "Left, all is done at step {bottom.2.3}: four words plus three layers, less one. Right, "
    "half the cells are still to be done.",
)
_LATER = "The left side is done. Right, “{word}” is in layer {layer}."
_END = "Right, all is done at step {top.2.3}: four words times three layers."


def _grid() -> Example:
    left, right = ([*chain(*grid_steps(*GRID, asks))] for asks in (1, _LAYERS))
    says = [*_BEGINNING]
    for t in range(len(says), _WORDS * _LAYERS):
        layer, word = divmod(right.index(t), _WORDS)
        says.append(_LATER.format(word=GRID_WORDS[word], layer=layer + 1))
    steps = [Step("Start", "title word layer axis", says[0])]
    for t, said in enumerate([*says[1:], _END], 1):
        done = [sum(step <= t for step in grid) for grid in (left, right)]
        steps.append(Step("{} and {} done".format(*done), f"t{t}", said))
    title = "Two ways to wire a decoder: four words through three layers"
    return Example(title, "grid", {"words": _WORDS, "layers": _LAYERS}, steps)


# By the names of the drawings.
EXAMPLES = {
    "four-states": FOUR_STATES,
    "self-attention": SIX_WORDS,
    "causal-mask": CAUSAL_MASK,
    "multi-head": MULTI_HEAD,
    "bahdanau": BAHDANAU,
    "luong": LUONG,
    "tape": TAPE,
    "fixed-vector": FIXED_VECTOR,
    "time-grid": _grid(),
}
