"""What each cut of the sentence player costs over all held-out verses.

    python benchmarks/cut_translators.py           # 1,466 verses: five CPU minutes
    python benchmarks/cut_translators.py --quick   # 20 verses, nothing recorded

One cut at a time, in the weights that a page gets (``attention_course.data.packed``): BLEU, and
the share of greedy translations that are no longer the same. Which word is forbidden and which
gaze is moved differs from verse to verse: forbidden is the French word that has the largest sum
of weights in the verse's own uncut translation (the mean of the last layer's heads), moved the
gaze of an English word drawn at random, to a French word drawn at random.

What is silenced, a head of cross-attention or the backward reader, is cut by three blades:
nothing is put in its place; or its mean over other verses; or what it gives for another one at
the same place, which begins again where it ends. The others are the second half for the first
half of the verses, and the first for the second. The means over all verses are stored beside
the weights, for the pages.
"""

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace

import numpy as np
import torch
from shared import DATA, command_line, store
from torch import Tensor, nn

from attention_course.data.batches import pad
from attention_course.data.packed import TRANSLATORS, pack_translator, unpack_translator
from attention_course.data.parallel import TranslationTask, translation_task
from attention_course.data.tensors import write_tensors
from attention_course.models.cuts import BLADES, cut_parts, keep_outputs
from attention_course.models.translators.encoder_decoder import DecoderCache
from attention_course.models.translators.trained import load_translator
from attention_course.models.translators.transformer import Transformer
from attention_course.reference.metrics.translation import bleu

LONGEST, SIZE, HEADS, LAYERS = 60, 256, 4, 2
Links = list[tuple[int, int] | None]  # an English word and a French one, for each verse
Rows = list[Tensor]  # for each verse what a part gives, or what is in its place: n, width


def as_in_the_page(name: str, task: TranslationTask) -> nn.Module:
    """Return a translator with the weights that a page gets."""
    model, _ = load_translator(name, task)
    arrays, _ = unpack_translator(pack_translator(name))
    own = {k: torch.from_numpy(a) for k, a in arrays.items() if not k.startswith("means.")}
    model.load_state_dict(own)
    return model


def cuts_of(name: str) -> list[str]:
    """Return the cuts that the player has for a model, as the record calls them."""
    if name == "fixed":
        return []
    own = ["positions"] if name == "transformer" else []
    by_blades = [
        f"{part} {blade}".removesuffix(" zero") for part in silenced(name) for blade in BLADES
    ]
    return ["uniform", *own, *by_blades, "forbidden", "moves"]


def silenced(name: str) -> list[str]:
    """Return what can be silenced in a model: its heads, or one of its readers."""
    heads = [f"silent {h}" for h in range(HEADS * LAYERS)]
    return {"attention": ["backward"], "transformer": heads, "fixed": []}[name]


def part_of(silent: str) -> str:
    """Return what :mod:`attention_course.models.cuts` calls a head, from its number."""
    layer, head = divmod(int(silent.split()[1]), HEADS)
    return f"head-{layer + 1}-{head + 1}"


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
    return model


def _askers(model: nn.Module) -> list[nn.Module]:
    if isinstance(model, Transformer):
        return [block.cross.W_q for block in model.core.decoder]
    return [model.attention.v_a]


@torch.no_grad()
def given_by(
    model: nn.Module, sources: Sequence[Sequence[int]], written: Sequence[Sequence[int]]
) -> dict[str, Rows]:
    """Return what each part that can be silenced gives for each verse, word by word.

    Args:
        model: a translator.
        sources: numbers of the French words.
        written: what it writes, which it reads again here.
    """
    found: dict[str, Rows] = {}
    for source, symbols in zip(sources, written, strict=True):
        row, length = torch.tensor([source]), torch.tensor([len(source)])
        if isinstance(model, Transformer):
            with keep_outputs(model) as parts:
                model.follow(row, length, torch.tensor([[1, *symbols[:-1]]]))
            for silent in silenced("transformer"):
                found.setdefault(silent, []).append(parts[part_of(silent)][0])
        else:
            annotations = model.read(row, length)[1].annotations[0]
            found.setdefault("backward", []).append(annotations.chunk(2, -1)[1])
    return found


@contextmanager
def without(model: nn.Module, silent: str, put: Rows) -> Iterator[dict[str, Tensor]]:
    """Put something in place of a head, or of the backward reader's states.

    What a head is replaced by at each step is asked of what this yields, by the part's name.
    """
    if silent != "backward":
        step: dict[str, Tensor] = {}
        with cut_parts(model, [part_of(silent)], step):
            yield step
        return

    def replaced(module: nn.Module, given: tuple, out: tuple) -> tuple[Tensor, Tensor]:
        ahead, ends = out[0].chunk(2, -1)[0], out[1].chunk(2, -1)[0]
        back = torch.stack([at(rows, range(ahead.shape[1])) for rows in put])
        return torch.cat([ahead, back], -1), torch.cat([ends, back[:, 0]], -1)

    handle = model.encoder.register_forward_hook(replaced)
    yield {}
    handle.remove()


def at(rows: Tensor, places: Sequence[int]) -> Tensor:
    """Return some rows; behind the last the first begins again."""
    return rows[[place % len(rows) for place in places]]


@torch.no_grad()
def write(
    model: nn.Module,
    sources: Sequence[Sequence[int]],
    forbidden: Links | None = None,
    moved: Links | None = None,
    silent: str = "",
    put: Rows | None = None,
) -> Iterator[tuple[int, list[int], np.ndarray]]:
    """Write greedily: the number of a verse, what is written, and the weights behind it.

    Args:
        model: a translator.
        sources: numbers of the French words.
        forbidden: for each verse, a French word that no word may look at.
        moved: for each verse, an English word and the only French one that it may look at.
        silent: one of :func:`silenced`, or nothing.
        put: for each verse what is in its place.
    """
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    for start in range(0, len(order), SIZE):
        chosen = order[start : start + SIZE]
        rows, lengths = map(torch.from_numpy, pad([sources[i] for i in chosen]))
        instead = [put[i] for i in chosen] if put else []
        with without(model, silent, instead) if silent else nullcontext({}) as step:
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
                if silent.startswith("silent"):
                    step[part_of(silent)] = torch.stack(
                        [at(one, [len(written)]) for one in instead]
                    )
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


def measure(
    name: str, task: TranslationTask, verses: Sequence, stored: bool = False
) -> dict[str, dict[str, float]]:
    """Return BLEU of a translator without cuts and with each, and what share changed.

    ``stored`` says whether the means of what it silences are stored.
    """
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

    written = {i: symbols for i, (symbols, _) in free.items()}
    result = {"none": row(written)}
    own = [written[i] for i in range(len(verses))]
    outputs = given_by(model, sources, own) if silenced(name) else {}
    if stored and outputs:
        store_means(name, outputs)
    for cut in cuts_of(name):
        silent = next((one for one in silenced(name) if f"{cut} ".startswith(f"{one} ")), "")
        put = instead(outputs[silent], cut.removeprefix(silent).strip()) if silent else None
        links = {"forbidden": (top, None), "moves": (None, drawn)}.get(cut, (None, None))
        again = write(with_cut(model, cut), sources, *links, silent, put)
        result[cut] = row({verse: symbols for verse, symbols, _ in again})
    return result


def instead(rows: Rows, blade: str) -> Rows:
    """Return what replaces what a part gives, for each verse.

    Args:
        rows: what it gives.
        blade: "mean" or "other", of the other half of the verses; nothing for zero.
    """
    rng, middle = np.random.RandomState(0), len(rows) // 2
    halves = [rows[:middle], rows[middle:]]
    found: Rows = []
    for half, others in (halves, halves[::-1]):
        mean = torch.cat(others).mean(0, keepdim=True)
        if blade == "other":
            found += [others[rng.randint(len(others))] for _ in half]
        else:
            found += [mean if blade == "mean" else torch.zeros_like(mean)] * len(half)
    return found


def store_means(name: str, outputs: dict[str, Rows]) -> None:
    """Store what a page puts in place of what it silences, beside the weights."""
    means = [torch.cat(rows).mean(0) for rows in outputs.values()]
    kind = "backward" if name == "attention" else "context"
    array = torch.cat(means).reshape(1 if name == "attention" else LAYERS, -1)
    write_tensors(
        DATA / f"checkpoints/translation_{name}_means.safetensors",
        {f"means.{kind}": array.numpy().astype(np.float16)},
        script="benchmarks/cut_translators.py",
    )


def main() -> None:
    """Print and record what each cut costs."""
    quick = command_line(__doc__, quick="20 verses").parse_args().quick
    task = translation_task(np.random.RandomState(0))
    verses = task.test[: 20 if quick else None]
    result = {}
    print("translator   cut              BLEU    costs  changed")
    for name in TRANSLATORS:
        result[name] = measure(name, task, verses, stored=not quick)
        for cut, row in result[name].items():
            costs = result[name]["none"]["bleu"] - row["bleu"]
            print(f"{name:12} {cut:15} {row['bleu']:5.1f}  {costs:7.1f}  {row['changed']:7.1%}")
    if not quick:
        store(__file__, result, verses=len(verses), longest=LONGEST)


if __name__ == "__main__":
    main()
