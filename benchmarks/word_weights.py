"""Is the word with the most weight the one that matters most? Of each sentence.

    python benchmarks/word_weights.py                 # the model of the pages: a CPU minute
    python benchmarks/word_weights.py --seeds 0 1 2   # with two that it first trains
    python benchmarks/word_weights.py --quick         # a few sentences, nothing recorded

The models are those of ``world_words.py``. A word is cut by letting no later word look at
it, in any layer. What that changes is the total variation between the chances of the next word
with the word and without it. Each word from the fourth on ranks the words before it twice, by
what their cuts change and by weight; recorded is the rank correlation, as the mean over a
sentence, and how often both put the same word first. As a control, each word takes the weights
of another sentence at its place, drawn among those that are as long, five times.
"""

import random

import numpy as np
import torch
from shared import command_line, store
from small_world import data_hash
from world_words import CUT, SEED, encoded, read_back, train

from attention_course.data.packed import eight_bits
from attention_course.data.tensors import load_checkpoint
from attention_course.data.world import Pair, write
from attention_course.models.language import LanguageModel
from attention_course.models.translators.trained import state_arrays

SENTENCES, DRAWS, FIRST = 100, 5, 3


def model_of(seed: int) -> LanguageModel:
    """Return the model of a seed, its weights in eight bits, as the pages have them."""
    if seed == SEED:
        return read_back(load_checkpoint("small_world/words")[0])
    return read_back(eight_bits(state_arrays(train(seed)[0], np.float32)))


@torch.no_grad()
def read(model: LanguageModel, row: np.ndarray, may: torch.Tensor) -> tuple[np.ndarray, ...]:
    """Return the weights under the last of some masks, and the chances under each.

    Args:
        model: the language model.
        row: the sentence in numbers, of n + 1 words: the last is only guessed.
        may: which word may look at which, (masks, n, n).

    Returns:
        Weights (heads of all layers, n, n), and chances (masks, n, words of the model).
    """
    x, seen = torch.from_numpy(row[:-1]).expand(len(may), -1), []
    x = model.positions.add(model.E(x) * model.E.embedding_dim**0.5)
    for block in model.blocks:
        x, _, weights = block(x, may[:, None])
        seen.append(weights[-1])
    chances = (model.end(x) @ model.E.weight.T).softmax(-1)
    return torch.cat(seen).numpy(), chances.numpy()


def cut_words(model: LanguageModel, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a sentence's weights, and what cutting each word changes for each later one."""
    n = len(row) - 1
    may = past(n).repeat(n + 1, 1, 1)
    for j in range(n):
        may[j, j + 1 :, j] = False  # the last mask is left whole
    weights, chances = read(model, row, may)
    return weights, np.abs(chances[:-1] - chances[-1]).sum(-1).T / 2


def past(n: int) -> torch.Tensor:
    """Return the causal mask of n words."""
    return torch.ones(1, n, n, dtype=torch.bool).tril()


def agreement(weights: np.ndarray, changes: np.ndarray) -> tuple[float, int]:
    """Return the mean rank correlation over a sentence, and how often the first is the same.

    >>> agreement(np.tri(5), np.tri(5) * np.arange(5))
    (1.0, 2)
    """
    found, first = [], 0
    for i in range(FIRST, len(changes)):
        ranks = [x[i, :i].argsort(kind="stable").argsort() for x in (weights, changes)]
        found.append(np.corrcoef(*ranks)[0, 1])
        first += int(ranks[0].argmax() == ranks[1].argmax())
    return float(np.mean(found)), first


def drawn(rows: list[np.ndarray], rng: np.random.RandomState) -> list[np.ndarray]:
    """Return for each sentence which others, as long or longer, lend it their weights."""
    lengths = np.array([len(row) for row in rows])
    lenders = [np.flatnonzero(lengths >= n) for n in lengths]
    return [
        rng.choice(some[some != i], DRAWS, replace=False) if len(some) > DRAWS else some[:0]
        for i, some in enumerate(lenders)
    ]


def measured(model: LanguageModel, rows: list[np.ndarray], sentences: int) -> dict[str, str]:
    """Return of each sentence, in a row of numbers, how far weights and changes agree."""
    lent = drawn(rows, np.random.RandomState(0))
    some = [i for i, row in enumerate(rows) if len(row) > FIRST + 1 and len(lent[i])]
    found: dict[str, list[str]] = {}
    for i in some[:sentences]:
        weights, changes = cut_words(model, rows[i])
        n = len(changes)
        ways = {"all": weights.mean(0)}
        ways |= {f"head-{h // 4 + 1}-{h % 4 + 1}": one for h, one in enumerate(weights)}
        for k, other in enumerate(lent[i]):
            ways[f"other-{k}"] = read(model, rows[other][: n + 1], past(n))[0].mean(0)
        found.setdefault("words", []).append(str(n - FIRST))
        for name, one in ways.items():
            ranked, first = agreement(one, changes)
            found.setdefault(name, []).append(f"{ranked:.2f}")
            found.setdefault(f"{name} first", []).append(str(first))
    return {name: " ".join(each) for name, each in found.items()}


def main() -> None:
    """Measure and store."""
    parser = command_line(__doc__, quick="a few sentences")
    parser.add_argument("--seeds", type=int, nargs="+", default=[SEED], help="of the models")
    given = parser.parse_args()
    rng = random.Random(SEED + 2)
    rows = encoded([Pair(write(rng)).english for _ in range(CUT)])
    sentences = 3 if given.quick else SENTENCES
    result = {str(seed): measured(model_of(seed), rows, sentences) for seed in given.seeds}
    if not given.quick:
        store(__file__, result, seeds=given.seeds, grammar=data_hash(), draws=DRAWS)


if __name__ == "__main__":
    main()
