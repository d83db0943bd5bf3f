"""Translators of the small world, measured against what is true of its sentences.

    python benchmarks/small_world.py english            # English to French; stops after MINUTES
    python benchmarks/small_world.py french             # French to English
    python benchmarks/small_world.py english --only bahdanau-0 fixed-0
    python benchmarks/small_world.py english --weights  # of seed 0, for the page: eight bits
    python benchmarks/small_world.py english --quick    # a few steps, nothing recorded

Each run is one file, ``data/recorded/small_world/LANGUAGE-MODEL-SEED.json``; what is there is
not run again, and a run that was stopped goes on from its checkpoint. All models have as many
weights, to 3 %, and see equally many sentences; three seeds. A step takes 0.02 to 0.035 CPU
seconds, so that a run takes two to three CPU minutes.
"""

import hashlib
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared import DATA, ROOT, command_line, curve, learn, store

from attention_course.data.batches import LengthBatches, pad
from attention_course.data.packed import CHOICES, IN_THE_WORLD, eight_bits, unpack_translator
from attention_course.data.tensors import tensor_bytes, write_tensors
from attention_course.data.vocabulary import PAD, START, Vocabulary
from attention_course.data.world import (
    Pair,
    deciders,
    phenomena,
    split_sentences,
    translates,
    vocabulary,
)  # fmt: skip
from attention_course.models.cuts import BLADES, keep_outputs
from attention_course.models.translators.against_truth import (
    Gaze,
    cut_effects,
    cuts_of,
    gaze,
    mean_gaze,
)
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, FixedContextSeq2Seq
from attention_course.models.translators.fixed_vector import sequence_loss, translate
from attention_course.models.translators.gnmt import GNMT
from attention_course.models.translators.luong import LuongSeq2Seq
from attention_course.models.translators.trained import state_arrays
from attention_course.models.translators.transformer import Transformer

SEEDS, STEPS, BATCH, LR = (0, 1, 2), 4000, 64, 3e-3
TRAIN, TEST, TRUTH, LONGEST, MINUTES = 20_000, 300, 120, 60, 60
RECURRENT = {"embedding": 32, "encoder": 48, "maxout": 48}
TWO = {"d_model": 48, "d_ff": 191, "n_layers": 2}
MODELS: dict[str, tuple[Callable[..., torch.nn.Module], dict[str, Any]]] = {
    "bahdanau": (BahdanauSeq2Seq, {**RECURRENT, "decoder": 96, "alignment": 48}),
    "fixed": (FixedContextSeq2Seq, {**RECURRENT, "decoder": 104, "alignment": 1}),
    **{f"transformer-1-{h}": (Transformer, {"d_model": 64, "n_heads": h, "d_ff": 270,
                                            "n_layers": 1}) for h in (4, 1, 2, 8)},
    **{f"transformer-2-{h}": (Transformer, {**TWO, "n_heads": h}) for h in (4, 1, 2, 8)},
    "luong": (LuongSeq2Seq, {"embedding": 32, "width": 78, "layers": 1}),
    "luong-dot": (LuongSeq2Seq, {"embedding": 32, "width": 80, "layers": 1, "score": "dot"}),
    "luong-concat": (LuongSeq2Seq, {"embedding": 32, "width": 76, "layers": 1,
                                    "score": "concat"}),
    "luong-location": (LuongSeq2Seq, {"embedding": 32, "width": 78, "layers": 1,
                                      "score": "location", "longest": 64}),
    "luong-unfed": (LuongSeq2Seq, {"embedding": 32, "width": 87, "layers": 1,
                                   "feeding": False}),
    "local-m": (LuongSeq2Seq, {"embedding": 32, "width": 78, "layers": 1,
                               "scope": "local-m", "D": 4}),
    "local-p": (LuongSeq2Seq, {"embedding": 32, "width": 76, "layers": 1,
                               "scope": "local-p", "D": 4}),
    "gnmt": (GNMT, {"depth": 4, "width": 36}),
}  # fmt: skip
# The smaller English table at the end makes the others smaller, this one not.
FROM_FRENCH = {"transformer-1": {"d_ff": 250}, "transformer-2": {"d_ff": 178}}
SPREAD = 0.03  # of the numbers of weights, around their middle


def other(language: str) -> str:
    """Return the other language."""
    return "french" if language == "english" else "english"


def words_of(pair: Pair, language: str) -> tuple[str, ...]:
    """Return a sentence in one language."""
    return pair.english if language == "english" else pair.french


@cache
def symbols(language: str) -> Vocabulary:
    """Return the words of a language with their numbers."""
    return Vocabulary(vocabulary(language))


@cache
def sets():
    """Return the split that all runs share."""
    return split_sentences(0, TRAIN, TEST)


@cache
def positions(language: str) -> list[list[frozenset[int]]]:
    """Return the deciders of the first test sentences; it takes 0.1 s for each."""
    return [deciders(pair, language) for pair in sets().sentences[:TRUTH]]


def data_hash() -> str:
    """Say which grammar the sentences are of."""
    text = b"".join((DATA / "world" / f).read_bytes() for f in ("lexicon.txt", "rules.txt"))
    return hashlib.sha256(text).hexdigest()[:16]


def new_model(name: str, language: str, rng: np.random.RandomState) -> torch.nn.Module:
    """Build one of the models for a source language."""
    kind, sizes = MODELS[name]
    if language == "french":
        sizes = {**sizes, **FROM_FRENCH.get(name[:13], {})}
    return kind(len(symbols(language)), len(symbols(other(language))), rng, **sizes)


def batches(language: str, pairs: list[Pair]) -> LengthBatches:
    """Return what draws batches of pairs, from one language to the other."""
    source, target = symbols(language), symbols(other(language))
    return LengthBatches(
        [source.encode(words_of(pair, language)) for pair in pairs],
        [target.encode(words_of(pair, other(language))) for pair in pairs],
        BATCH,
    )


def rate(step: int) -> float:
    """Rise for 100 steps, then fall in a straight line to a twentieth."""
    return LR * min(step / 100, max(0.05, 1 - step / STEPS))


def right(model, pairs: list[Pair], language: str) -> list[bool]:
    """Say of each pair whether the model translates it rightly."""
    sources = [symbols(language).encode(words_of(pair, language)) for pair in pairs]
    written = translate(model, sources, symbols(other(language)), LONGEST)
    return [
        translates(words, words_of(pair, language), language)
        for words, pair in zip(written, pairs, strict=True)
    ]


def share(found: list[bool]) -> list[float]:
    """Return a share and of how many."""
    return [round(float(np.mean(found)), 4) if found else 0.0, len(found)]


def rightness(model, language: str) -> dict[str, Any]:
    """Return the share of sentences translated rightly: by set, by length, by phenomenon."""
    whole = sets()
    test = {n: getattr(whole, n) for n in ("sentences", "combinations", "longer")}
    found = {name: right(model, pairs, language) for name, pairs in test.items()}
    everything = [
        (pair, good)
        for name in ("sentences", "longer")
        for pair, good in zip(test[name], found[name], strict=True)
    ]
    by_length: dict[str, list[bool]] = {}
    for pair, good in everything:
        n = len(words_of(pair, language))
        last = next(edge for edge in (6, 9, 12, 16, 20, 30, 200) if n <= edge)
        by_length.setdefault(f"to {last}", []).append(good)
    by_phenomenon: dict[str, list[bool]] = {}
    for pair, good in zip(test["sentences"], found["sentences"], strict=True):
        for name in phenomena(pair, language) or ("none of these",):
            by_phenomenon.setdefault(name, []).append(good)
    return {
        "right": {name: share(each) for name, each in found.items()},
        "right_by_length": {name: share(each) for name, each in by_length.items()},
        "right_by_phenomenon": {n: share(by_phenomenon[n]) for n in sorted(by_phenomenon)},
    }


def one_batch(pairs: list[Pair], language: str) -> tuple[torch.Tensor, ...]:
    """Return source, lengths, and the target moved right by one, of some pairs."""
    source, lengths = pad([symbols(language).encode(words_of(p, language)) for p in pairs])
    target = other(language)
    shifted, _ = pad([[START, *symbols(target).encode(words_of(p, target))] for p in pairs])
    return torch.from_numpy(source), torch.from_numpy(lengths), torch.from_numpy(shifted)


@torch.no_grad()
def looks(model, language: str) -> dict[str, float | None]:
    """Return where a model looks while it follows the right translations.

    The weights are those of the last block, their mean over the heads.
    """
    pairs = sets().sentences[:TRUTH]
    _, weights = model.follow(*one_batch(pairs, language))
    if weights.ndim == 4:
        weights = weights.mean(1)
    if weights.shape[-1] == 1:
        return Gaze(None, None, None)._asdict()
    owned = [pair.alignment(language) for pair in pairs]
    found = mean_gaze([
        gaze(row[: len(own)], own, decided)
        for row, own, decided in zip(weights.numpy(), owned, positions(language), strict=True)
    ])  # fmt: skip
    return {name: None if x is None else round(x, 4) for name, x in found._asdict().items()}


def cuts(model, language: str) -> dict[str, dict[str, list[float]]]:
    """Return what cutting a word that decides another changes, by what takes its place.

    Of the words that are right without the cut, which share is lost: of those that the word
    decides, and of those that neither come from it nor are decided by it. Of the cuts, how many
    change a word that the cut one decides, and no other.
    """
    if isinstance(model, FixedContextSeq2Seq):
        return {}
    pairs = sets().sentences[:TRUTH]
    batch = one_batch(pairs, language)
    wanted, _ = pad(
        [symbols(other(language)).encode(words_of(p, other(language))) for p in pairs]
    )
    wanted = np.pad(wanted, ((0, 0), (0, batch[2].shape[1] - wanted.shape[1])))
    truth = zip(pairs, positions(language), strict=True)
    told = [cuts_of(pair.alignment(language), decided) for pair, decided in truth]
    result = {}
    for blade in BLADES:
        effects = cut_effects(model, *batch, wanted, told, blade)
        result[blade] = {
            "decided": share([lost for effect in effects for lost in effect.decided]),
            "other": share([lost for effect in effects for lost in effect.other]),
            "clean": share([effect.clean for effect in effects]),
        }
    return result


def validation(language: str) -> Callable[[torch.nn.Module], float]:
    """Return what gives the share of wrong sentences, of the first sixty of the test set."""
    pairs = sets().sentences[:60]
    return lambda model: 1 - float(np.mean(right(model, pairs, language)))


def trained(name: str, language: str, seed: int, steps: int, folder: Path | None):
    """Train one model; return it and what it took."""
    rng = np.random.RandomState(seed)
    model = new_model(name, language, rng)
    drawn = batches(language, sets().train)
    history, taken = learn(
        model, drawn.draw, sequence_loss, rng, {"steps": steps, "lr": rate},
        validate=validation(language), every=250,
        checkpoint=folder / f"{language}-{name}-{seed}.pt" if folder else None,
    )  # fmt: skip
    return model, {**taken, "wrong_while_training": curve(history)}


def translator(name: str, language: str, seed: int, steps: int, folder: Path | None) -> dict:
    """Train and measure one translator."""
    model, taken = trained(name, language, seed, steps, folder)
    return {
        "model": name, "from": language, "seed": seed, **taken, **rightness(model, language),
        "looks": looks(model, language), "lost_by_cut": cuts(model, language),
    }  # fmt: skip


def save(task: str, name: str, seed: int, result: dict) -> None:
    """Record one run in a file of its own."""
    store(
        __file__, result, task, name=f"small_world/{task}-{name}-{seed}", seeds=[seed],
        grammar=data_hash(),
        settings={"steps": STEPS, "batch": BATCH, "rate": LR, "train": TRAIN, "test": TEST},
    )  # fmt: skip


@torch.no_grad()
def means(model, language: str) -> dict[str, np.ndarray]:
    """Return what a page puts in place of what it silences: its mean, over held-out sentences.

    By "means.backward" that of the backward reader's states, by "means.context" that of the
    heads of cross-attention, a row for each layer, while the right translation is followed.
    """
    if isinstance(model, FixedContextSeq2Seq | LuongSeq2Seq | GNMT):  # nothing to silence
        return {}
    found = []
    for pair in sets().sentences[:TRUTH]:
        batch = one_batch([pair], language)
        if isinstance(model, Transformer):
            with keep_outputs(model) as parts:
                model.follow(*batch)
            names = [name for name in parts if name.startswith("head-")]
            found.append(torch.cat([parts[name][0] for name in names], -1))
        else:
            found.append(model.read(*batch[:2])[1].annotations[0].chunk(2, -1)[1])
    mean = torch.cat(found).mean(0).numpy().astype(np.float16)
    if isinstance(model, Transformer):
        return {"means.context": mean.reshape(len(model.core.decoder), -1)}
    return {"means.backward": mean[None]}


def keep_weights(language: str, folder: Path) -> None:
    """Write the weights of seed 0, in eight bits, of the models that a page may run."""
    for name in IN_THE_WORLD.values():
        path = folder / f"{language}-{name}-0.pt"
        if path.is_file():
            model = new_model(name, language, np.random.RandomState(0))
            model.load_state_dict(torch.load(path, weights_only=True)["model"])
            packed = eight_bits(state_arrays(model, np.float32))
            arrays, _ = unpack_translator(tensor_bytes(packed))  # as the page has them
            model.load_state_dict({key: torch.from_numpy(a) for key, a in arrays.items()})
            about = {"script": "benchmarks/small_world.py", "grammar": data_hash()}
            if isinstance(model, LuongSeq2Seq):  # what the numbers do not show
                reach = getattr(model.attention, "D", "")
                about |= dict(zip(CHOICES, (model.score, model.scope, str(reach)), strict=True))
            to = DATA / f"checkpoints/small_world/{language}-{name}.safetensors"
            both = packed | means(model, language)
            print(write_tensors(to, both, **about).stat().st_size, to.name)


def main() -> None:
    """Do what is not there yet, until the CPU minutes are over."""
    parser = command_line(__doc__, ["english", "french"])
    parser.add_argument("--only", nargs="*", help="runs, as bahdanau-0")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="CPU minutes in all")
    parser.add_argument("--weights", action="store_true", help="only write those of seed 0")
    given = parser.parse_args()
    folder = ROOT / "build/small_world"
    if given.weights:
        return keep_weights(given.task, folder)
    steps, folder = (3, None) if given.quick else (STEPS, folder)
    seeds = SEEDS[:1] if given.quick else SEEDS
    for name, seed in ((name, seed) for seed in seeds for name in MODELS):
        stem = f"{given.task}-{name}-{seed}"
        there = (DATA / f"recorded/small_world/{stem}.json").is_file()
        if (there and not given.quick) or (given.only and f"{name}-{seed}" not in given.only):
            continue
        if time.process_time() > 60 * given.minutes:
            print("stopped; the same command goes on")
            return None
        result = translator(name, given.task, seed, steps, folder)
        print(name, seed, result, flush=True)
        if not given.quick:
            save(given.task, name, seed, result)
    return None


if __name__ == "__main__":
    main()
