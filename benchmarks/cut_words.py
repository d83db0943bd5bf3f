"""What each cut costs the language model of words, and what its heads look at.

    python benchmarks/cut_words.py           # 1,000 held-out sentences: minutes
    python benchmarks/cut_words.py --quick   # 20 sentences, nothing recorded

The sentences are the first whole verses of the text put aside, at most 48 words of each. The
cost of a cut is the loss with it less the loss without, in nats a word. Beside it is the range
of nine in ten of a thousand drawings of as many sentences. Layers and heads count from 1.
"""

import copy
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from shared import command_line, store
from torch import Tensor, nn

from attention_course.data.packed import pack_words, unpack_translator
from attention_course.data.parallel import load_parallel
from attention_course.data.words import word_text
from attention_course.models import LanguageModel, load_word_model

SENTENCES, LONGEST, DRAWINGS, SHUFFLES = 1000, 48, 1000, (0, 1, 2)
PROMPT, WRITTEN = 8, 16
LAYERS = HEADS = 4
# Where the positions go when they are shuffled; a shorter sentence skips what it lacks.
ORDER = np.random.RandomState(0).permutation(LONGEST)
PARTS = ("layer", "attention", "feed-forward", "residual", "uniform")
CUTS = (
    *(f"head-{layer}-{head}" for layer in range(1, 5) for head in range(1, 5)),
    *(f"{part}-{layer}" for part in PARTS for layer in range(1, 5)),
    *("positions-none", "positions-shuffled", "scale", "mask"),
)
LOOKS = ("previous", "first", "itself", "same", "behind same")


def sentences(most: int) -> list[np.ndarray]:
    """Return the first verses that lie in the text put aside from beginning to end."""
    text = word_text()
    ends = np.cumsum([len(verse.english) for verse in load_parallel()]) - len(text.train)
    spans = [(a, b) for a, b in pairwise(ends) if a >= 0 and b - a > 1]
    return [text.test[a : min(b, a + LONGEST)] for a, b in spans[:most]]


def by_length(rows: list[np.ndarray], most: int = 64) -> Iterator[tuple[list[int], Tensor]]:
    """Yield which sentences are of one length, and their words: nothing is filled up."""
    for n in sorted({len(row) for row in rows}):
        which = [i for i, row in enumerate(rows) if len(row) == n]
        for start in range(0, len(which), most):
            some = which[start : start + most]
            yield some, torch.from_numpy(np.array([rows[i] for i in some]))


@torch.no_grad()
def cut(model: LanguageModel, name: str) -> LanguageModel:
    """Return a copy whose parameters are what the cut leaves of them."""
    model = copy.deepcopy(model)
    kind, *numbers = name.rsplit("-", name.count("-") - name.startswith("feed"))
    width = model.E.embedding_dim // HEADS
    table = model.positions.table
    if name == "positions-none":
        table.zero_()
    elif name == "positions-shuffled":
        pass  # depends on the length of the sentence
    elif name == "scale":
        for block in model.blocks:
            for p in block.attention.W_q.parameters():
                p.mul_(width**0.5)
    elif name != "mask":
        block = model.blocks[int(numbers[0]) - 1]
        silent: list[nn.Module] = []
        if kind == "head":
            head = int(numbers[1]) - 1
            block.attention.W_o.weight[:, head * width : (head + 1) * width] = 0
        elif kind == "residual":
            block._join = lambda i, x, found: found
        elif kind == "uniform":
            silent = [block.attention.W_q]
        else:
            silent = [block.attention.W_o] if kind in ("attention", "layer") else []
            silent += [block.feed_forward.W_2] if kind in ("feed-forward", "layer") else []
        for p in (p for part in silent for p in part.parameters()):
            p.zero_()
    return model


@torch.no_grad()
def losses(model: LanguageModel, rows: list[np.ndarray], name: str = "") -> np.ndarray:
    """Return what each sentence loses in sum: all words but the first are guessed."""
    model, lost = cut(model, name) if name else model, np.zeros(len(rows))
    table = model.positions.table.clone()
    for which, words in by_length(rows):
        n = words.shape[1]
        if name == "positions-shuffled":
            model.positions.table[:n] = table[torch.from_numpy(ORDER[n > ORDER])]
        x = model.positions.add(model.E(words) * model.E.embedding_dim**0.5)
        mask = None if name == "mask" else torch.ones(n, n, dtype=torch.bool).tril()
        for block in model.blocks:
            x = block(x, mask)[0]
        logits = model.end(x[:, :-1]) @ model.E.weight.T
        each = nn.functional.cross_entropy(
            logits.transpose(1, 2), words[:, 1:], reduction="none"
        )
        lost[which] = each.sum(1).numpy()
    return lost


def cost(
    before: np.ndarray, after: np.ndarray, guessed: np.ndarray, draws: np.ndarray
) -> dict[str, float]:
    """Return what a cut costs a word, and the range that other sentences give."""
    more = after - before
    others = more[draws].sum(1) / guessed[draws].sum(1)
    low, high = np.percentile(others, [5, 95])
    found = {"cost": more.sum() / guessed.sum(), "low": low, "high": high}
    return {key: round(float(value), 4) for key, value in found.items()}


@torch.no_grad()
def looks(model: LanguageModel, rows: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the mean weight that each head has for some words, from the third word on.

    On the word before, on the first, on itself; on all earlier places of the same word; on the
    words right behind those. The last two where there is one. A fifth row of heads is
    equal weights.
    """
    sums = {look: np.zeros((LAYERS + 1, HEADS)) for look in LOOKS}
    places = dict.fromkeys(LOOKS, 0)
    for _, words in by_length(rows):
        n = words.shape[1]
        if n < 3:
            continue
        x = model.positions.add(model.E(words) * model.E.embedding_dim**0.5)
        causal, seen = torch.ones(n, n).tril(), []
        for block in model.blocks:
            x, _, weights = block(x, causal > 0)
            seen.append(weights)
        equal = (causal / causal.sum(1, keepdim=True)).expand_as(seen[0])
        weights = torch.stack([*seen, equal], 1)  # rows, layers, heads, words, looked at
        before = torch.eye(n).roll(-1, 1).tril(-1).expand(len(words), n, n)
        first = torch.zeros(n, n)
        first[:, 0] = 1
        same = (words[:, :, None] == words[:, None, :]).float().tril(-1)
        marks = {
            "previous": before,
            "first": first.expand_as(before),
            "itself": torch.eye(n).expand_as(before),
            "same": same,
            "behind same": same.roll(1, 2).tril(-1),
        }
        for look, mark in marks.items():
            on = (weights * mark[:, None, None]).sum(-1)[..., 2:]
            there = mark.sum(-1)[:, 2:] > 0
            sums[look] += (on * there[:, None, None]).sum((0, 3)).numpy()
            places[look] += int(there.sum())
    return {look: sums[look] / places[look] for look in LOOKS}


def meanings(model: LanguageModel, rows: list[np.ndarray]) -> dict[str, dict]:
    """Return what each head looks at, in the text and in the same words shuffled."""
    text = looks(model, rows)
    shuffled = [
        looks(model, [np.random.RandomState(seed).permutation(row) for row in rows])
        for seed in SHUFFLES
    ]
    found = {
        f"head-{layer + 1}-{head + 1}": {
            look: {
                "text": round(float(text[look][layer, head]), 4),
                "shuffled": [round(float(other[look][layer, head]), 4) for other in shuffled],
            }
            for look in LOOKS
        }
        for layer in range(LAYERS)
        for head in range(HEADS)
    }
    equal = {look: round(float(text[look][LAYERS, 0]), 4) for look in LOOKS}
    return {"equal": equal, "heads": found}


@torch.no_grad()
def eight_bits(model: LanguageModel, rows: list[np.ndarray]) -> dict[str, float]:
    """Return what the eight bits that a page gets change: loss, guesses, greedy words."""
    arrays = {k: torch.from_numpy(a) for k, a in unpack_translator(pack_words())[0].items()}
    small = copy.deepcopy(model)
    small.load_state_dict(arrays, strict=False)
    guessed = sum(len(row) - 1 for row in rows)
    changed = 0
    for _, words in by_length(rows):
        two = [one(words[:, :-1]).argmax(-1) for one in (model, small)]
        changed += int((two[0] != two[1]).sum())
    prompts = torch.from_numpy(np.array([row[:PROMPT] for row in rows if len(row) > PROMPT]))
    written = []
    for one in (model, small):
        words = prompts
        for _ in range(WRITTEN):
            words = torch.cat([words, one.step(words, only_last=True)[0].argmax(-1)], 1)
        written.append(words)
    kept = (written[0] == written[1]).all(1)
    lost = losses(small, rows).sum() - losses(model, rows).sum()
    return {
        "cost": round(float(lost / guessed), 5),
        "bytes": len(pack_words()),
        "guesses": guessed,
        "guesses_changed": changed,
        "texts": len(prompts),
        "texts_changed": int((~kept).sum()),
    }


def main() -> None:
    """Print and record what every cut costs, what heads look at, and what eight bits change."""
    quick = command_line(__doc__, quick="20 sentences").parse_args().quick
    rows = sentences(20 if quick else SENTENCES)
    model, _ = load_word_model(word_text().symbols)
    guessed = np.array([len(row) - 1 for row in rows])
    draws = np.random.RandomState(0).randint(len(rows), size=(DRAWINGS, len(rows)))
    before = losses(model, rows)
    loss = float(before.sum() / guessed.sum())
    print(f"{len(rows)} sentences, {guessed.sum()} words: {loss:.4f} nats a word", flush=True)
    costs = {}
    for name in CUTS:
        costs[name] = cost(before, losses(model, rows, name), guessed, draws)
        print(f"{name:20}", *(f"{value:+.4f}" for value in costs[name].values()), flush=True)
    result = {
        "loss": round(loss, 4),
        "words": int(guessed.sum()),
        "cuts": costs,
        "looks": meanings(model, rows),
        "eight_bits": eight_bits(model, rows),
    }
    print(result["eight_bits"])
    if not quick:
        store(
            __file__,
            result,
            sentences=len(rows),
            longest=LONGEST,
            order=ORDER.tolist(),
            drawings=DRAWINGS,
            shuffles=list(SHUFFLES),
            prompt=PROMPT,
            written=WRITTEN,
        )


if __name__ == "__main__":
    main()
