"""What the models share: first weights from a generator that is passed in, and a check."""

import contextlib
from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import nn


@contextlib.contextmanager
def seeded(rng: np.random.RandomState) -> Iterator[None]:
    """Let torch's own initialisers draw from ``rng``, and leave torch's generator alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.randint(2**31 - 1)))
        yield


def check_lengths(function: str, source: torch.Tensor, lengths: torch.Tensor) -> None:
    """Raise unless every row of ``source`` has a length from 1 to its width.

    Values are looked at on the CPU alone: a GPU would have to wait for the answer, and on the
    meta device there are none.
    """
    if source.ndim != 2 or lengths.shape != (len(source),):
        raise ValueError(
            f"{function}: lengths must be one number for each row of source, "
            f"got source {tuple(source.shape)} and lengths {tuple(lengths.shape)}"
        )
    if lengths.device.type != "cpu":
        return
    if int(lengths.min()) < 1 or int(lengths.max()) > source.shape[1]:
        raise ValueError(
            f"{function}: lengths must be between 1 and {source.shape[1]}, "
            f"got {int(lengths.min())} to {int(lengths.max())}"
        )


def device_of(model: nn.Module) -> torch.device:
    """Return where a model's weights lie: a batch has to go there."""
    return next((p.device for p in model.parameters()), torch.device("cpu"))


def to_model(model: nn.Module, batch: Iterable[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Return the tensors of a batch where a model's weights lie."""
    return tuple(t.to(device_of(model)) for t in batch)
