"""A language model of the small world's English, for the page: trained, measured, stored.

    python benchmarks/world_words.py           # trains, or goes on: five CPU minutes
    python benchmarks/world_words.py --cuts    # what each cut costs: trains two more seeds
    python benchmarks/world_words.py --quick   # a few steps, nothing stored

It reads as the one of Bible verses does (benchmarks/growing.py): 48 words of a text, here
sentences that the grammar draws, one behind the other. What is stored has eight bits. Its loss
on sentences drawn from another seed stands beside that of the grammar's own probabilities: over
many words no model has less.

The cost of a cut is measured on 1,000 sentences of another seed, as in benchmarks/cut_words.py:
by three blades, with the range that other sentences give. Of each head is measured how often
its
largest weight is on the word that the grammar links with the one that looks: its subject, its
verb, its noun, or the word before. The model of the pages is that of seed 0; two more, trained
and rounded alike, say how far another training would differ. They are not stored.
"""

import random
from typing import Any

import numpy as np
import torch
from cut_words import BLADES, DRAWINGS, ORDER, costs_of, means_in_half
from shared import DATA, ROOT, command_line, learn, store
from small_world import data_hash, symbols
from torch import Tensor

from attention_course.data.packed import eight_bits, unpack_translator
from attention_course.data.tensors import load_checkpoint, read_tensors, tensor_bytes
from attention_course.data.world import Pair, linked_words, next_words, write
from attention_course.models.cuts import part_names
from attention_course.models.language import LanguageModel
from attention_course.models.translators.trained import state_arrays

SIZES = {"d_model": 64, "n_heads": 4, "d_ff": 192, "n_layers": 4}
LONGEST, SEED, STEPS, BATCH, LR, WRITTEN, TEST = 48, 0, 3000, 32, 3e-3, 60_000, 200
SEEDS, CUT = (0, 1, 2), 1000
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
    return torch.nn.functional.cross_entropy(model(words[:, :-1]).mT, words[:, 1:])


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
    given = parser.parse_args()
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
