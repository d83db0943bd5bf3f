"""Words and silent heads, with what the trained torch models say of each."""

import dataclasses
import math
from functools import cache
from typing import Any

import numpy as np
import torch
from fixtures.as_json import as_json

from attention_course.data.covered_letters import cover_every_letter, letter_words
from attention_course.data.tensors import load_checkpoint
from attention_course.models.experiments.covered_letters import (
    CoveredLetterModel,
    head_contexts,
    loss_without,
)


@cache
def _model(n_heads: int) -> CoveredLetterModel:
    arrays, _ = load_checkpoint("heads/covered_letters")
    own = f"{n_heads}."
    found = {n.removeprefix(own): a for n, a in arrays.items() if n.startswith(own)}
    return CoveredLetterModel(n_heads, np.random.RandomState(0)).put(found).double()


def _another(rows: list[tuple[str, int]], word: str, place: int, at: int) -> int:
    """Return the next row of another word, of the same place if there is one."""
    after = [(at + 1 + k) % len(rows) for k in range(len(rows))]
    others = [i for i in after if rows[i][0] != word] or after
    return next((i for i in others if rows[i][1] == place), others[0])


def shown(
    word: str, place: int, n_heads: int, silent: list[int], blade: str, words: list[str]
) -> dict[str, Any]:
    """Return the read-outs of a setting: weights, chances, losses, the cost of each head."""
    model, tested = _model(n_heads), cover_every_letter(words)
    each = vars(cover_every_letter([word])).items()
    one = dataclasses.replace(tested, **{n: a[place - 1 : place] for n, a in each})
    contexts = head_contexts(model, tested)
    rows = [(w, i) for w in words for i in range(1, len(w) + 1)]
    put, put_here = None, None
    if blade == "mean":
        put = put_here = contexts.mean(0)
    elif blade == "other":
        put = contexts[[_another(rows, *row, i) for i, row in enumerate(rows)]]
        put_here = contexts[_another(rows, word, place, -1)]

    def chance(letter: int) -> float:
        asked = dataclasses.replace(one, answers=np.array([letter]))
        return math.exp(-loss_without(model, asked, tuple(silent), put_here))

    whole = loss_without(model, tested)
    with torch.no_grad():
        _, weights = model(torch.from_numpy(one.tokens), torch.from_numpy(one.positions))
    return {
        "weight": weights[0].numpy(),
        "chance": [chance(letter) for letter in range(26)],
        "loss": whole,
        "loss_now": loss_without(model, tested, tuple(silent), put),
        "cost": [loss_without(model, tested, (h,), put) - whole for h in range(n_heads)],
    }


def heads() -> list[dict[str, Any]]:
    """Return what the trained heads do with words that they have not seen."""
    draw = np.random.RandomState(4)
    _, test = letter_words(np.random.RandomState(0))
    rows: list[dict[str, Any]] = []
    for i in range(24):
        n_heads = (1, 2, 4, 8)[i % 4]
        word = test[100 + i]
        setting = {
            "word": word,
            "place": int(draw.randint(1, len(word) + 1)),
            "n_heads": n_heads,
            "silent": np.flatnonzero(draw.random_sample(n_heads) < 0.3).tolist(),
            "blade": ("zero", "mean", "other")[i % 3],
            "words": test[:8],
        }
        rows.append({"setting": setting, "numbers": as_json(shown(**setting))})
    return rows


FIXTURES = {"heads": heads}
