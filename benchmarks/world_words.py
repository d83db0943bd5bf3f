"""A language model of the small world's English, for the page: trained, measured, stored.

    python benchmarks/world_words.py           # trains, or goes on: five CPU minutes
    python benchmarks/world_words.py --cuts    # what each cut costs: trains two more seeds
    python benchmarks/world_words.py --sentences  # the same of each sentence: one minute
    python benchmarks/world_words.py --quick   # a few steps, nothing stored

It reads 48 words of a text: sentences that the grammar draws, one behind the other. What is
stored has eight bits. Its loss on sentences drawn from another seed stands beside that of the
grammar's own probabilities: over many words no model has less.

The cost of a cut is the loss on 1,000 sentences of another seed with it less the loss without,
in nats a word. Beside it is the range of nine in ten of a thousand drawings of as many
sentences. Layers and heads count from 1. A part is cut by three blades: nothing is put in its
place (zero); or its mean over other sentences; or what it gives for another one at the same
place, drawn among those that are as long. The others are the second half for the first half of
the sentences, and the first for the second.

Of each head is measured how often its largest weight is on the word that the grammar links with
the one that looks: its subject, its verb, its noun, or the word before. The model of the pages
is that of seed 0; two more, trained and rounded alike, say how far another training would
differ. They are not stored.
"""

import copy
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from shared import DATA, ROOT, command_line, learn, store
from small_world import data_hash, symbols
from torch import Tensor, nn

from attention_course.data.packed import eight_bits, unpack_translator
from attention_course.data.tensors import load_checkpoint, read_tensors, tensor_bytes
from attention_course.data.world import Pair, linked_words, next_words, write
from attention_course.models.cuts import BLADES, cut_parts, part_means, part_names, part_outputs
from attention_course.models.language import LanguageModel
from attention_course.models.translators.trained import state_arrays

SIZES = {"d_model": 64, "n_heads": 4, "d_ff": 192, "n_layers": 4}
LONGEST, SEED, STEPS, BATCH, LR, WRITTEN, TEST = 48, 0, 3000, 32, 3e-3, 60_000, 200
SEEDS, CUT, DRAWINGS = (0, 1, 2), 1000, 1000
LAYERS = HEADS = 4
# Where the positions go when they are shuffled; a shorter sentence skips what it lacks.
ORDER = np.random.RandomState(0).permutation(LONGEST)
# These are changes, not parts: there is nothing to put in their place.
CHANGES = (
    *(f"{kind}-{layer}" for kind in ("residual", "uniform") for layer in range(1, 5)),
    *("uniform-all", "positions-none", "positions-mean", "positions-shuffled", "scale", "mask"),
)
OFTEN = 0.5  # a head that finds a link's word more often has it as its function


def rate(step: int) -> float:
    """Rise for 100 steps, then fall in a straight line to a twentieth."""
    return LR * min(step / 100, max(0.05, 1 - step / STEPS))


def sentences(seed: int, count: int) -> list[tuple[str, ...]]:
    """Return English sentences as the grammar draws them."""
    rng = random.Random(seed)
    return [write(rng).sentence("english") for _ in range(count)]


def new_model(seed: int) -> tuple[LanguageModel, np.random.RandomState]:
    """Return a model before its training, and the generator that goes on from it."""
    rng = np.random.RandomState(seed)
    model = LanguageModel(
        len(symbols("english")), rng, **SIZES, positions="learned", longest=LONGEST
    )
    return model, rng


def windows(text: list[tuple[str, ...]]):
    """Return what draws windows of a text, each from the beginning of a sentence."""
    stream = np.array(symbols("english").encode(word for words in text for word in words))
    starts = np.cumsum([0, *map(len, text)])
    starts = starts[starts <= len(stream) - LONGEST]

    def draw(rng: np.random.RandomState) -> Tensor:
        at = starts[rng.randint(len(starts), size=BATCH)]
        return torch.from_numpy(stream[at[:, None] + np.arange(LONGEST)])

    return draw


def loss_of(model: LanguageModel, words: Tensor) -> Tensor:
    """Return the mean loss of all words but the first."""
    return nn.functional.cross_entropy(model(words[:, :-1]).mT, words[:, 1:])


def packed(model: LanguageModel, rows: list[np.ndarray]) -> bytes:
    """Return the weights in eight bits, and what the parts give on average over sentences."""
    arrays = state_arrays(model, np.float32)
    # Each block has the same table of positions: one is enough.
    once = {k: a for k, a in arrays.items() if not k.endswith("attention.positions.table")}
    return tensor_bytes(
        eight_bits(once) | means_in_half(model, rows),
        script="benchmarks/world_words.py",
        grammar=data_hash(),
        words="\n".join(symbols("english").symbols[3:]),
    )


def read_back(arrays: dict[str, np.ndarray]) -> LanguageModel:
    """Return the model of weights that were stored in eight bits."""
    model, _ = new_model(SEED)
    weights = unpack_translator(tensor_bytes(arrays))[0]
    # The blocks share the table of positions.
    model.load_state_dict({k: torch.from_numpy(a) for k, a in weights.items()}, strict=False)
    return model.eval()


@torch.no_grad()
def surprise(content: bytes, rows: list[np.ndarray]) -> float:
    """Return the mean loss of all words but the first, in nats, with the weights as stored."""
    model = read_back(read_tensors(content)[0])
    found = [loss_of(model, torch.from_numpy(row)[None]) * (len(row) - 1) for row in rows]
    return float(sum(found) / sum(len(row) - 1 for row in rows))


def floor(text: list[tuple[str, ...]]) -> float:
    """Return the exact loss of the same words: the grammar's own."""
    return -float(
        np.mean(
            [
                np.log(next_words(words[:n], "english")[word])
                for words in text
                for n, word in enumerate(words)
                if n
            ]
        )
    )


def train(seed: int, quick: bool = False) -> tuple[LanguageModel, dict]:
    """Train a model, or go on; return it and what it took."""
    steps, written = (3, 50) if quick else (STEPS, WRITTEN)
    model, rng = new_model(seed)
    name = "world_words.pt" if seed == SEED else f"world_words_{seed}.pt"
    _, taken = learn(
        model, windows(sentences(SEED, written)), loss_of, rng, {"steps": steps, "lr": rate},
        checkpoint=None if quick else ROOT / "build" / name,
    )  # fmt: skip
    return model, taken


def encoded(text: list[tuple[str, ...]]) -> list[np.ndarray]:
    """Return sentences as numbers."""
    return [np.array(symbols("english").encode(words)) for words in text]


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
    # "positions-shuffled" depends on the sentence's length, and "mask" is no parameter.
    return model


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


@torch.no_grad()
def functions(model: LanguageModel, pairs: list[Pair]) -> dict[str, dict]:
    """Return how often each head's largest weight is on the word that the grammar links.

    Beside it its mean weight there, how many words have such a link, and how often a word
    drawn among those that are seen would be right.
    """
    found: dict[str, list[tuple[float, np.ndarray, np.ndarray]]] = {}
    for pair in pairs:
        x = torch.tensor([symbols("english").encode(pair.english)])
        x, seen = model.positions.add(model.E(x) * model.E.embedding_dim**0.5), []
        n = x.shape[1]
        for block in model.blocks:
            x, _, weights = block(x, torch.ones(n, n, dtype=torch.bool).tril())
            seen.append(weights[0].numpy())
        w = np.concatenate(seen)  # heads of all layers, words, words looked at
        for kind, linked in linked_words(pair).items():
            found.setdefault(kind, []).extend(
                (1 / (i + 1), w[:, i].argmax(-1) == j, w[:, i, j]) for i, j in linked.items()
            )
    heads = [name for name in part_names(model) if name.startswith("head")]
    return {
        kind: {
            "words": len(each),
            "chance": round(float(np.mean([one[0] for one in each])), 4),
            "heads": {
                name: [round(float(np.mean([one[k][h] for one in each])), 4) for k in (1, 2)]
                for h, name in enumerate(heads)
            },
        }
        for kind, each in found.items()
        if each
    }


def together(found: dict[str, dict]) -> dict[str, str]:
    """Return for each link all heads that find its word in most cases, to be cut at once."""
    return {
        kind: " ".join(name for name, (most, _) in each["heads"].items() if most > OFTEN)
        for kind, each in found.items()
    }


def store_cuts(quick: bool = False) -> None:
    """Measure what each cut costs the model of the pages and two others, and record it."""
    rng = random.Random(SEED + 2)
    pairs = [Pair(write(rng)) for _ in range(6 if quick else CUT)]
    rows = encoded([pair.english for pair in pairs])
    result: dict[str, Any] = {"words": sum(map(len, rows)) - len(rows), "seeds": {}}
    for seed in SEEDS[:1] if quick else SEEDS:
        arrays, taken = load_checkpoint("small_world/words")[0], {}
        if seed != SEED:
            model, taken = train(seed)
            arrays = eight_bits(state_arrays(model, np.float32))
        model = read_back(arrays)
        linked = functions(model, pairs)
        groups = together(linked)
        loss, cuts = costs_of(model, rows, tuple({g for g in groups.values() if " " in g}))
        one = {"loss": round(loss, 4), "functions": linked, "together": groups}
        if seed == SEED:
            result |= one | {"cuts": cuts}
        else:
            result["seeds"][seed] = {**taken, **one, "cuts": only_costs(cuts)}
        if not quick:
            store(
                __file__, result, name="world_cuts", seeds=[*SEEDS], grammar=data_hash(),
                sentences=len(rows), drawings=DRAWINGS, order=ORDER.tolist(), often=OFTEN,
            )  # fmt: skip


def store_sentences(quick: bool = False) -> None:
    """Record of each sentence what a cut by zero costs it, and how often a head finds a link.

    Each row is a string, to keep the file small: costs in nats, in sum over the sentence's
    guessed words; counts of linked words, and of those that a head's largest weight is on.
    """
    rng = random.Random(SEED + 2)
    pairs = [Pair(write(rng)) for _ in range(6 if quick else CUT)]
    rows = encoded([pair.english for pair in pairs])
    model = read_back(load_checkpoint("small_world/words")[0])
    before, names = losses(model, rows), part_names(model)
    costs = {name: losses(model, rows, name) - before for name in names}
    linked = [functions(model, [pair]) for pair in pairs]
    found: dict[str, dict[str, str]] = {}
    for kind in sorted({kind for one in linked for kind in one}):
        words = [one[kind]["words"] if kind in one else 0 for one in linked]
        found[kind] = {"words": " ".join(map(str, words))}
        for name in filter(lambda name: name.startswith("head"), names):
            hits = [
                round(one[kind]["heads"][name][0] * n) if n else 0
                for one, n in zip(linked, words, strict=True)
            ]
            found[kind][name] = " ".join(map(str, hits))
    result = {
        "guessed": " ".join(str(len(row) - 1) for row in rows),
        "costs": {name: " ".join(f"{x:.2f}" for x in each) for name, each in costs.items()},
        "functions": found,
    }
    if not quick:
        store(__file__, result, name="world_sentences", seeds=[SEED], grammar=data_hash())


def only_costs(cuts: dict[str, dict]) -> dict[str, dict[str, float]]:
    """Return what each cut costs by each blade, without its range."""
    return {
        name: {"zero": cut["cost"]} | {b: cut[b]["cost"] for b in BLADES[1:] if b in cut}
        for name, cut in cuts.items()
    }


def main() -> None:
    """Train, measure, store."""
    parser = command_line(__doc__)
    parser.add_argument("--cuts", action="store_true", help="measure what each cut costs")
    parser.add_argument("--sentences", action="store_true", help="record each sentence")
    given = parser.parse_args()
    if given.sentences:
        return store_sentences(given.quick)
    if given.cuts:
        return store_cuts(given.quick)
    model, taken = train(SEED, given.quick)
    tests = sentences(SEED + 1, 3 if given.quick else TEST)
    tests = [words for words in tests if len(words) <= LONGEST]
    rows = encoded(tests)
    content = packed(model, rows)
    result = {
        **taken, "loss": round(surprise(content, rows), 4), "floor": round(floor(tests), 4),
        "sentences": len(tests), "words": sum(map(len, tests)) - len(tests),
        "bytes": len(content),
    }  # fmt: skip
    print(result, flush=True)
    if given.quick:
        return None
    (DATA / "checkpoints/small_world/words.safetensors").write_bytes(content)
    store(
        __file__, result, seeds=[SEED], grammar=data_hash(),
        settings={**SIZES, "steps": STEPS, "batch": BATCH, "rate": LR, "written": WRITTEN},
    )  # fmt: skip
    return None


if __name__ == "__main__":
    main()
