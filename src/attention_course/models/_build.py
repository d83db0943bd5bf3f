"""First weights from a generator that is passed in."""

import contextlib
from collections.abc import Iterator

import numpy as np
import torch


@contextlib.contextmanager
def seeded(rng: np.random.RandomState) -> Iterator[None]:
    """Let torch's own initialisers draw from ``rng``, and leave torch's generator alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.randint(2**31 - 1)))
        yield
