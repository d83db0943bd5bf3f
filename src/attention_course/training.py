"""One training loop for the whole course: seeded, interruptible, with a budget.

The loop knows nothing about the task. The caller gives it a model, a function that draws a
batch, and a function that turns model and batch into a loss.
"""

import copy
import math
import os
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

__all__ = ["History", "fit", "warm_up"]


@dataclass
class History:
    """What happened during training.

    Attributes:
        losses: the training loss of every step.
        validation: pairs of step and validation measure.
        seconds: wall-clock time spent in steps and validation, over all sittings.
        stopped: why training ended: "steps", "seconds" or "patience".
    """

    losses: list[float] = field(default_factory=list)
    validation: list[list[float]] = field(default_factory=list)
    seconds: float = 0.0
    stopped: str = ""

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.losses)


def fit(
    model: torch.nn.Module,
    draw: Callable[[np.random.RandomState], Any],
    loss: Callable[[torch.nn.Module, Any], torch.Tensor],
    rng: np.random.RandomState,
    *,
    steps: int | None = None,
    seconds: float | None = None,
    lr: float | Callable[[int], float] = 2e-3,
    clip: float | None = 1.0,
    validate: Callable[[torch.nn.Module], float] | None = None,
    every: int = 100,
    patience: int | None = None,
    checkpoint: Path | str | None = None,
    progress: bool = True,
    device: torch.device | str | None = None,
) -> History:
    r"""Train with Adam until the budget is spent or validation stops improving.

    .. math:: \theta \leftarrow \theta - \text{Adam}\left(g \min(1, c / \lVert g \rVert)\right),
       \qquad g = \nabla_\theta L(\theta; \text{batch})

    Args:
        model: any module; trained in place.
        draw: returns the next batch, using only the generator it is given.
        loss: returns a scalar to be made small.
        rng: the one source of randomness for batches; it is advanced in place.
        steps: budget in optimiser steps.
        seconds: budget in wall-clock seconds. At least one of the two budgets is required.
        lr: Adam's learning rate, or a function that gives it for each step, from step 1.
        clip: the largest norm c a gradient may have; None leaves gradients alone.
        validate: returns a measure of which less is better, for example an error rate.
        every: steps between two validations, and between two checkpoints.
        patience: stop after this many validations without improvement, and give the model
            back the weights of the best one.
        checkpoint: file to save to. If it exists, training goes on from there, and ends
            where an uninterrupted run would have ended (on a GPU, but for dropout's draws).
        progress: whether to draw a progress bar (plain text, on standard error).
        device: where the steps are computed. The model goes there; it is validated, and left
            behind, where it was. There, too, unless given.

    Returns:
        Losses, validations, seconds and the reason for stopping.

    Raises:
        ValueError: if no budget is given, a number is not positive, ``patience`` comes without
            ``validate``, the loss is not a finite scalar, or the checkpoint does not fit.

    Source:
        Kingma and Ba (2015) for Adam; Pascanu et al. (2013), algorithm 1, for clipping.

    >>> line = torch.nn.Linear(1, 1)
    >>> history = fit(line, lambda rng: torch.ones(3, 1), lambda m, x: (m(x) ** 2).mean(),
    ...               np.random.RandomState(0), steps=5, progress=False)
    >>> history.steps, history.stopped
    (5, 'steps')
    """
    first_rate = lr(1) if callable(lr) else lr
    _check_budget(steps, seconds, first_rate, clip, every, patience, validate)
    rate = lr if callable(lr) else lambda step: lr
    run = _Run(model, rng, first_rate, device)
    if checkpoint is not None and Path(checkpoint).exists():
        run.load(checkpoint)
    model.train()
    bar = _bar(steps, run.history.steps) if progress else None
    try:
        while not run.finished(steps, seconds, patience):
            started = time.perf_counter()
            value = _step(run, draw, loss, clip, rate(run.history.steps + 1))
            if run.history.steps % every == 0:
                run.validate(validate)
            run.history.seconds += time.perf_counter() - started
            if checkpoint is not None and run.history.steps % every == 0:
                run.save(checkpoint)
            if bar is not None:
                bar.update()
                bar.set_postfix_str(f"loss {value:.3f}", refresh=False)
    finally:
        model.to(run.home)
        if bar is not None:
            bar.close()
    if checkpoint is not None:
        run.save(checkpoint)
    if patience is not None and run.best_weights is not None:
        model.load_state_dict(run.best_weights)
    model.eval()
    return run.history


def _bar(steps: int | None, done: int) -> Any:
    from tqdm import tqdm

    return tqdm(total=steps, initial=done, leave=False)


class _Run:
    """Everything that has to survive an interruption."""

    def __init__(
        self,
        model: torch.nn.Module,
        rng: np.random.RandomState,
        lr: float,
        device: torch.device | str | None,
    ):
        self.model, self.rng = model, rng
        self.home = next((p.device for p in model.parameters()), torch.device("cpu"))
        self.device = torch.device(device or self.home)
        model.to(self.device)
        self.optimiser = torch.optim.Adam(model.parameters(), lr=lr)
        self.history = History()
        self.best, self.since_best = float("inf"), 0
        self.best_weights: dict[str, Any] | None = None

    def finished(self, steps: int | None, seconds: float | None, patience: int | None) -> bool:
        """Name the reason in the history and return True once there is one."""
        reasons = {
            "patience": patience is not None and self.since_best >= patience,
            "steps": steps is not None and self.history.steps >= steps,
            "seconds": seconds is not None and self.history.seconds >= seconds,
        }
        self.history.stopped = next((name for name, holds in reasons.items() if holds), "")
        return bool(self.history.stopped)

    def validate(self, measure: Callable[[torch.nn.Module], float] | None) -> None:
        """Measure without gradients, in evaluation mode, and remember the best weights."""
        if measure is None:
            return
        self.model.eval().to(self.home)
        with torch.no_grad():
            value = float(measure(self.model))
        self.model.train().to(self.device)
        self.history.validation.append([self.history.steps, value])
        self.since_best += 1
        if value < self.best:
            self.best, self.since_best = value, 0
            # state_dict holds the tensors themselves, which the next step changes.
            self.best_weights = copy.deepcopy(self.model.state_dict())

    def save(self, path: Path | str) -> None:
        """Write to a second file first: an interruption must not leave half a checkpoint."""
        name, keys, position, has_gauss, gauss = cast("tuple[Any, ...]", self.rng.get_state())
        content = {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "history": asdict(self.history),
            "best": self.best,
            "since_best": self.since_best,
            "best_weights": self.best_weights,
            # As a tensor: with weights_only, torch.load takes no array.
            "rng": [name, torch.from_numpy(keys.astype(np.int64)), position, has_gauss, gauss],
            "torch_rng": torch.get_rng_state(),
        }
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(path.name + ".part")
        torch.save(content, half)
        os.replace(half, path)

    def load(self, path: Path | str) -> None:
        """Go back to where :meth:`save` was."""
        content = torch.load(path, map_location="cpu", weights_only=True)
        try:
            self.model.load_state_dict(content["model"])
        except RuntimeError as error:
            raise ValueError(
                f"fit: checkpoint must hold weights of this model, got {path} with {error}"
            ) from error
        self.optimiser.load_state_dict(content["optimiser"])
        self.history = History(**content["history"])
        self.best, self.since_best = content["best"], content["since_best"]
        self.best_weights = content["best_weights"]
        name, keys, *rest = content["rng"]
        self.rng.set_state((name, keys.numpy().astype(np.uint32), *rest))
        torch.set_rng_state(content["torch_rng"])


def _step(
    run: _Run,
    draw: Callable[..., Any],
    loss: Callable[..., torch.Tensor],
    clip: float | None,
    lr: float,
) -> float:
    run.optimiser.param_groups[0]["lr"] = lr
    value = loss(run.model, draw(run.rng))
    number = float(value.detach()) if value.numel() == 1 else math.nan  # the one wait of a step
    if not math.isfinite(number):
        raise ValueError(f"fit: loss must be one finite number, got {value.detach()}")
    run.optimiser.zero_grad()
    value.backward()
    if clip is not None:
        torch.nn.utils.clip_grad_norm_(run.model.parameters(), clip)
    run.optimiser.step()
    run.history.losses.append(number)
    return number


def _check_budget(
    steps: int | None,
    seconds: float | None,
    lr: float,
    clip: float | None,
    every: int,
    patience: int | None,
    validate: Callable[..., Any] | None,
) -> None:
    if steps is None and seconds is None:
        raise ValueError("fit: steps or seconds must be given, got neither")
    numbers = {"steps": steps, "seconds": seconds, "lr": lr, "clip": clip, "every": every}
    for name, number in {**numbers, "patience": patience}.items():
        if number is not None and not number > 0:
            raise ValueError(f"fit: {name} must be positive, got {number}")
    if patience is not None and validate is None:
        raise ValueError("fit: validate must be given when patience is, got None")


def warm_up(peak: float, steps: int) -> Callable[[int], float]:
    r"""Let the learning rate rise in a straight line, and then fall with the root of time.

    .. math:: \eta_t = \eta \min\left(\frac tw, \sqrt{\frac wt}\right)

    Args:
        peak: the highest rate, reached at the end of the rise.
        steps: w, how long the rise takes.

    Returns:
        The rate as a function of the step, from step 1.

    Raises:
        ValueError: if one of the two is not positive.

    Source:
        Vaswani et al. (2017), equation 3, with the peak as its parameter.

    >>> rate = warm_up(0.001, 100)
    >>> [rate(step) for step in (50, 100, 400)]
    [0.0005, 0.001, 0.0005]
    """
    if not (peak > 0 and steps > 0):
        raise ValueError(f"warm_up: peak and steps must be positive, got {peak} and {steps}")
    return lambda step: peak * min(step / steps, (steps / step) ** 0.5)


def __dir__() -> list[str]:
    return __all__
