"""Drafts that the small world's language model makes itself, against a table of word pairs.

Heads are trained on the model's own vectors, which stay as they are: a head for each place
("apart"), or one that sees the words drawn so far ("chained"); three seeds. All drafts have
seen the same 3,000 sentences. Kept is the chance that a guess is kept, by place, on held-out
text; words is how many a pass writes with three guesses, by the exact rule.

    python benchmarks/draft_heads.py          # two CPU minutes
    python benchmarks/draft_heads.py --quick  # a smoke test that records nothing
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from shared import command_line, learn, store
from torch import Tensor

from attention_course.data import world
from attention_course.data.vocabulary import Vocabulary
from attention_course.models.experiments.drafts import (
    KINDS,
    DraftHeads,
    draft_loss,
    draft_tensors,
    read_symbols,
    write_drafted,
)
from attention_course.models.language import load_language_model
from attention_course.reference import acceptance

SEEDS, AHEAD, WINDOW = (0, 1, 2), 3, 48
SETTING = {"steps": 400, "lr": 3e-3, "batch": 16, "sentences": 3000, "texts": 40, "words": 36}
SYMBOLS = Vocabulary(world.vocabulary("english"))
MODEL = load_language_model()


def text_of(sentences: int, seed: int) -> list[int]:
    """Return the words of sentences, one behind the other."""
    rng = random.Random(seed)
    drawn = (world.write(rng).sentence("english") for _ in range(sentences))
    return SYMBOLS.encode(word for sentence in drawn for word in sentence)


def word_pairs(text: list[int]) -> Callable[[Tensor, Tensor], Tensor]:
    """Return the draft of the page on serving: which word follows which, smoothed."""
    after = np.zeros((len(SYMBOLS), len(SYMBOLS)))
    np.add.at(after, (text[:-1], text[1:]), 1)
    each = np.bincount(text, minlength=len(SYMBOLS)) / len(text)
    table = torch.from_numpy((after + 5 * each) / (after.sum(1, keepdims=True) + 5)).log()
    return lambda h, symbols: table[symbols[..., -1]]


@torch.no_grad()
def measured(draft: Callable[[Tensor, Tensor], Tensor], seed: int, setting: dict) -> dict:
    """Return how often a guess is kept, by place, and how many words a pass writes."""
    rows = [text_of(10, 1000 + i)[:WINDOW] for i in range(setting["texts"])]
    symbols = torch.tensor(rows)
    h, y = draft_tensors(MODEL, symbols, AHEAD)
    p = read_symbols(MODEL, symbols)[1].double().softmax(-1).numpy()
    kept = []
    for j in range(1, AHEAD + 1):
        q = draft(h, y[..., :j]).double().softmax(-1).numpy()
        kept.append(float(acceptance(p[:, j : j + q.shape[1]], q).mean()))
    rng, n = np.random.RandomState(2000 + seed), setting["words"]
    prompt = SYMBOLS.encode(["the", "girl", "drinks"])
    texts = [write_drafted(MODEL, draft, prompt, n, AHEAD, rng) for _ in rows]
    words = n * len(rows) / sum(text.passes for text in texts)
    return {"kept": [round(x, 4) for x in kept], "words": round(words, 3)}


def run(kind: str, seed: int, setting: dict[str, Any]) -> dict[str, Any]:
    """Train the heads of one kind, and measure them."""
    stream = np.array(text_of(setting["sentences"], 0))

    def draw(rng: np.random.RandomState) -> tuple[Tensor, Tensor]:
        at = rng.randint(len(stream) - WINDOW, size=setting["batch"])
        rows = torch.from_numpy(stream[at[:, None] + np.arange(WINDOW)])
        return draft_tensors(MODEL, rows, AHEAD)

    heads = DraftHeads(MODEL.E.weight, np.random.RandomState(seed), kind, AHEAD)
    rng = np.random.RandomState(1000 + seed)
    _, took = learn(heads, draw, draft_loss, rng, setting, device="cpu")
    return {"seed": seed, **took, **measured(heads.eval(), seed, setting)}


def main() -> None:
    """Train each kind with each seed, measure what needs no training, and record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 3, "sentences": 100, "texts": 2} if quick else {})
    untrained = DraftHeads(MODEL.E.weight, np.random.RandomState(0), "chained", AHEAD)
    others = {
        "word pairs": word_pairs(text_of(setting["sentences"], 0)),
        "chained, untrained": untrained.eval(),
    }
    found = {name: measured(draft, 0, setting) for name, draft in others.items()}
    print(found)
    runs: dict[str, list] = {kind: [] for kind in KINDS}
    for kind in KINDS:
        for seed in SEEDS[: 1 if quick else None]:
            runs[kind].append(run(kind, seed, setting))
            print(kind, runs[kind][-1], flush=True)
    if not quick:
        result = {"runs": {"heads": runs}, "others": found}
        store(__file__, result, settings=SETTING, seeds=list(SEEDS), ahead=AHEAD)


if __name__ == "__main__":
    main()
