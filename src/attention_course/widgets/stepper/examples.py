"""What the stepper plays: the drawing, the numbers that go in, the sentence of each step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


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
        drawing: the drawing's name.
        kind: how its numbers are computed: "attention".
        inputs: what they are computed from.
        steps: from the beginning to the end.
        ask: what the choice of a word is called; none unless given.
        words: the words to choose from.
        word: the one that is chosen first.
        scale: "none" or "sqrt_d_k", whichever comes first, where one can choose.
        width: of queries and keys, d_k.
    """

    title: str
    drawing: str
    kind: str
    inputs: Mapping[str, Any]
    steps: Sequence[Step]
    ask: str = ""
    words: Sequence[str] = ()
    word: int = 0
    scale: str = ""
    width: int = 0


FOUR_STATES = Example(
    "A decoder state asks four encoder states",
    "four-states",
    "attention",
    {
        "q": [[10.0, 5.0, 10.0]],
        "k": [[0.0, 1.0, 1.0], [5.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 5.0, 1.0]],
    },
    (
        Step(
            "Start",
            "k",
            "There are four encoder states, of three numbers each. Each will be used twice: "
            "as a key, which is compared, and as a value, which is handed on.",
        ),
        Step("Query", "q", "The decoder state is the query: {query}."),
        Step(
            "Scores",
            "q k dot e",
            "The dot product of the query with each state is that state’s score. For the "
            "second: {query * k.1} = {scores.1}. The scores are {scores}.",
        ),
        Step(
            "Scale",
            "e s",
            {
                "none": "There is no factor here, so the scores stay as they are.",
                "sqrt_d_k": "Each score is divided by √3, the square root of the width: "
                "{scaled}. Their order stays, and they come closer together.",
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
            "a v",
            "Each state is now a value and is multiplied by its weight. Of state {#top} nearly "
            "everything is left, of the others next to nothing.",
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

EXAMPLES = {"four-states": FOUR_STATES}
