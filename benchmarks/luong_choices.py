"""Luong's choices, one changed at a time, over several seeds.

Every model has the same number of weights (as nearly as a whole width allows), the same
batches and the same number of steps. Two tasks: strings read backwards, tested also on strings
longer than any in training, and, for the order of the step, dates. On the strings eight models
that differ in one choice also write together, as the eight of the paper do.

    python benchmarks/luong_choices.py reverse    # 4 minutes on one core
    python benchmarks/luong_choices.py dates      # 2
    python benchmarks/luong_choices.py reverse --quick   # a smoke test that records nothing
"""

from collections.abc import Callable

import numpy as np
import torch
from shared import command_line, learn, means, store

from attention_course.data import LengthBatches, Vocabulary, pad
from attention_course.data.dates import date_vocabularies, random_dates
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq
from attention_course.models.translators.decoding import ensemble_decode
from attention_course.models.translators.luong import LuongSeq2Seq

SEEDS = (0, 1, 2)
LETTERS = "abcdefghij"
# What differs from the model of the paper: general score, global, input feeding, W_c.
STRUCTURE = {
    "as in the paper": {},
    "no input feeding": {"feeding": False},
    "c + h for W_c": {"W_c": False},
    "query: step before": {"query": "step before"},
    "Bahdanau": None,
}
# Bahdanau's model differs in more than whose state asks: its encoder reads in both directions.
ORDERS = {
    name: STRUCTURE[name] for name in ("as in the paper", "query: step before", "Bahdanau")
}
CHOICES = STRUCTURE | {
    "dot": {"score": "dot"},
    "concat": {"score": "concat"},
    "location": {"score": "location", "longest": 12},
    "local-m": {"scope": "local-m", "D": 3},
    "local-p": {"scope": "local-p", "D": 3},
}
# The query of the step before and Bahdanau's model are not the paper's.
TOGETHER = [*CHOICES][:3] + [*CHOICES][5:]
COMMON = {"embedding": 32, "width": 48, "layers": 2, "batch": 64, "lr": 1e-2}
SETTINGS = {
    "reverse": COMMON | {"choices": CHOICES, "pairs": 8000, "lengths": [4, 10], "steps": 300},
    "dates": COMMON | {"choices": ORDERS, "pairs": 20_000, "steps": 300},
}


def weights(model: torch.nn.Module) -> int:
    """Count the weights."""
    return sum(p.numel() for p in model.parameters())


def nearest(build: Callable, wanted: int, width: int) -> torch.nn.Module:
    """Build at the width that brings the number of weights closest to what is wanted."""
    gap = {w: abs(weights(build(w)) - wanted) for w in range(width // 2, width + width // 2)}
    return build(min(gap, key=gap.get))


def models(source: Vocabulary, target: Vocabulary, setting: dict, seed: int) -> dict:
    """Build one model for each choice, all of the same size."""
    sizes = {name: setting[name] for name in ("embedding", "layers")}

    def luong(width: int, **changed) -> LuongSeq2Seq:
        rng = np.random.RandomState(seed)
        return LuongSeq2Seq(len(source), len(target), rng, width=width, **sizes, **changed)

    def bahdanau(width: int) -> BahdanauSeq2Seq:
        widths = {"encoder": width, "decoder": width, "alignment": width, "maxout": width // 2}
        rng = np.random.RandomState(seed)
        return BahdanauSeq2Seq(
            len(source), len(target), rng, embedding=setting["embedding"], **widths
        )

    wanted = weights(luong(setting["width"]))
    return {
        name: nearest(
            bahdanau if changed is None else lambda w, c=changed: luong(w, **c),
            wanted,
            setting["width"],
        )
        for name, changed in setting["choices"].items()
    }


def strings(count: int, shortest: int, longest: int, rng: np.random.RandomState) -> list[str]:
    """Draw strings of letters, of all lengths alike."""
    lengths = rng.randint(shortest, longest + 1, count)
    return ["".join(rng.choice(list(LETTERS), n)) for n in lengths]


def data(task: str, setting: dict, seed: int) -> tuple:
    """Return vocabularies, training pairs, and the pairs of each test."""
    rng = np.random.RandomState(seed)
    if task == "dates":
        train = [(p.source, p.target) for p in random_dates(setting["pairs"], rng)]
        test = random_dates(400, np.random.RandomState(5000), held_out=True)
        return *date_vocabularies(), train, {"seen": [(p.source, p.target) for p in test]}
    vocabulary, (least, most) = Vocabulary(LETTERS), setting["lengths"]
    train = [(s, s[::-1]) for s in strings(setting["pairs"], least, most, rng)]
    known = {s for s, _ in train}
    rng = np.random.RandomState(5000)
    tests = {
        name: [(s, s[::-1]) for s in strings(400, *lengths, rng) if s not in known]
        for name, lengths in (("seen", (least, most)), ("longer", (most + 1, most + 2)))
    }
    return vocabulary, vocabulary, train, tests


def exact(model, pairs, source, target) -> float:
    """Share of pairs that are written without any error."""
    longest = max(len(right) for _, right in pairs) + 1
    written = translate(model, [source.encode(text) for text, _ in pairs], target, longest)
    return float(
        np.mean(["".join(w) == right for w, (_, right) in zip(written, pairs, strict=True)])
    )


def exact_together(models, pairs, source, target) -> float:
    """Share of pairs that an ensemble writes without any error."""
    tokens, lengths = map(torch.from_numpy, pad([source.encode(text) for text, _ in pairs]))
    longest = max(len(right) for _, right in pairs) + 1
    written, _ = ensemble_decode(models, tokens, lengths, longest)
    wrote = ["".join(target.decode(row)) for row in written.tolist()]
    return float(np.mean([w == right for w, (_, right) in zip(wrote, pairs, strict=True)]))


def run(
    task: str, setting: dict, seed: int, measure: bool = True, only: str = ""
) -> list[dict]:
    """Train every choice and, if asked to, test it, alone and together."""
    source, target, train, tests = data(task, setting, seed)
    encoded = [source.encode(x) for x, _ in train], [target.encode(y) for _, y in train]
    batches, runs = LengthBatches(*encoded, setting["batch"]), []
    together = []
    for name, model in models(source, target, setting, seed).items():
        if only and name != only:
            continue
        rng = np.random.RandomState(1000 + seed)
        history, result = learn(model, batches.draw, sequence_loss, rng, setting)
        result |= {"choice": name, "seed": seed}
        result["losses"] = means(history.losses, setting["steps"] // 20)
        if measure:
            result["exact"] = {
                n: round(exact(model, pairs, source, target), 4) for n, pairs in tests.items()
            }
            print(result["choice"], seed, result["exact"], result["cpu_seconds"], flush=True)
        runs.append(result)
        if name in TOGETHER:
            together.append(model)
    if measure and task == "reverse":
        result = {"choice": "eight together", "seed": seed}
        result["weights"] = sum(map(weights, together))
        result["exact"] = {
            n: round(exact_together(together, pairs, source, target), 4)
            for n, pairs in tests.items()
        }
        print(result, flush=True)
        runs.append(result)
    return runs


def main() -> None:
    """Read the command line, run all seeds, record."""
    arguments = command_line(__doc__, SETTINGS).parse_args()
    setting = SETTINGS[arguments.task]
    if arguments.quick:
        setting = setting | {"steps": 20}
    seeds = SEEDS[:1] if arguments.quick else SEEDS
    runs = [result for seed in seeds for result in run(arguments.task, setting, seed)]
    if not arguments.quick:
        task = arguments.task
        name = f"luong_{task}"
        store(__file__, runs, task, name=name, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
