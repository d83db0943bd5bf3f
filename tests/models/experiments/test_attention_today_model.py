"""The small stack with the attention of today: what its layers are, and its tasks."""

import numpy as np
import torch

from attention_course.models.experiments import attention_today as today


def rng(seed: int = 0) -> np.random.RandomState:
    return np.random.RandomState(seed)


def test_a_latent_and_a_shared_key_are_kept_in_as_many_numbers():
    caches = [
        today.attention_named(kind, today.Positions()).new_cache(1, 10)
        for kind in ("full", "shared", "latent")
    ]
    kept = [(c.keys.numel() + c.values.numel()) // 10 for c in caches]
    assert kept == [128, 32, 32]


def test_the_windows_are_where_they_should_be():
    model = today.TodayModel(["window", "full"], [9], 9, rng())
    widths = [getattr(block.attention, "width", None) for block in model.blocks]
    assert widths == [today.WIDTH, None]


def test_strings_are_followed_by_themselves():
    lengths = set()
    for seed in range(60):
        rows = today.copy_rows(rng(seed), 3)
        n = rows.shape[1] // 2
        lengths.add(n)
        assert (rows[:, :n] == rows[:, n + 1 :]).all()
        assert (rows[:, n] == 0).all()
        assert all(len({*row[:n].tolist()}) == n and row[:n].min() > 0 for row in rows)
    assert lengths == {*range(today.SHORTEST, today.LONGEST + 1)}


class Copier(torch.nn.Module):
    """Says what came one string earlier, or something else."""

    def __init__(self, off: int):
        super().__init__()
        self.off = off

    def forward(self, rows):
        n = (rows.shape[1]) // 2
        said = torch.roll(rows, n + self.off, dims=1)
        return 50.0 * torch.nn.functional.one_hot(said, today.SYMBOLS + 1).float()


def test_a_copier_is_right_and_one_that_is_a_place_off_is_not():
    assert today.copied_right(Copier(0), rng(), 2) == 1
    assert today.copied_right(Copier(1), rng(), 2) < 0.05
    rows = today.copy_rows(rng(), 4)
    assert today.copy_loss(Copier(0), rows) < 1e-6 < 1 < today.copy_loss(Copier(1), rows)
