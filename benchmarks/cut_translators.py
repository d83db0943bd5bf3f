"""What each cut of the sentence player costs over all held-out verses.

    python benchmarks/cut_translators.py           # 1,466 verses: two CPU minutes
    python benchmarks/cut_translators.py --quick   # 20 verses, nothing recorded

One cut at a time, in the weights that a page gets (``attention_course.data.packed``): BLEU, and
the share of greedy translations that are no longer the same. Which word is forbidden and which
gaze is moved differs from verse to verse: forbidden is the French word that has the largest sum
of weights in the verse's own uncut translation (the mean of the last layer's heads), moved the
gaze of an English word drawn at random, to a French word drawn at random.
"""

import copy
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from shared import command_line, store
from torch import Tensor, nn

from attention_course.data.batches import pad
from attention_course.data.packed import TRANSLATORS, pack_translator, unpack_translator
from attention_course.data.parallel import TranslationTask, translation_task
from attention_course.models.translators.encoder_decoder import DecoderCache
from attention_course.models.translators.trained import load_translator
from attention_course.models.translators.transformer import Transformer
from attention_course.reference.metrics.translation import bleu

LONGEST, SIZE, HEADS, LAYERS = 60, 256, 4, 2
Links = list[tuple[int, int] | None]  # an English word and a French one, for each verse


def as_in_the_page(name: str, task: TranslationTask) -> nn.Module:
    """Return a translator with the weights that a page gets."""
    model, _ = load_translator(name, task)
    arrays, _ = unpack_translator(pack_translator(name))
    model.load_state_dict({key: torch.from_numpy(array) for key, array in arrays.items()})
    return model


def cuts_of(name: str) -> list[str]:
    """Return the cuts that the player has for a model, as the record calls them."""
    if name == "fixed":
        return []
    own = {
        "attention": ["backward"],
        "transformer": ["positions", *(f"silent {h}" for h in range(HEADS * LAYERS))],
    }
    return ["uniform", *own[name], "forbidden", "moves"]


@torch.no_grad()
def with_cut(model: nn.Module, cut: str) -> nn.Module:
    """Return a copy in which something is cut that no verse changes: its weights say it all."""
    model = copy.deepcopy(model)
    if cut == "uniform":  # every score is 0
        for layer in _askers(model):
            for parameter in layer.parameters():
                parameter.zero_()
    elif cut == "positions":
        for positions in (model.P_x, model.P_y):
            positions.table.zero_()
    elif cut == "backward":
        unit = model.encoder.backward_unit  # a candidate of 0 leaves a state of 0
        unit.W.weight[: unit.d], unit.W.bias[: unit.d], unit.U[: unit.d] = 0, 0, 0
    elif cut.startswith("silent"):
        layer, head = divmod(int(cut.split()[1]), HEADS)
        heads = model.core.decoder[layer].cross.W_o.weight.unflatten(1, (HEADS, -1))
        heads[:, head] = 0
    return model


def _askers(model: nn.Module) -> list[nn.Module]:
    if isinstance(model, Transformer):
        return [block.cross.W_q for block in model.core.decoder]
    return [model.attention.v_a]


@torch.no_grad()
def write(
    model: nn.Module,
    sources: Sequence[Sequence[int]],
    forbidden: Links | None = None,
    moved: Links | None = None,
) -> Iterator[tuple[int, list[int], np.ndarray]]:
    """Write greedily: the number of a verse, what is written, and the weights behind it.

    Args:
        model: a translator.
        sources: numbers of the French words.
        forbidden: for each verse, a French word that no word may look at.
        moved: for each verse, an English word and the only French one that it may look at.
    """
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    for start in range(0, len(order), SIZE):
        chosen = order[start : start + SIZE]
        rows, lengths = map(torch.from_numpy, pad([sources[i] for i in chosen]))
        kept = model._begin(rows, lengths)
        real = torch.arange(rows.shape[1]) < lengths[:, None]
        for row, verse in enumerate(chosen):
            if forbidden is not None:
                real[row, forbidden[verse][1]] = False
        symbol, written, looked = torch.ones(len(rows), dtype=torch.int64), [], []
        while len(written) < LONGEST and not _ended(written):
            may = real.clone()
            for row, verse in enumerate(chosen):
                if moved is not None and moved[verse][0] == len(written):
                    may[row] = torch.arange(rows.shape[1]) == moved[verse][1]
            logits, weights, kept = model._advance(symbol, _seen(kept, may))
            symbol = logits.argmax(-1)
            written.append(symbol)
            looked.append(weights if weights.ndim == 2 else weights.mean(1))
        symbols, weights = torch.stack(written, 1).tolist(), torch.stack(looked, 1).numpy()
        for row, verse in enumerate(chosen):
            end = symbols[row].index(2) + 1 if 2 in symbols[row] else LONGEST
            yield verse, symbols[row][:end], weights[row, :end]


def _ended(written: list[Tensor]) -> bool:
    return bool(written) and bool((torch.stack(written) == 2).any(0).all())


def _seen(kept, may: Tensor):
    """Return what is kept before a step, with a mask of its own over the French words."""
    if isinstance(kept, DecoderCache):
        return kept._replace(memories=[m._replace(mask=may) for m in kept.memories])
    state, memory = kept
    fixed = memory.mask.shape[1] == 1  # one vector for all words
    return state, memory if fixed else replace(memory, mask=may)


def measure(name: str, task: TranslationTask, verses: Sequence) -> dict[str, dict[str, float]]:
    """Return BLEU of a translator without cuts and with each, and what share changed."""
    model = as_in_the_page(name, task)
    sources, wanted = [task.source(v) for v in verses], [v.english for v in verses]
    free = {verse: (symbols, weights) for verse, symbols, weights in write(model, sources)}
    rng = np.random.RandomState(0)
    top, drawn = [], []
    for i, source in enumerate(sources):
        symbols, weights = free[i]
        top.append((0, int(weights.sum(axis=0).argmax())))
        drawn.append((rng.randint(len(symbols)), rng.randint(len(source))))

    def row(written: dict[int, list[int]]) -> dict[str, float]:
        words = [task.english.decode(written[i]) for i in range(len(verses))]
        changed = np.mean([written[i] != free[i][0] for i in range(len(verses))])
        return {"bleu": round(bleu(words, wanted), 2), "changed": round(float(changed), 4)}

    result = {"none": row({i: symbols for i, (symbols, _) in free.items()})}
    for cut in cuts_of(name):
        links = {"forbidden": (top, None), "moves": (None, drawn)}.get(cut, (None, None))
        again = write(with_cut(model, cut), sources, *links)
        result[cut] = row({verse: symbols for verse, symbols, _ in again})
    return result


def main() -> None:
    """Print and record what each cut costs."""
    quick = command_line(__doc__, quick="20 verses").parse_args().quick
    task = translation_task(np.random.RandomState(0))
    verses = task.test[: 20 if quick else None]
    result = {}
    print("translator   cut         BLEU    costs  changed")
    for name in TRANSLATORS:
        result[name] = measure(name, task, verses)
        for cut, row in result[name].items():
            costs = result[name]["none"]["bleu"] - row["bleu"]
            print(f"{name:12} {cut:10} {row['bleu']:5.1f}  {costs:7.1f}  {row['changed']:7.1%}")
    if not quick:
        store(__file__, result, verses=len(verses), longest=LONGEST)


if __name__ == "__main__":
    main()
