"""Translate French to English with attention, with one fixed vector, and with a Transformer.

Bahdanau's figure 2 in miniature, with a third model. All three have the same number of weights
(to 0.04 %), the same verses, batches and optimiser, the same search for a setting beforehand,
and the same budget of CPU seconds on one thread; a model that is slow takes fewer steps in
them, and the steps are recorded. Three seeds each: a seed draws the first weights and the
batches; the held-out verses are the same for all.

    python benchmarks/translation.py work --minutes 9   # goes on where it stopped
    python benchmarks/translation.py score              # BLEU of all runs; records it

First the search: for each model the four SETTINGS, 150 CPU seconds each, judged by BLEU on
verses that are kept out of the search's training and are no test verses. Then the nine runs,
each with the setting that was best for its model. They take turns: always the run that has
had the fewest CPU seconds, for a turn of 50, so that a busy machine hits all alike. A turn ends
in a checkpoint, whole or not at all; what is killed loses its turn and no more.
"""

import json
import os
import shutil
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared import ROOT, command_line, store

from attention_course.data.batches import LengthBatches
from attention_course.data.parallel import TranslationTask, length_bins, translation_task
from attention_course.data.tensors import read_tensors, write_tensors
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.regularised import drop_out, smoothed_loss
from attention_course.models.translators.trained import (
    ALL_TRANSLATORS,
    new_translator,
    state_arrays,
)
from attention_course.reference.metrics.translation import bleu
from attention_course.training import fit, warm_up

STATE = ROOT / "build/translation"
SEEDS, SIZE, CHUNK = (0, 1, 2), 64, 25
SECONDS, SEARCH, TURN = 900.0, 150.0, 50.0  # CPU seconds: a run, a trial, one turn
MARKS = 150.0  # weights are kept every so many CPU seconds
DEV = 600  # verses that judge the search
LONGEST = 80  # words written at most

# Fixed beforehand, the same for all: half of all combinations of two rates, two shares of
# dropout and two of label smoothing, so that each value is in two trials. A rate is a
# multiple of the model's own: recurrent ones keep theirs, the Transformer's rises and falls.
SETTINGS = (
    {"rate": 2.0, "dropout": 0.0, "smoothing": 0.0},
    {"rate": 2.0, "dropout": 0.1, "smoothing": 0.1},
    {"rate": 1.0, "dropout": 0.1, "smoothing": 0.0},
    {"rate": 1.0, "dropout": 0.0, "smoothing": 0.1},
)
RATES, RISE = {"attention": 2e-3, "fixed": 2e-3, "transformer": 3e-3}, 200
NUMBERS: dict[bool, tuple[list, list]] = {}  # one run is taken up after the other


def judges(task: TranslationTask) -> set[int]:
    """Choose the verses that judge the search, by their number among those to learn from."""
    return {int(i) for i in np.random.RandomState(1).permutation(len(task.train))[:DEV]}


def encoded(task: TranslationTask, search: bool) -> tuple[list, list]:
    """Return all there is to learn from as numbers; without the judges while searching."""
    if search not in NUMBERS:
        seen = {task.train[i].french for i in judges(task)} if search else set()
        verses = [verse for verse in task.train if verse.french not in seen]
        NUMBERS[search] = [task.source(v) for v in verses], [task.target(v) for v in verses]
    return NUMBERS[search]


class Training:
    """One run: a model, a setting, a seed and a folder for its checkpoints."""

    def __init__(self, folder: Path, name: str, seed: int, setting: dict, search: bool):
        self.folder, self.name, self.seed = folder, name, seed
        self.setting, self.search = setting, search
        self.budget = SEARCH if search else SECONDS

    def log(self, name: str = "log") -> dict[str, Any]:
        """Return steps, CPU seconds and losses so far, or at a mark."""
        file = self.folder / f"{name}.json"
        if not file.is_file():
            return {"steps": 0, "cpu": 0.0, "losses": []}
        return json.loads(file.read_text())

    def start(self, task: TranslationTask) -> tuple[torch.nn.Module, LengthBatches]:
        """Build the model and its batches: all that a run begins with."""
        model = new_translator(self.name, task, np.random.RandomState(self.seed))
        drop_out(model, self.setting["dropout"])
        return model, LengthBatches(*encoded(task, self.search), SIZE)

    def fit(self, model, batches, steps: int, checkpoint: Path | None = None):
        """Train up to so many steps in all; what chance decides follows from the seed."""
        torch.manual_seed(2000 + self.seed)
        rate = RATES[self.name] * self.setting["rate"]
        return fit(
            model,
            batches.draw,
            partial(smoothed_loss, smoothing=self.setting["smoothing"]),
            np.random.RandomState(1000 + self.seed),
            steps=steps,
            lr=warm_up(rate, RISE) if self.name == "transformer" else rate,
            every=10**9,
            checkpoint=checkpoint,
            progress=False,
        )

    def turn(self, task: TranslationTask) -> None:
        """Train for one turn, to the next mark at most, and put a checkpoint in place."""
        log, kept, part = self.log(), self.folder / "state.pt", self.folder / "part.pt"
        self.folder.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        if kept.is_file():
            shutil.copy(kept, part)
        model, batches = self.start(task)
        mark = (log["cpu"] // MARKS + 1) * MARKS
        until = min(log["cpu"] + TURN, mark)
        while log["cpu"] < until:
            pace = log["cpu"] / log["steps"] if log["steps"] else np.inf
            steps = int(np.clip(np.ceil((until - log["cpu"]) / pace), 1, CHUNK))
            steps, began = steps if log["steps"] else 5, time.process_time()
            history = self.fit(model, batches, log["steps"] + steps, part)
            log["cpu"] += time.process_time() - began
            log |= {"steps": history.steps, "losses": [round(x, 6) for x in history.losses]}
        os.replace(part, kept)
        text = json.dumps(log)
        if until == mark:
            kept = self.folder / f"{mark:.0f}.safetensors"
            write_tensors(kept, state_arrays(model, np.float32))
            kept.with_suffix(".json").write_text(text)
        (self.folder / "log.json").write_text(text)
        print(f"{self.folder.name}: {log['steps']} steps, {log['cpu']:.0f} s", flush=True)

    def at(self, task: TranslationTask, seconds: float) -> tuple[torch.nn.Module, dict]:
        """Load the run as it was at a mark; return the model and the log up to there."""
        file = self.folder / f"{seconds:.0f}.safetensors"
        if not file.is_file():
            raise SystemExit(f"{self.folder.name} has no weights at {seconds:.0f} s")
        content, _ = read_tensors(file.read_bytes())
        model = new_translator(self.name, task, np.random.RandomState(0))
        model.load_state_dict({k: torch.tensor(v) for k, v in content.items()})
        return model.eval(), self.log(file.stem)


def trials(state: Path, name: str) -> list[Training]:
    """Return the search of one model."""
    return [
        Training(state / f"search_{name}_{i}", name, 0, setting, True)
        for i, setting in enumerate(SETTINGS)
    ]


def chosen(state: Path, name: str) -> dict[str, Any] | None:
    """Return what the search said of one model, if it is at its end."""
    file = state / f"chosen_{name}.json"
    return json.loads(file.read_text()) if file.exists() else None


def runs(state: Path) -> list[Training]:
    """Return the runs of all models whose search is at its end."""
    found = {name: chosen(state, name) for name in ALL_TRANSLATORS}
    return [
        Training(state / f"{name}_{seed}", name, seed, SETTINGS[what["best"]], False)
        for seed in SEEDS
        for name, what in found.items()
        if what is not None
    ]


def judge(state: Path, name: str, task: TranslationTask) -> None:
    """Translate the verses kept out of the search, and write down which setting was best."""
    verses = [task.train[i] for i in sorted(judges(task))]
    sources = [task.source(verse) for verse in verses]
    rows = []
    for trial in trials(state, name):
        model, log = trial.at(task, SEARCH)
        written = translate(model, sources, task.english, LONGEST)
        score = bleu(written, [verse.english for verse in verses])
        rows.append({**trial.setting, "bleu": round(score, 2), "steps": log["steps"]})
    best = int(np.argmax([row["bleu"] for row in rows]))
    (state / f"chosen_{name}.json").write_text(json.dumps({"best": best, "trials": rows}))
    print(name, "took", SETTINGS[best], flush=True)


def next_turn(state: Path) -> Training | str | None:
    """Return the run whose turn it is, a model whose search can be judged, or None."""
    searching = [name for name in ALL_TRANSLATORS if chosen(state, name) is None]
    for name in searching:
        if all(trial.log()["cpu"] >= SEARCH for trial in trials(state, name)):
            return name
    stage = [t for name in searching for t in trials(state, name)] or runs(state)
    waiting = [t for t in stage if t.log()["cpu"] < t.budget]
    return min(waiting, key=lambda training: training.log()["cpu"], default=None)


def work(state: Path, minutes: float) -> None:
    """Take turns until everything is done, or the CPU minutes are over."""
    task = translation_task(np.random.RandomState(0))
    while (turn := next_turn(state)) and time.process_time() < 60 * minutes:
        if isinstance(turn, str):
            judge(state, turn, task)
        else:
            turn.turn(task)
    print("stopped; the same command goes on" if turn else "all is done")


def first_losses(
    task: TranslationTask, name: str, seed: int, setting: dict, steps: int
) -> list[float]:
    """Take the first steps of a run; a test compares them with the recorded ones."""
    training = Training(Path(), name, seed, setting, search=False)
    return training.fit(*training.start(task), steps).losses


def bleu_with_interval(written: list[str], wanted: list[str]) -> list[float]:
    """Return BLEU and its 95 % interval from 1,000 bootstrap samples of the sentences."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(written, [wanted], n_bootstrap=1000)
    low, high = score._mean - score._ci, score._mean + score._ci
    return [round(score.score, 2), round(low, 2), round(high, 2)]


def score_run(model: torch.nn.Module, task: TranslationTask) -> dict[str, Any]:
    """Translate the held-out verses; return BLEU of all, and by the length of the source."""
    sources = [task.source(verse) for verse in task.test]
    written = [" ".join(w) for w in translate(model, sources, task.english, LONGEST)]
    wanted = [" ".join(verse.english) for verse in task.test]
    bins = {
        label: bleu_with_interval([written[i] for i in those], [wanted[i] for i in those])
        for label, those in length_bins([len(source) for source in sources]).items()
    }
    return {"all": bleu_with_interval(written, wanted), "bins": bins}


def score(state: Path) -> None:
    """Score all runs at each mark, and record the result."""
    import sacrebleu

    task = translation_task(np.random.RandomState(0))
    counts = length_bins([len(verse.french) for verse in task.test])
    result: dict[str, Any] = {"verses": {label: len(those) for label, those in counts.items()}}
    result |= {"search": {name: chosen(state, name) for name in ALL_TRANSLATORS}}
    result |= {"models": {}, "curve": {name: {} for name in ALL_TRANSLATORS}}
    for training in sorted(runs(state), key=lambda run: [*ALL_TRANSLATORS].index(run.name)):
        name = training.name
        for mark in np.arange(MARKS, SECONDS + 1, MARKS).tolist():
            model, log = training.at(task, mark)
            scored = score_run(model, task)
            result["curve"][name].setdefault(f"{mark:.0f}", []).append(scored["all"][0])
        n_weights = sum(p.numel() for p in model.parameters())
        new = {"setting": training.setting, "weights": n_weights, "runs": []}
        epochs = round(log["steps"] * SIZE / len(task.train), 2)
        took = {"cpu_seconds": round(log["cpu"], 1), "steps": log["steps"], "epochs": epochs}
        about = {"seed": training.seed, **took, "first_losses": log["losses"][:5]}
        result["models"].setdefault(name, new)["runs"].append(about | scored)
        print(name, training.seed, scored["all"], flush=True)
    store(
        __file__,
        result,
        "score",
        name="translation",
        seeds=list(SEEDS),
        cpu_seconds_each=SECONDS,
        search_cpu_seconds_each=SEARCH,
        batch=SIZE,
        rates=RATES,
        rise=RISE,
        sacrebleu=f"{sacrebleu.__version__}, BLEU-4 on our lower-case words, tokenize=none",
        interval="95 %, 1,000 bootstrap samples of sentences",
    )


def main() -> None:
    """Read the command line."""
    parser = command_line(__doc__, ["work", "score"], quick="")
    parser.add_argument("--minutes", type=float, default=1e5, help="CPU minutes in all")
    options = parser.parse_args()
    if options.task == "score":
        score(STATE)
    else:
        work(STATE, options.minutes)


if __name__ == "__main__":
    main()
