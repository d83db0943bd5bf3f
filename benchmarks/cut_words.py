"""What each cut costs the language model of words, by three blades, and what its heads look at.

    python benchmarks/cut_words.py           # 1,000 held-out sentences: minutes
    python benchmarks/cut_words.py --quick   # 20 sentences, nothing recorded
    python benchmarks/cut_words.py --checkpoint NAME   # another model, recorded as cut_NAME

The sentences are the first whole verses of the text put aside, at most 48 words of each. The
cost of a cut is the loss with it less the loss without, in nats a word. Beside it is the range
of nine in ten of a thousand drawings of as many sentences. Layers and heads count from 1.

A part is cut by three blades: nothing is put in its place (zero); or its mean over other
sentences; or what it gives for another one at the same place, drawn among those that are as
long. The others are the second half for the first half of the sentences, and the first for the
second. The means over all sentences are stored beside the weights, for the pages.
"""

import copy
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import torch
from shared import DATA, command_line, store
from torch import Tensor, nn

from attention_course.data.packed import pack_words, unpack_translator
from attention_course.data.parallel import load_parallel
from attention_course.data.tensors import write_tensors
from attention_course.data.words import word_text
from attention_course.models import LanguageModel, load_word_model
from attention_course.models.cuts import cut_parts, part_means, part_names, part_outputs

SENTENCES, LONGEST, DRAWINGS, SHUFFLES = 1000, 48, 1000, (0, 1, 2)
PROMPT, WRITTEN = 8, 16
LAYERS = HEADS = 4
BLADES = ("zero", "mean", "other")
# Where the positions go when they are shuffled; a shorter sentence skips what it lacks.
ORDER = np.random.RandomState(0).permutation(LONGEST)
# These are changes, not parts: there is nothing to put in their place.
CHANGES = (
    *(f"{kind}-{layer}" for kind in ("residual", "uniform") for layer in range(1, 5)),
    *("uniform-all", "positions-none", "positions-mean", "positions-shuffled", "scale", "mask"),
)
LOOKS = ("previous", "first", "itself", "same", "behind same")


def sentences(most: int) -> list[np.ndarray]:
    """Return the first verses that lie in the text put aside from beginning to end."""
    text = word_text()
    ends = np.cumsum([len(verse.english) for verse in load_parallel()]) - len(text.train)
    spans = [(a, b) for a, b in pairwise(ends) if a >= 0 and b - a > 1]
    return [text.test[a : min(b, a + LONGEST)] for a, b in spans[:most]]


def partners(rows: list[np.ndarray], others: list[np.ndarray]) -> list[np.ndarray]:
    """Return another sentence for each: drawn among those that are as long, cut to length."""
    rng, found = np.random.RandomState(0), []
    for row in rows:
        as_long = [other for other in others if len(other) >= len(row)]
        as_long = as_long or [max(others, key=len)]  # then it begins again
        found.append(np.resize(as_long[rng.randint(len(as_long))], len(row)))
    return found


def by_length(rows: list[np.ndarray], most: int = 64) -> Iterator[tuple[list[int], Tensor]]:
    """Yield which sentences are of one length, and their words: nothing is filled up."""
    for n in sorted({len(row) for row in rows}):
        which = [i for i, row in enumerate(rows) if len(row) == n]
        for start in range(0, len(which), most):
            some = which[start : start + most]
            yield some, torch.from_numpy(np.array([rows[i] for i in some]))


@torch.no_grad()
def changed(model: LanguageModel, name: str, rows: list[np.ndarray]) -> LanguageModel:
    """Return a copy whose parameters are what a change leaves of them."""
    model = copy.deepcopy(model)
    kind, _, number = name.rpartition("-")
    table = model.positions.table
    blocks = [*model.blocks] if number == "all" else []
    if number.isdigit():
        blocks = [model.blocks[int(number) - 1]]
    if name == "positions-none":
        table.zero_()
    elif name == "positions-mean":
        table[:] = mean_place(table, rows)
    elif name == "scale":
        for block in model.blocks:
            for p in block.attention.W_q.parameters():
                p.mul_((model.E.embedding_dim // HEADS) ** 0.5)
    for block in blocks:
        if kind == "residual":
            block._join = lambda i, x, found: found
        else:
            for p in block.attention.W_q.parameters():
                p.zero_()
    return (
        model  # "positions-shuffled" depends on the sentence's length, "mask" is no parameter
    )


@torch.no_grad()
def losses(
    model: LanguageModel,
    rows: list[np.ndarray],
    name: str = "",
    put: dict[str, Tensor] | list[np.ndarray] | None = None,
) -> np.ndarray:
    """Return what each sentence loses in sum: all words but the first are guessed.

    Args:
        model: the language model.
        rows: the sentences.
        name: of a change, or of parts that are cut, such as "head-1-3", "attention-all" or
            "head-1-3 head-2-1".
        put: what replaces a part: its mean, by name, or its output for other
            sentences, one for each of the rows; nothing unless given.
    """
    names = part_names(model)
    kind = name.removesuffix("-all")
    parts = [p for p in names if p in name.split() or (kind != name and p.startswith(kind))]
    if name and not parts:
        model = changed(model, name, rows)
    lost, table = np.zeros(len(rows)), model.positions.table.clone()
    for which, words in by_length(rows):
        n = words.shape[1]
        if name == "positions-shuffled":
            model.positions.table[:n] = table[torch.from_numpy(ORDER[n > ORDER])]
        if isinstance(put, list):
            others = torch.from_numpy(np.array([put[i] for i in which]))
            instead = part_outputs(model, others)
        else:
            instead = put
        x = model.positions.add(model.E(words) * model.E.embedding_dim**0.5)
        mask = None if name == "mask" else torch.ones(n, n, dtype=torch.bool).tril()
        with cut_parts(model, parts, instead):
            for block in model.blocks:
                x = block(x, mask)[0]
        logits = model.end(x[:, :-1]) @ model.E.weight.T
        each = nn.functional.cross_entropy(
            logits.transpose(1, 2), words[:, 1:], reduction="none"
        )
        lost[which] = each.sum(1).numpy()
    return lost


def means_of(model: LanguageModel, rows: list[np.ndarray]) -> dict[str, Tensor]:
    """Return the mean of each part over all words of some sentences."""
    return part_means(model, (words for _, words in by_length(rows)))


def mean_place(table: Tensor, rows: list[np.ndarray]) -> Tensor:
    """Return the mean of the position vectors of all words of some sentences."""
    words = torch.tensor([float(sum(len(row) > i for row in rows)) for i in range(LONGEST)])
    return words / words.sum() @ table


def means_in_half(model: LanguageModel, rows: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return what a page puts in place of a part, in half precision."""
    means = means_of(model, rows)
    heads = [
        torch.cat([means[f"head-{layer}-{head}"] for head in range(1, HEADS + 1)])
        for layer in range(1, LAYERS + 1)
    ]
    feed = [means[f"feed-forward-{layer}"] for layer in range(1, LAYERS + 1)]
    arrays = {
        "means.context": torch.stack(heads),
        "means.feed_forward": torch.stack(feed),
        "means.positions": mean_place(model.positions.table.detach(), rows)[None],
    }
    return {key: x.numpy().astype(np.float16) for key, x in arrays.items()}


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


def costs_of(
    model: LanguageModel, rows: list[np.ndarray], more: tuple[str, ...] = ()
) -> tuple[float, dict[str, dict]]:
    """Return the loss, and what every cut, and some of several parts, cost by every blade."""
    guessed = np.array([len(row) - 1 for row in rows])
    draws = np.random.RandomState(0).randint(len(rows), size=(DRAWINGS, len(rows)))
    before = losses(model, rows)
    middle = len(rows) // 2
    halves = [(rows[:middle], rows[middle:]), (rows[middle:], rows[:middle])]
    ways = [
        {"zero": None, "mean": means_of(model, others), "other": partners(half, others)}
        for half, others in halves
    ]
    found: dict[str, dict] = {}
    for name in (*part_names(model), "attention-all", *more, *CHANGES):
        for blade in ("zero",) if name in CHANGES else BLADES:
            after = [
                losses(model, half, name, put[blade])
                for (half, _), put in zip(halves, ways, strict=True)
            ]
            one = cost(before, np.concatenate(after), guessed, draws)
            print(f"{name:20} {blade:6}", *(f"{x:+.4f}" for x in one.values()), flush=True)
            found.setdefault(name, {}).update(one if blade == "zero" else {blade: one})
    return float(before.sum() / guessed.sum()), found


def main() -> None:
    """Print and record what every cut costs, what heads look at, and what eight bits change."""
    parser = command_line(__doc__, quick="20 sentences")
    parser.add_argument("--checkpoint", default="words", help="which of data/checkpoints")
    options = parser.parse_args()
    rows = sentences(20 if options.quick else SENTENCES)
    model, _ = load_word_model(word_text().symbols, options.checkpoint)
    loss, costs = costs_of(model, rows)
    words = sum(len(row) - 1 for row in rows)
    print(f"{len(rows)} sentences, {words} words: {loss:.4f} nats a word", flush=True)
    result = {
        "loss": round(loss, 4),
        "words": words,
        "cuts": costs,
        "looks": meanings(model, rows),
    }
    if options.checkpoint == "words":
        result["eight_bits"] = eight_bits(model, rows)
        print(result["eight_bits"])
    if options.quick:
        return
    write_tensors(
        DATA / f"checkpoints/{options.checkpoint}_means.safetensors",
        means_in_half(model, rows),
        script="benchmarks/cut_words.py",
    )
    store(
        __file__,
        result,
        name=f"cut_{options.checkpoint}",
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
