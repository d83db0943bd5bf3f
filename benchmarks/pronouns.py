"""Train small readers to say what *it* means, with and without a causal mask, and record it.

Three settings, five seeds each, same task, width, optimiser and steps:
"sees all" answers at *it* and sees the whole sentence; "causal, at it" sees nothing after
*it*; "causal, at the end" answers at the last word. Each is tested on pairs of nouns that
training never showed.

    python benchmarks/pronouns.py          # half a minute on one core
    python benchmarks/pronouns.py --quick  # a smoke test that records nothing
"""

import time

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.data.pronouns import IT, LENGTH, WORDS, pronoun_sentence
from attention_course.models.experiments.pronouns import (
    PronounReader,
    pronoun_accuracy,
    pronoun_loss,
    pronoun_tensors,
)

SETTINGS = {
    "sees all": {"causal": False, "at": IT},
    "causal, at it": {"causal": True, "at": IT},
    "causal, at the end": {"causal": True, "at": LENGTH - 1},
}
# Where the nouns stand, and the adjective.
CLOSED = {"to both nouns": (1, 5), "to the adjective": (LENGTH - 1,)}
ADJECTIVES = ("tired", "wide")
SEEDS, STEPS, LR = (0, 1, 2, 3, 4), 300, 1e-2


def train_and_test(setting: str, seed: int, steps: int = STEPS) -> dict:
    """Train one reader; say how often it is right, and how often it looks where it should."""
    rng = np.random.RandomState(seed)
    model = PronounReader(rng, **SETTINGS[setting])
    _, taken = learn(model, pronoun_tensors, pronoun_loss, rng, {"steps": steps, "lr": LR})
    looks = looks_at_the_noun(model, np.random.RandomState(20_000 + seed))
    return {
        "setting": setting,
        "seed": seed,
        "first_losses": taken["first_losses"],
        "accuracy": pronoun_accuracy(model, np.random.RandomState(10_000 + seed)),
        "it looks at": {adjective: rows_of_it(model, adjective) for adjective in ADJECTIVES},
        "largest weight on the noun": [round(x, 4) for x in looks],
        "lines closed": {
            name: round(without_lines(model, places, 10_000 + seed), 4)
            for name, places in CLOSED.items()
        },
    }


def looks_at_the_noun(model: PronounReader, rng: np.random.RandomState) -> list[float]:
    """In how many sentences has the noun that is meant the largest weight, by layer?"""
    words, meant = pronoun_tensors(rng, 1000, held_out=True)
    with torch.no_grad():
        all_weights = model(words)[1]
    tops = [weights[:, model.at].argmax(dim=1, keepdim=True) for weights in all_weights]
    return [float((words.gather(1, top)[:, 0] == meant).float().mean()) for top in tops]


@torch.no_grad()
def rows_of_it(model: PronounReader, adjective: str) -> list[list[float]]:
    """Return the weights of the place that answers, by layer, in the well-known sentence."""
    sentence = pronoun_sentence("animal", "street", adjective).split()
    _, all_weights = model(torch.tensor([[WORDS.index(word) for word in sentence]]))
    return [[round(x, 4) for x in weights[0, model.at].tolist()] for weights in all_weights]


def without_lines(model: PronounReader, places: tuple[int, ...], seed: int) -> float:
    """How often is it right if the answering word may not look at these places?"""
    before = model.mask
    model.mask = before.clone()
    model.mask[model.at, list(places)] = False
    accuracy = pronoun_accuracy(model, np.random.RandomState(seed))
    model.mask = before
    return accuracy


def main() -> None:
    """Run all settings and record them."""
    quick = command_line(__doc__, quick="three steps").parse_args().quick
    started, rows = time.perf_counter(), []
    for setting in SETTINGS:
        for seed in SEEDS[:1] if quick else SEEDS:
            rows.append(train_and_test(setting, seed, 3 if quick else STEPS))
            print(rows[-1], flush=True)
    if not quick:
        store(
            __file__,
            {"steps": STEPS, "lr": LR, "rows": rows},
            seeds=list(SEEDS),
            seconds=round(time.perf_counter() - started),
        )


if __name__ == "__main__":
    main()
