"""A trained language model reads the reader's sentence; each of its parts can be cut."""

import html
import json
from importlib import resources
from typing import Any, ClassVar

import numpy as np

from attention_course.data.packed import pack_words
from attention_course.data.world.links import LINKS
from attention_course.reference.softmax import softmax
from attention_course.widgets.kit.base import TrainedWidget, table
from attention_course.widgets.kit.traits import choice, flag, items, sentence_of, whole
from attention_course.widgets.living_sentence.read import (
    ALL_CUTS,
    BLADES,
    HEADS,
    LAYERS,
    LONGEST,
    ORDER,
    OTHER,
    PARTS,
    Reading,
    hidden_layer,
    load,
    numbers_of,
    reading_of,
    spoken,
    surprise,
    words_of,
)

WRITES = 24  # words that the model adds at most
SHOWN = 6  # words of a distribution
VIEWS = ("queries", "scale", "heads", "mask", "positions", "stream", "whole")
DEFAULT = "the animal did not cross the street because it was too"


def _recorded() -> dict[str, Any]:
    """Return what each cut costs in nats a word, and what heads look at.

    The cost of a part is that of zero; behind its name and a blade stand those of the others.
    Of a head is told how often its largest weight is on a linked word, and how often by chance.
    """
    file = resources.files("attention_course") / "data" / "recorded" / "world_cuts.json"
    found = json.loads(file.read_text("utf-8"))["result"]
    cuts, links = found["cuts"], [found["functions"][kind] for kind in LINKS]
    costs = {cut: round(cuts[cut]["cost"], 2) for cut in ALL_CUTS}
    for part in PARTS:
        costs |= {f"{part} {b}": round(cuts[part][b]["cost"], 2) for b in BLADES[1:]}
    looks = {
        head: [
            [round(x, 2) for x in (link["heads"][head][0], link["chance"])] for link in links
        ]
        for head in PARTS
        if head.startswith("head")
    }
    return {"COSTS": costs, "LOOKS": looks}


class LivingSentence(TrainedWidget, folder="living_sentence"):
    """A language model of four layers reads a sentence, and guesses what comes next.

    The parameters are fetched when the reader asks: from the page's folder, or from this
    object, which answers by a message.

    Args:
        view: what a chapter shows: "queries", "scale", "heads", "mask", "positions",
            "stream" or "whole".
        sentence: of 1 to 48 words and marks of the small world, which are all that the model
            knows.
        written: words that the model has added, 0 to 24.
        word: the word that is looked at, from 1; 0 for the last.
        layer: whose weights are shown, or which block is open, 1 to 4.
        head: whose weights are shown, 1 to 4.
        cuts: what is taken out or changed, such as "head-1-2", "layer-3", "attention-1",
            "feed-forward-1", "residual-2", "uniform-1", "positions-none",
            "positions-mean", "positions-shuffled", "scale" or "mask".
        blade: what stands in place of a head, layer, attention or feed-forward part that is
            cut: nothing ("zero"), its "mean" over many sentences, or what it gives for another
            sentence at the same place ("other").
        exchanged: two places, from 0, whose words are exchanged; none for no exchange.
        alive: whether the model runs.
        key: names the widget in links; "living-sentence" unless given.

    >>> begun = "the animal didn't cross the street because it"
    >>> LivingSentence(sentence=begun).next_words(1)[0][0]
    'was'
    """

    _state: ClassVar[tuple[str, ...]] = (
        "view",
        "sentence",
        "written",
        "word",
        "layer",
        "head",
        "cuts",
        "blade",
        "exchanged",
        "alive",
    )
    _constants: ClassVar[dict[str, Any]] = {
        "LONGEST": LONGEST,
        "LAYERS": LAYERS,
        "HEADS": HEADS,
        "ORDER": ORDER,
        "DEFAULT": DEFAULT,
        "SHOWN": SHOWN,
        "PARTS": [*PARTS],
        "OTHER": OTHER,
        **_recorded(),
    }

    view = choice(VIEWS, "queries")
    sentence = sentence_of("English", str.split, LONGEST, DEFAULT)
    written = whole(0, WRITES, 0)
    word = whole(0, LONGEST, 0)
    layer = whole(1, LAYERS, 1)
    head = whole(1, HEADS, 2)
    cuts = items(
        choice(ALL_CUTS, "scale"), 0, len(ALL_CUTS), [], 'a list of cuts such as "head-1-2"'
    )
    blade = choice(BLADES, "zero")
    exchanged = items(whole(0, LONGEST - 1, 0), 0, 2, [], "two places from 0 to 47, or none")
    alive = flag(default=False)

    @classmethod
    def _packed(cls, name: str) -> bytes:
        return pack_words()

    def _check(self) -> None:
        n = len(words_of(self.sentence))
        if n > LONGEST:  # *didn't* is two
            raise ValueError(
                f"LivingSentence: expected at most {LONGEST} words and marks, got {n}"
            )

    def _tokens(self, exchanged: bool = True) -> list[int]:
        tokens = numbers_of(words_of(self.sentence))
        if exchanged and len(self.exchanged) == 2 and max(self.exchanged) < len(tokens):
            i, j = self.exchanged
            tokens[i], tokens[j] = tokens[j], tokens[i]
        return tokens

    def _added(self) -> list[int]:
        tokens = self._tokens()
        n = len(tokens)
        while len(tokens) < min(n + self.written, LONGEST):
            tokens.append(int(self._read(tokens).logits[-1].argmax()))
        return tokens[n:]

    def _read(self, tokens: list[int]) -> Reading:
        return reading_of(tokens, self.cuts, self.blade)

    def _both(self) -> tuple[list[int], Reading, list[int], Reading]:
        """Return the words as they are read, and the reading; and the same without cuts."""
        added = self._added()
        tokens, free = self._tokens() + added, self._tokens(exchanged=False) + added
        return tokens, self._read(tokens), free, reading_of(free)

    def _at(self, n: int) -> int:
        return min(self.word, n) - 1 if self.word else n - 1

    def words(self) -> list[str]:
        """Return the words as the model knows them, with those that it has added."""
        symbols = load().symbols
        return [symbols[token] for token in self._tokens() + self._added()]

    def logits(self) -> np.ndarray:
        """Return the logits of what follows each word, with the cuts as they are."""
        return self._both()[1].logits

    def next_words(self, most: int = SHOWN) -> list[tuple[str, float]]:
        """Return the likeliest words behind the chosen one, with their probabilities."""
        tokens, reading, *_ = self._both()
        p = softmax(reading.logits[self._at(len(tokens))])
        return [(load().symbols[i], float(p[i])) for i in p.argsort()[::-1][:most]]

    def readouts(self) -> dict[str, float]:
        """Return what is shown once the model runs: weights, next words, the view's own."""
        if not self.alive:
            return {}
        tokens, now, free_tokens, free = self._both()
        at = self._at(len(tokens))
        p, q = softmax(now.logits[at]), softmax(free.logits[at])
        weights = now.weights[self.layer - 1, self.head - 1, at]
        found: dict[str, Any] = {}
        if self.view not in ("stream", "whole"):
            found |= {f"weight-{j}": w for j, w in enumerate(weights)}
        for rank, symbol in enumerate((p + q).argsort()[::-1][:SHOWN]):
            found |= {f"word-{rank}": symbol, f"next-{rank}": p[symbol]}
            found |= {f"free-{rank}": q[symbol]}
        if len(tokens) > 1:
            losses = surprise(now.logits, tokens), surprise(free.logits, free_tokens)
            found |= {"loss": losses[0].mean(), "loss-free": losses[1].mean()}
        found |= getattr(self, f"_of_{self.view}")(now, free, at, tokens, free_tokens)
        return {name: float(value) for name, value in found.items()}

    def _of_queries(self, now: Reading, free: Reading, at: int, *_: Any) -> dict[str, Any]:
        q, k = (each[self.layer - 1, self.head - 1] for each in (now.q, now.k))
        return {f"score-{j}": e for j, e in enumerate(k[: at + 1] @ q[at])}

    def _of_scale(self, now: Reading, free: Reading, *_: Any) -> dict[str, Any]:
        rows = zip(_entropies(now), _entropies(free), strict=True)
        found: dict[str, Any] = {}
        for layer, (a, b) in enumerate(rows, start=1):
            found |= {f"entropy-{layer}": a, f"entropy-free-{layer}": b}
        return found

    def _of_heads(self, now: Reading, *_: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for layer, heads in enumerate(now.weights, start=1):
            for head, weights in enumerate(heads, start=1):
                back = np.diagonal(weights, -1)
                found[f"previous-{layer}-{head}"] = back.mean() if len(back) else 0.0
        return found

    def _of_mask(
        self, now: Reading, free: Reading, at: int, tokens: list[int], free_tokens: list[int]
    ) -> dict[str, Any]:
        given = np.exp(-surprise(now.logits, tokens))
        before = np.exp(-surprise(free.logits, free_tokens))
        found: dict[str, Any] = {"ahead": np.triu(now.weights, 1).sum(axis=-1).mean()}
        for t, (a, b) in enumerate(zip(given, before, strict=True)):
            found |= {f"given-{t}": a, f"given-free-{t}": b}
        return found

    def _of_positions(self, *_: Any) -> dict[str, Any]:
        return {}

    def _of_stream(self, now: Reading, free: Reading, at: int, *_: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        steps = zip(now.parts[:, at], now.stream[:, at], strict=True)
        for step, (part, x) in enumerate(steps):
            logits, norm = spoken(x), np.linalg.norm
            found |= {f"added-{step}": norm(part), f"length-{step}": norm(x)}
            found |= {f"says-{step}": logits.argmax(), f"sure-{step}": softmax(logits).max()}
        return found

    def _of_whole(self, now: Reading, free: Reading, at: int, *_: Any) -> dict[str, Any]:
        layer, head, norm = self.layer, self.head - 1, np.linalg.norm
        attention, feed = now.parts[2 : 2 * LAYERS + 2 : 2, at], now.parts[3::2, at]
        found: dict[str, Any] = {
            f"added-block-{block}": norm(x) for block, x in enumerate(attention + feed, start=1)
        }
        found |= {"added-attention": norm(attention[layer - 1])}
        found |= {"added-feed-forward": norm(feed[layer - 1])}
        found |= {"on": (hidden_layer(now, layer)[at] > 0).sum()}
        for step in (*range(1, 2 * LAYERS + 2, 2), 2 * layer):
            said = spoken(now.stream[step]).argmax(axis=-1)
            found |= {f"cell-{step}-{t}": symbol for t, symbol in enumerate(said)}
        for h, weights in enumerate(now.weights[layer - 1], start=1):
            found |= {f"weight-{h}-{t}": w for t, w in enumerate(weights[at])}
        q, k = now.q[layer - 1, head, at], now.k[layer - 1, head]
        scores = k @ q / np.sqrt(len(q))
        seen = now.weights[layer - 1, head, at] > 0
        places = range(len(scores))
        return found | {f"score-{t}": scores[t] for t in places if t <= at or seen[t]}

    def _steps(self, reading: Reading, at: int) -> str:
        """Return a table: what the output layer would say of a word after each part."""
        rows = []
        names = ["word", "position"]
        names += [f"{part} {n}" for n in range(1, 5) for part in ("attention", "feed-forward")]
        for name, x in zip(names, reading.stream[:, at], strict=True):
            p = softmax(spoken(x))
            rows.append((name, load().symbols[p.argmax()], f"{p.max():.2f}"))
        caption = "The word on its way up (read from below), and what would be written after it"
        return table(("after", "says", "p"), rows[::-1], caption)

    def _fallback(self) -> str:
        tokens, reading, *_ = self._both()
        at = self._at(len(tokens))
        symbols = load().symbols
        weights = reading.weights[self.layer - 1, self.head - 1, at]
        p = softmax(reading.logits[at])
        likely = ", ".join(
            f"<em>{html.escape(symbols[i])}</em> ({p[i]:.2f})" for i in p.argsort()[::-1][:3]
        )
        word = html.escape(symbols[tokens[at]])
        said = (
            f"<p>A trained language model reads <em>{html.escape(self.sentence)}</em>. "
            f"What it expects after <em>{word}</em>: {likely}.</p>"
        )
        if self.view == "whole":
            return said + self._steps(reading, at)
        rows = [(symbols[t], f"{w:.2f}") for t, w in zip(tokens, weights, strict=True) if w > 0]
        where = f"layer {self.layer}, head {self.head}"
        caption = f"Where “{symbols[tokens[at]]}” looks in {where}"
        return said + table(("word", "weight"), rows, caption)


def _entropies(reading: Reading) -> np.ndarray:
    """Return the mean entropy of the weights of each layer, over heads and words."""
    w = reading.weights
    logs = np.log(np.where(w > 0, w, 1))
    return -(w * logs).sum(axis=-1).mean(axis=(1, 2))
