"""Translate French to English with attention, with one fixed vector, and with a Transformer.

Bahdanau's figure 2 in miniature, with a third model. All three have the same number of weights
(to 0.04 %), the same verses, batches and optimiser, the same search for a setting beforehand,
and the same budget of CPU seconds on one thread; a model that is slow takes fewer steps in
them, and the steps are recorded. Three seeds each: a seed draws the first weights and the
batches; the held-out verses are the same for all.

    python benchmarks/translation.py work      # one worker; start as many as there are cores
    python benchmarks/translation.py show      # how far it is
    python benchmarks/translation.py score --seconds 300   # BLEU, files: what all have reached

First the search: for each model the four SETTINGS, 150 CPU seconds each, judged by BLEU on
verses that are kept out of the search's training and are no test verses. Then the nine runs,
each with the setting that was best for its model. Workers take turns: always the run that has
had the fewest CPU seconds, for a slice of 50, so that a busy machine hits all alike. A slice
ends in a checkpoint, whole or not at all; a worker that is killed loses its slice and no more.
SIGTERM, or a file named STOP in the folder, ends a worker after the chunk it is at.
"""

import fcntl
import json
import os
import shutil
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from shared import DATA, ROOT, command_line

from attention_course.data.batches import LengthBatches
from attention_course.data.parallel import (
    TranslationTask,
    known,
    length_bins,
    split_words,
    translation_task,
)
from attention_course.data.tensors import read_tensors, write_tensors
from attention_course.measure import record
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.regularised import drop_out, smoothed_loss
from attention_course.models.translators.trained import (
    ALL_TRANSLATORS,
    new_translator,
    state_arrays,
)
from attention_course.reference.metrics.translation import bleu
from attention_course.training import fit, warm_up

SEEDS, SIZE, CHUNK = (0, 1, 2), 64, 25
SECONDS, SEARCH, SLICE = 900.0, 150.0, 50.0  # CPU seconds: a run, a trial, one turn
MARKS = 150.0  # weights are kept every so many CPU seconds
DEV = 600  # verses that judge the search
LONGEST, EVERY = 80, 5  # words written at most; the chapter translates every fifth verse
ASKED = ("Je t'aime.", "Secours-moi!")  # beside these, two verses that were held out

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

NUMBERS: dict[bool, tuple[list, list]] = {}  # a worker takes up one run after the other
stopping = False


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

    def last(self) -> Path | None:
        """Return the newest checkpoint: a folder that was put in place whole."""
        there = sorted(self.folder.glob("at_*"), key=lambda path: int(path.name[3:]))
        return there[-1] if there else None

    def log(self) -> dict[str, Any]:
        """Return steps, CPU seconds and losses so far."""
        last = self.last()
        if last is None:
            return {"steps": 0, "cpu": 0.0, "wall": 0.0, "chunks": [], "losses": []}
        return json.loads((last / "log.json").read_text())

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

    def slice(self, task: TranslationTask) -> None:
        """Train for one turn, to the next mark at most, and put a checkpoint in place."""
        log, last = self.log(), self.last()
        history = None
        part = self.folder / "part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        if last is not None:
            shutil.copy(last / "state.pt", part / "state.pt")
        model, batches = self.start(task)
        mark = (log["cpu"] // MARKS + 1) * MARKS
        until = min(log["cpu"] + SLICE, mark, self.budget)
        if min(mark, self.budget) - until < SLICE / 10:
            until = min(mark, self.budget)
        while log["cpu"] < until and not stopping:
            pace = log["cpu"] / log["steps"] if log["steps"] else np.inf
            steps = int(np.clip(np.ceil((until - log["cpu"]) / pace), 1, CHUNK))
            steps = steps if log["steps"] else 5
            cpu, wall = time.process_time(), time.perf_counter()
            history = self.fit(model, batches, log["steps"] + steps, part / "state.pt")
            log["chunks"].append([steps, round(time.process_time() - cpu, 3)])
            log["wall"] += time.perf_counter() - wall
            log["cpu"] = sum(taken for _, taken in log["chunks"])
            log["steps"] = history.steps
        if history is None:
            return
        log["losses"] = [round(loss, 6) for loss in history.losses]
        write_tensors(part / "weights.safetensors", state_arrays(model, np.float32))
        (part / "log.json").write_text(json.dumps(log))
        os.replace(part, self.folder / f"at_{log['steps']}")
        if last is not None and not _is_mark(json.loads((last / "log.json").read_text())):
            shutil.rmtree(last)
        elif last is not None:
            (last / "state.pt").unlink(missing_ok=True)  # a mark keeps weights and log
        print(f"{self.folder.name}: {log['steps']} steps, {log['cpu']:.0f} s", flush=True)


def _is_mark(log: dict) -> bool:
    """Whether a run has just passed a mark: it never stops more than a few steps behind it."""
    behind = log["cpu"] % MARKS
    return log["cpu"] >= MARKS and behind < MARKS / 10


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


def weights_at(training: Training, task: TranslationTask, seconds: float) -> tuple:
    """Load a run as it was at a mark; return the model and the log up to there."""
    for folder in sorted(training.folder.glob("at_*"), key=lambda path: int(path.name[3:])):
        log = json.loads((folder / "log.json").read_text())
        if seconds <= log["cpu"] < 1.1 * seconds:
            content, _ = read_tensors((folder / "weights.safetensors").read_bytes())
            model = new_translator(training.name, task, np.random.RandomState(0))
            model.load_state_dict({k: torch.from_numpy(v) for k, v in content.items()})
            return model.eval(), log
    raise SystemExit(f"{training.folder.name} has no weights at {seconds:.0f} s")


def judge(state: Path, name: str, task: TranslationTask) -> None:
    """Translate the verses kept out of the search, and write down which setting was best."""
    verses = [task.train[i] for i in sorted(judges(task))]
    sources = [task.source(verse) for verse in verses]
    rows = []
    for trial in trials(state, name):
        model, log = weights_at(trial, task, SEARCH)
        written = translate(model, sources, task.english, LONGEST)
        score = bleu(written, [verse.english for verse in verses])
        row = {**trial.setting, "bleu": round(score, 2), "steps": log["steps"]}
        row["last_loss"] = round(float(np.mean(log["losses"][-50:])), 4)
        row["first_losses"] = log["losses"][:3]
        rows.append(row)
    best = int(np.argmax([row["bleu"] for row in rows]))
    part = state / f"chosen_{name}.part"
    part.write_text(json.dumps({"best": best, "trials": rows}, indent=1))
    os.replace(part, state / f"chosen_{name}.json")
    print(name, "took", SETTINGS[best], flush=True)


def turns(state: Path) -> Iterator[tuple[str, Training | None]]:
    """Yield what could be done now, the most urgent first: a lock name, and a run or None."""
    searching = [name for name in ALL_TRANSLATORS if chosen(state, name) is None]
    for name in searching:
        if all(trial.log()["cpu"] >= SEARCH for trial in trials(state, name)):
            yield f"judge_{name}", None
    open_trials = [t for name in searching for t in trials(state, name)]
    stages = [open_trials] if searching else [runs(state)]
    for stage in stages:
        waiting = [(t.log()["cpu"], i, t) for i, t in enumerate(stage)]
        for cpu, _, training in sorted(waiting, key=lambda row: row[:2]):
            if cpu < training.budget:
                yield training.folder.name, training


def work(state: Path, most: float = np.inf) -> None:
    """Take turns until everything is done, or somebody asks for an end."""
    signal.signal(signal.SIGTERM, _stop)
    state.mkdir(parents=True, exist_ok=True)
    task, taken = translation_task(np.random.RandomState(0)), 0
    while not stopping and taken < most:
        if (state / "STOP").exists():
            print("stopped by the file STOP", flush=True)
            return
        done = one_turn(state, task)
        if done is None:
            return
        taken += done
        if not done:
            time.sleep(5)  # the others are at what is left of this stage


def one_turn(state: Path, task: TranslationTask) -> bool | None:
    """Do the most urgent thing that no other worker is at; None if nothing is left."""
    nothing = True
    for name, training in turns(state):
        nothing = False
        with open(state / f"{name}.lock", "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            if training is None:
                judge(state, name.removeprefix("judge_"), task)
            else:
                training.slice(task)
            return True
    return None if nothing else False


def _stop(*_: Any) -> None:
    global stopping
    stopping = True


def show(state: Path) -> None:
    """Print how far everything is."""
    for name in ALL_TRANSLATORS:
        print(name, chosen(state, name) or "searching")
        for trial in trials(state, name):
            print(f"  {trial.folder.name:24} {trial.log()['cpu']:6.0f} s")
    for training in runs(state):
        log = training.log()
        print(f"{training.folder.name:26} {log['cpu']:6.0f} s {log['steps']:6} steps")


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


def score_run(model: torch.nn.Module, task: TranslationTask) -> tuple[dict, list[str]]:
    """Translate the held-out verses and compare them with the references."""
    sources = [task.source(verse) for verse in task.test]
    written = [" ".join(w) for w in translate(model, sources, task.english, LONGEST)]
    wanted = [" ".join(verse.english) for verse in task.test]
    bins = length_bins([len(source) for source in sources])
    result = {"all": bleu_with_interval(written, wanted), "bins": {}}
    for label, chosen_verses in bins.items():
        pairs = [written[i] for i in chosen_verses], [wanted[i] for i in chosen_verses]
        result["bins"][label] = bleu_with_interval(*pairs)
    lengths = [
        (len(w.split()), len(v.english)) for w, v in zip(written, task.test, strict=True)
    ]
    result["length_ratio"] = round(
        float(np.sum(lengths, axis=0)[0] / np.sum(lengths, axis=0)[1]), 4
    )
    return result, written


def score(state: Path, target: Path, seconds: float) -> None:
    """Score all runs at a mark, and write the result."""
    import sacrebleu

    task = translation_task(np.random.RandomState(0))
    counts = length_bins([len(verse.french) for verse in task.test])
    result = {"verses": {label: len(those) for label, those in counts.items()}, "models": {}}
    result["search"] = {name: chosen(state, name) for name in ALL_TRANSLATORS}
    result["curve"] = {name: {} for name in ALL_TRANSLATORS}
    for training in sorted(runs(state), key=lambda run: [*ALL_TRANSLATORS].index(run.name)):
        name, seed = training.name, training.seed
        for mark in np.arange(MARKS, seconds, MARKS).tolist():
            earlier, _ = weights_at(training, task, mark)
            at = result["curve"][name].setdefault(f"{mark:.0f}", [])
            at.append(score_run(earlier, task)[0]["all"][0])
        model, log = weights_at(training, task, seconds)
        scored, written = score_run(model, task)
        at = result["curve"][name].setdefault(f"{seconds:.0f}", [])
        at.append(scored["all"][0])
        entry = result["models"].setdefault(name, {"setting": training.setting, "runs": []})
        entry["runs"].append(
            {
                "seed": seed,
                "cpu_seconds": round(log["cpu"], 1),
                "wall_seconds": round(log["wall"], 1),
                "steps": log["steps"],
                "epochs": round(log["steps"] * SIZE / len(task.train), 2),
                "first_losses": log["losses"][:5],
                "losses": means_of_fifty(log["losses"]),
                **scored,
            }
        )
        print(name, seed, scored["all"], flush=True)
        if seed == 0:
            entry["weights"] = sum(p.numel() for p in model.parameters())
            entry |= {"examples": written[:20], "asked": ask(model, task)}
    record(
        target,
        result,
        script=f"benchmarks/translation.py score --seconds {seconds:.0f}",
        seeds=list(SEEDS),
        cpu_seconds_each=seconds,
        search_cpu_seconds_each=SEARCH,
        batch=SIZE,
        rates=RATES,
        rise=RISE,
        sacrebleu=f"{sacrebleu.__version__}, BLEU-4 on our lower-case words, tokenize=none",
        interval="95 %, 1,000 bootstrap samples of sentences",
    )


def means_of_fifty(losses: list[float]) -> list[float]:
    """Return the mean loss of every fifty steps; what is over is left out."""
    whole = np.array(losses[: len(losses) // 50 * 50])
    return np.round(whole.reshape(-1, 50).mean(axis=1), 4).tolist()


def ask(model: torch.nn.Module, task: TranslationTask) -> list[dict]:
    """Translate single sentences; say what was written, and where each word looked."""
    sentences = [split_words(text, "french") for text in ASKED]
    sentences += [task.test[1].french, task.test[947].french]
    rows = []
    for french in sentences:
        source = torch.tensor([task.french.encode(known(french, task.french))])
        numbers, weights = model.write(source, torch.tensor([len(french)]), LONGEST)
        words = [task.english.symbols[int(i)] for i in numbers[0]]
        row = {"french": list(french), "written": words}
        if weights.shape[-1] > 1:
            row["weights"] = np.round(weights[0].double().numpy(), 2).tolist()
        rows.append(row)
    return rows


def main() -> None:
    """Read the command line."""
    parser = command_line(__doc__, quick="")
    parser.add_argument("what", choices=["work", "show", "score"])
    parser.add_argument("--seconds", type=float, default=SECONDS, help="score at this mark")
    parser.add_argument("--state", type=Path, default=ROOT / ".translation")
    parser.add_argument("--target", type=Path, default=DATA / "recorded/translation.json")
    arguments = parser.parse_args()
    if arguments.what == "score":
        score(arguments.state, arguments.target, arguments.seconds)
    else:
        (work if arguments.what == "work" else show)(arguments.state)


if __name__ == "__main__":
    main()
