"""What the widget shows, in NumPy: the language model reads a sentence, with cuts."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from attention_course.data.packed import pack_words, unpack_translator
from attention_course.data.world import read_sentence
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.transformer_block import feed_forward, layer_norm

HEADS, LAYERS, LONGEST = 4, 4, 48
# Where the first 48 places go when they are shuffled; a shorter sentence skips what it lacks.
ORDER = [int(place) for place in np.random.RandomState(0).permutation(LONGEST)]
# What can be cut, by the names under which data/recorded has the cost of each: parts, in whose
# place something else may stand, and other changes.
PARTS = (
    *(f"head-{layer}-{head}" for layer in range(1, 5) for head in range(1, 5)),
    *(
        f"{part}-{layer}"
        for part in ("layer", "attention", "feed-forward")
        for layer in range(1, 5)
    ),
)
ALL_CUTS = (
    *PARTS,
    *(f"{change}-{layer}" for change in ("residual", "uniform") for layer in range(1, 5)),
    *("positions-none", "positions-mean", "positions-shuffled", "scale", "mask"),
)
BLADES = ("zero", "mean", "other")
# What "other" puts in place of a part is what it gives for these sentences.
OTHER = (
    "the queen reads an old letter . the tired dog sleeps in the garden . the boy "
    "washes his red shirt . the girls see the long river and they are happy . the man sells "
    "his house . does the cat eat the cake ? the children sing . the horse crosses the "
    "street ."
)


@dataclass(frozen=True)
class Words:
    """The language model as a page gets it: arrays by torch's names, and the words."""

    p: Mapping[str, np.ndarray]
    symbols: list[str]
    numbers: dict[str, int]


@dataclass(frozen=True)
class Reading:
    """What one reading of a sentence leaves behind.

    Attributes:
        q: queries: layers, heads, words, width.
        k: keys.
        v: values.
        weights: layers, heads, words, words looked at.
        context: what the heads bring, before W_o: layers, words, width.
        parts: what was added to the stream: embedding, positions, then attention and
            feed-forward part of each layer.
        stream: the stream after each of these.
        logits: words, symbols.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    parts: np.ndarray
    stream: np.ndarray
    logits: np.ndarray


@cache
def load() -> Words:
    """Unpack the model once."""
    arrays, about = unpack_translator(pack_words())
    symbols = ["<pad>", "<start>", "<end>", *about["words"].split("\n")]
    numbers = {word: i for i, word in enumerate(symbols)}
    wide = {key: array.astype(np.float64) for key, array in arrays.items()}
    return Words(wide, symbols, numbers)


def words_of(sentence: str) -> list[str]:
    """Return the words and marks of an English sentence, as the browser cuts it.

    Raises:
        ValueError: if the small world lacks a word.
    """
    return [min(token or ()) for token in read_sentence(sentence, "english", ended=False)]


def numbers_of(words: list[str]) -> list[int]:
    """Return the number of each word."""
    return [load().numbers[word] for word in words]


def reading_of(tokens: list[int], cuts: Collection[str] = (), blade: str = "zero") -> Reading:
    """Read a sentence at once.

    Args:
        tokens: numbers of its words.
        cuts: some of ``ALL_CUTS``.
        blade: what stands in place of a part that is cut: nothing ("zero"), its "mean" over
            many sentences, or what it gives for another ("other").
    """
    p = load().p
    n, d = len(tokens), p["E.weight"].shape[1]
    places = p["positions.table"][:n]
    if "positions-shuffled" in cuts:
        places = places[[place for place in ORDER if place < n]]
    if "positions-none" in cuts:
        places = np.zeros_like(places)
    if "positions-mean" in cuts:
        places = np.repeat(p["means.positions"], n, axis=0)
    parts = [p["E.weight"][tokens] * np.sqrt(d), places]
    stream = [parts[0], parts[0] + parts[1]]
    asked = []
    for layer in range(1, LAYERS + 1):
        block = f"blocks.{layer - 1}"
        for i, part in enumerate(("attention", "feed-forward")):
            z = _norm(p, f"{block}.norms.{i}", stream[-1])
            if i == 0:
                put = _instead("context", layer, n, blade)
                found, *looked = _look(p, f"{block}.attention", z, layer, cuts, put)
                asked.append(looked)
            else:
                found = _think(p, f"{block}.feed_forward", z)
            # Without what was there before, the part's own is all that is left.
            added = found - stream[-1] if f"residual-{layer}" in cuts else found
            if {f"layer-{layer}", f"{part}-{layer}"} & {*cuts}:
                added = _instead(part, layer, n, blade)
            parts.append(added)
            stream.append(stream[-1] + added)
    q, k, v, weights, context = (np.array(one) for one in zip(*asked, strict=True))
    logits = spoken(stream[-1])
    return Reading(q, k, v, weights, context, np.array(parts), np.array(stream), logits)


def spoken(x: np.ndarray) -> np.ndarray:
    """Return the logits that the output layer makes of vectors of the stream."""
    p = load().p
    return _norm(p, "end", x) @ p["E.weight"].T


def hidden_layer(reading: Reading, layer: int) -> np.ndarray:
    """Return the hidden layer of a feed-forward part: words, units."""
    p, block = load().p, f"blocks.{layer - 1}"
    z = _norm(p, f"{block}.norms.1", reading.stream[2 * layer])
    return np.maximum(0, _linear(p, f"{block}.feed_forward.W_1", z))


def surprise(logits: np.ndarray, tokens: list[int]) -> np.ndarray:
    """Return minus the logarithm of what each word but the first was given."""
    given = softmax(logits[:-1])[np.arange(len(tokens) - 1), tokens[1:]]
    return -np.log(given)


def _norm(p: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    return layer_norm(x, p[f"{name}.weight"], p[f"{name}.bias"])


def _linear(p: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    return x @ p[f"{name}.weight"].T + p[f"{name}.bias"]


def _think(p: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    pairs = [(p[f"{name}.W_{i}.weight"].T, p[f"{name}.W_{i}.bias"]) for i in (1, 2)]
    return feed_forward(x, *pairs[0], *pairs[1])


def _look(
    p: Mapping[str, np.ndarray],
    name: str,
    x: np.ndarray,
    layer: int,
    cuts: Collection[str],
    put: np.ndarray,
) -> tuple[np.ndarray, ...]:
    n = len(x)
    q, k, v = (
        _linear(p, f"{name}.W_{part}", x).reshape(n, HEADS, -1).swapaxes(0, 1) for part in "qkv"
    )
    scores = q @ k.swapaxes(1, 2) / (1 if "scale" in cuts else np.sqrt(q.shape[-1]))
    if f"uniform-{layer}" in cuts:
        scores = np.zeros_like(scores)
    if "mask" not in cuts:
        scores = np.where(np.tri(n, dtype=bool), scores, -np.inf)
    weights = softmax(scores)
    context = (weights @ v).swapaxes(0, 1)
    for head in range(HEADS):
        if f"head-{layer}-{head + 1}" in cuts:
            context[:, head] = put.reshape(n, HEADS, -1)[:, head]
    context = context.reshape(n, -1)
    return _linear(p, f"{name}.W_o", context), q, k, v, weights, context


def _instead(part: str, layer: int, n: int, blade: str) -> np.ndarray:
    """Return what stands in place of a part: n rows."""
    p = load().p
    if blade == "zero":
        return np.zeros((n, p["E.weight"].shape[1]))
    if blade == "other":
        other = reading_of(numbers_of(words_of(OTHER))[:n])
        whole = other.parts[2 * layer + (part == "feed-forward")]
        return other.context[layer - 1] if part == "context" else whole
    kind = "feed_forward" if part == "feed-forward" else "context"
    mean = np.repeat(p[f"means.{kind}"][layer - 1 : layer], n, axis=0)
    attention = f"blocks.{layer - 1}.attention.W_o"
    return _linear(p, attention, mean) if part == "attention" else mean
