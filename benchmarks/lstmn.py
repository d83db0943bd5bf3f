"""One cell, a tape, one causal head: three readers on two tasks, three seeds each.

"repeat": eight random symbols, a mark, and the same eight again; counted is how often the next
one of the second half is guessed wrong. The three have nearly the same number of weights.
"verses": guess the next word of short English verses; the three are equally wide.

    python benchmarks/lstmn.py   # 2 minutes on one core
    python benchmarks/lstmn.py --quick   # a smoke test that records nothing
"""

import numpy as np
import torch
from shared import command_line, curve, learn, store

from attention_course.data import pad, random_strings
from attention_course.data.parallel import translation_task
from attention_course.data.vocabulary import END, START
from attention_course.models.experiments.next_symbol import (
    KINDS,
    NextSymbolModel,
    next_symbol_loss,
)

SEEDS = (0, 1, 2)
SETTINGS = {
    "repeat": {
        "widths": {"lstm": 37, "lstmn": 32, "head": 50},
        "symbols": 16,
        "length": 8,
        "steps": 300,
        "batch": 64,
        "lr": 1e-2,
    },
    "verses": {
        "widths": dict.fromkeys(KINDS, 48),
        "words": 1000,
        "longest": 14,
        "steps": 250,
        "batch": 32,
        "lr": 1e-2,
    },
}


def repeated(count: int, setting: dict, rng: np.random.RandomState) -> np.ndarray:
    """Draw strings, each followed by the end mark and by itself."""
    once = random_strings(count, setting["length"], setting["symbols"], rng)
    mark = np.ones((count, 1), dtype=np.int64)
    return np.hstack([START * mark, once, END * mark, once])


def wrong(reader: NextSymbolModel, rows: np.ndarray, length: int) -> float:
    """Share of the second half that is guessed wrong, each symbol given those before it."""
    tokens = torch.from_numpy(rows)
    guessed = reader(tokens[:, :-1])[:, -length:].argmax(-1)
    return float((guessed != tokens[:, -length:]).float().mean())


def verse_rows(setting: dict) -> tuple[list[list[int]], np.ndarray, int]:
    """Return short verses to learn from, held-out ones as one array, and the words known."""
    task = translation_task(np.random.RandomState(0), english=setting["words"])

    def rows(verses):
        short = (v for v in verses if len(v.english) <= setting["longest"])
        return sorted(([START, *task.target(v), END] for v in short), key=len)

    return rows(task.train), pad(rows(task.test))[0], len(task.english)


def run(task: str, setting: dict, kind: str, seed: int, measure: bool = True) -> dict:
    """Train one reader and, if asked to, test it while it trains."""
    if task == "repeat":
        n = setting["symbols"] + END + 1
        test = repeated(500, setting, np.random.RandomState(5000))

        def draw(rng):
            return repeated(setting["batch"], setting, rng)

        def validate(reader):
            return wrong(reader, test, setting["length"])
    else:
        train, test, n = verse_rows(setting)

        def draw(rng):
            start = rng.randint(len(train) - setting["batch"])
            return pad(train[start : start + setting["batch"]])[0]

        def validate(reader):
            return float(next_symbol_loss(reader, test))

    reader = NextSymbolModel(kind, n, np.random.RandomState(seed), setting["widths"][kind])
    rng = np.random.RandomState(1000 + seed)
    history, taken = learn(
        reader,
        draw,
        next_symbol_loss,
        rng,
        setting,
        validate=validate if measure else None,
        every=50,
    )
    return taken | {"task": task, "kind": kind, "seed": seed, "validation": curve(history)}


def main() -> None:
    """Read the command line, run all seeds, record."""
    quick = command_line(__doc__).parse_args().quick
    runs = []
    for seed in SEEDS[:1] if quick else SEEDS:
        for task, setting in SETTINGS.items():
            for kind in KINDS:
                runs.append(run(task, setting | ({"steps": 50} if quick else {}), kind, seed))
                print(runs[-1], flush=True)
    if not quick:
        store(__file__, runs, seeds=list(SEEDS), settings=SETTINGS)


if __name__ == "__main__":
    main()
