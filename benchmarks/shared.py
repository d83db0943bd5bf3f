"""What the benchmarks share: a command line, one timed training, and a place for the result."""

import argparse
import json
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from attention_course.data.tensors import write_tensors
from attention_course.measure import record, recorded
from attention_course.models.translators.trained import state_arrays
from attention_course.training import History, fit

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "src/attention_course/data"


def command_line(
    doc: str, tasks: Sequence[str] = (), quick: str = "a few steps"
) -> argparse.ArgumentParser:
    """Return the parser of a benchmark, which runs on one thread from here on.

    Args:
        doc: the script's docstring; its first line is the description.
        tasks: what there is to choose from, if the script does more than one thing.
        quick: what ``--quick`` does instead of all; the script must then store nothing.
    """
    torch.set_num_threads(1)
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    if tasks:
        parser.add_argument("task", choices=[*tasks])
    if quick:
        parser.add_argument("--quick", action="store_true", help=f"{quick}, nothing recorded")
    return parser


def learn(
    model: nn.Module,
    draw: Callable,
    loss: Callable,
    rng: np.random.RandomState,
    setting: dict[str, Any],
    **more: Any,
) -> tuple[History, dict[str, Any]]:
    """Train with the setting's steps and rate; return the history and what it took.

    What it took are weights, CPU seconds and the first losses, by which a test knows the run
    again. ``more`` goes to :func:`attention_course.training.fit`.
    """
    started = time.process_time()
    history = fit(
        model, draw, loss, rng, steps=setting["steps"], lr=setting["lr"], progress=False, **more
    )
    return history, {
        "weights": sum(p.numel() for p in model.parameters()),
        "cpu_seconds": round(time.process_time() - started, 1),
        "first_losses": [round(value, 6) for value in history.losses[:3]],
    }


def curve(history: History) -> list[list[float]]:
    """Return step and value of every validation."""
    return [[step, round(value, 4)] for step, value in history.validation]


def means(losses: Sequence[float], block: int) -> list[float]:
    """Return the mean loss of every ``block`` steps."""
    block = max(1, block)
    blocks = [losses[i : i + block] for i in range(0, len(losses), block)]
    return [round(float(np.mean(part)), 4) for part in blocks]


def work(
    folder: Path,
    minutes: float,
    runs: Iterable[tuple[str, str, int]],
    run: Callable[[str, str, int], Any],
) -> bool:
    """Do what is not there yet, until the CPU minutes are over; say whether all is done."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in runs:
        path = folder / f"{' '.join(map(str, one))}.json"
        if path.is_file():
            continue
        if time.process_time() > 60 * minutes:
            return False
        result = run(*one)
        path.write_text(json.dumps(result))
        print(*one, result, flush=True)
    return True


def on_record(name: str, settings: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the runs of a record that were made with these settings."""
    try:
        runs, source = recorded(name)
    except ValueError:
        return []
    return list(runs) if source["settings"] == settings else []


def ship(name: str, model: nn.Module, script: str, **about: object) -> None:
    """Write a trained model for the pages, with what is worth knowing of its run."""
    told = {key: str(value) for key, value in about.items()}
    origin = Path(script).resolve().relative_to(ROOT).as_posix()
    path = DATA / f"checkpoints/{name}.safetensors"
    write_tensors(path, state_arrays(model), script=origin, **told)


def runs_of(
    order: Iterable[tuple[str, Sequence[str]]], seeds: Sequence[int]
) -> list[tuple[str, str, int]]:
    """Return task, model and seed of every run: all models of a task, seed by seed."""
    return [(task, name, n) for task, names in order for n in seeds for name in names]


def kept(folder: Path, runs: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, list]]:
    """Return what :func:`work` has left of some runs, by task and model."""
    found: dict[str, dict[str, list]] = {}
    for task, name, seed in runs:
        each, path = found.setdefault(task, {}), folder / f"{task} {name} {seed}.json"
        if path.is_file():
            each.setdefault(name, []).append(json.loads(path.read_text()))
    return found


def work_or_record(
    doc: str,
    name: str,
    minutes: float,
    runs: Sequence[tuple[str, str, int]],
    run: Callable,
    record: Callable[[Path], Any],
) -> None:
    """Read the command line of a script whose runs are kept in ``build/NAME`` until recorded.

    ``--quick`` takes three steps of each run of the first seed.
    """
    parser = command_line(doc, ("work", "record"), "three steps each")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / name)
    parser.add_argument("--minutes", type=float, default=minutes, help="CPU minutes at most")
    given = parser.parse_args()
    if given.quick:
        for task, model, seed in (one for one in runs if one[2] == runs[0][2]):
            print(task, model, run(task, model, seed, 3)["found"])
    elif given.task == "record":
        record(given.folder)
    else:
        done = work(given.folder, given.minutes, runs, run)
        print("nothing is left" if done else "there is more: call it again")


def store(script: str, result: Any, task: str = "", name: str = "", **described: Any) -> Path:
    """Record a result for a chapter to draw.

    Args:
        script: the script's ``__file__``.
        result: anything JSON can hold.
        task: what the script was asked to do.
        name: of the record; unless given, those of script and task.
        **described: seeds, settings and whatever else is needed to repeat it.
    """
    path = Path(script).resolve()
    name = name or (f"{path.stem}_{task}" if task else path.stem)
    command = f"{path.relative_to(ROOT).as_posix()} {task}".strip()
    return record(DATA / f"recorded/{name}.json", result, script=command, **described)
