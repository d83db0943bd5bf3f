"""Small tasks with attention and with one fixed context, over several seeds.

Both models have the same number of weights (to a few hundred), the same batches and the same
number of steps; a step of the one with attention takes longer, which is recorded. Four tasks:
dates with many pairs to learn from, with few, two and three in a row (tested up to four), and
spelling to sound.

    python benchmarks/looking_back.py dates      # 3 minutes on one core
    python benchmarks/looking_back.py few        # 3
    python benchmarks/looking_back.py row        # 8
    python benchmarks/looking_back.py spelling   # 6
    python benchmarks/looking_back.py dates --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, curve, learn, store

from attention_course.data import LengthBatches, hold_out, load_cmudict, pad
from attention_course.data.dates import date_vocabularies, join_dates, random_dates
from attention_course.data.vocabulary import Vocabulary
from attention_course.models import sequence_loss, translate
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq, fixed_twin
from attention_course.reference.metrics.edit_distance import error_by_length, error_rate
from attention_course.reference.metrics.translation import alignment_error_rate, hardest_links

SEEDS = (0, 1, 2)
SMALL = {"embedding": 32, "encoder": 16, "decoder": 64, "alignment": 64, "maxout": 32}
LARGER = {"embedding": 64, "encoder": 64, "decoder": 96, "alignment": 64, "maxout": 64}
SETTINGS = {
    "dates": {"sizes": SMALL, "pairs": 20_000, "row": 1, "steps": 800, "batch": 64, "lr": 1e-2},
    "few": {"sizes": SMALL, "pairs": 1_500, "row": 1, "steps": 800, "batch": 64, "lr": 1e-2},
    "row": {"sizes": SMALL, "pairs": 20_000, "row": 3, "steps": 500, "batch": 64, "lr": 1e-2},
    "spelling": {"sizes": LARGER, "steps": 1200, "batch": 64, "lr": 3e-3},
}


def both(source: Vocabulary, target: Vocabulary, sizes: dict, seed: int) -> dict:
    """Build the two models."""
    model = BahdanauSeq2Seq(len(source), len(target), np.random.RandomState(seed), **sizes)
    return {"attention": model, "fixed": fixed_twin(model, np.random.RandomState(seed))}


def learn_one(model, sources, targets, setting, seed, validate=None) -> dict:
    """Train, and say what it took."""
    batches = LengthBatches(sources, targets, setting["batch"])
    rng = np.random.RandomState(1000 + seed)
    history, taken = learn(
        model, batches.draw, sequence_loss, rng, setting, validate=validate, every=50
    )
    return taken | {"validation": curve(history)}


def rows(count: int, most: int, rng: np.random.RandomState, held_out: bool = False) -> list:
    """Draw rows of one to ``most`` dates."""
    dates = random_dates(count * most, rng, held_out)
    sizes = rng.randint(1, most + 1, count)
    return [join_dates(dates[i * most : i * most + n]) for i, n in enumerate(sizes)]


def exact(model, pairs, source, target) -> float:
    """Share of pairs that are written without any error."""
    longest = max(len(pair.target) for pair in pairs) + 1
    written = translate(model, [source.encode(p.source) for p in pairs], target, longest)
    return float(np.mean(["".join(w) == p.target for w, p in zip(written, pairs, strict=True)]))


def looked(model, pairs, source) -> float:
    """Alignment error rate while writing, over all pairs."""
    tokens, lengths = pad([source.encode(pair.source) for pair in pairs])
    longest = max(len(pair.target) for pair in pairs)
    weights = model.write(torch.from_numpy(tokens), torch.from_numpy(lengths), longest)[
        1
    ].numpy()
    found, sure, possible = set(), set(), set()
    for i, pair in enumerate(pairs):
        asked = {t for t, _ in pair.possible}
        links = hardest_links(weights[i, :, : lengths[i]].astype(float), asked)
        # One set over all pairs: a link is named by its pair too.
        found |= {(i * 100 + t, s) for t, s in links}
        sure |= {(i * 100 + t, s) for t, s in pair.sure}
        possible |= {(i * 100 + t, s) for t, s in pair.possible}
    return alignment_error_rate(found, sure, possible)


def run_dates(setting: dict, seed: int, measure: bool = True) -> list[dict]:
    """Train both models on dates and, if asked to, test them on held-out days."""
    source, target = date_vocabularies()
    train = rows(setting["pairs"], setting["row"], np.random.RandomState(seed))
    tests = {
        n: [
            join_dates(random_dates(n, np.random.RandomState(5000 + i), held_out=True))
            for i in range(400)
        ]
        for n in range(1, setting["row"] + (2 if setting["row"] > 1 else 1))
    }
    encoded = [source.encode(p.source) for p in train], [target.encode(p.target) for p in train]
    runs = []
    for name, model in both(source, target, setting["sizes"], seed).items():

        def validate(trained):
            return 1 - exact(trained, tests[1], source, target)

        run = learn_one(model, *encoded, setting, seed, validate)
        run |= {"model": name, "seed": seed}
        runs.append(run)
        if not measure:
            continue
        run["exact"] = {
            str(n): round(exact(model, t, source, target), 4) for n, t in tests.items()
        }
        if name == "attention":
            run["alignment_error"] = round(looked(model, tests[1], source), 4)
        print(run, flush=True)
    return runs


def run_spelling(setting: dict, seed: int, measure: bool = True) -> list[dict]:
    """Train both models on spelling and sound; the held-out words are the same for all."""
    train, test = hold_out(load_cmudict(), 0.05, 300, np.random.RandomState(0))
    train, test = ([p for p in part if 4 <= len(p[0]) <= 15] for part in (train, test))
    source = Vocabulary("abcdefghijklmnopqrstuvwxyz")
    target = Vocabulary(sound for _, sounds in train for sound in sounds)
    encoded = [source.encode(w) for w, _ in train], [target.encode(s) for _, s in train]
    runs = []
    for name, model in both(source, target, setting["sizes"], seed).items():
        run = learn_one(model, *encoded, setting, seed) | {"model": name, "seed": seed}
        runs.append(run)
        if not measure:
            continue
        written = translate(model, [source.encode(word) for word, _ in test], target)
        by_length = error_by_length(written, test)
        run |= {
            "error": round(error_rate(written, [sounds for _, sounds in test]), 4),
            "by_length": {str(n): round(e, 4) for n, e in by_length.items()},
        }
        print(run, flush=True)
    return runs


def main() -> None:
    """Read the command line, run all seeds, record."""
    arguments = command_line(__doc__, SETTINGS).parse_args()
    setting = SETTINGS[arguments.task]
    if arguments.quick:
        setting = setting | {"steps": 25}
    run = run_spelling if arguments.task == "spelling" else run_dates
    seeds = SEEDS[:1] if arguments.quick else SEEDS
    runs = [result for seed in seeds for result in run(setting, seed)]
    if not arguments.quick:
        store(__file__, runs, arguments.task, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
