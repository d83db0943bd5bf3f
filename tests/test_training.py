"""The training loop: budgets, stopping, and runs that survive an interruption."""

import numpy as np
import pytest
import torch

from attention_course import training
from attention_course.training import History, fit


def small_model(dropout: float = 0.0) -> torch.nn.Module:
    torch.manual_seed(5)
    return torch.nn.Sequential(
        torch.nn.Linear(3, 7), torch.nn.Tanh(), torch.nn.Dropout(dropout), torch.nn.Linear(7, 1)
    )


def draw(rng: np.random.RandomState) -> torch.Tensor:
    return torch.tensor(rng.standard_normal((11, 3)), dtype=torch.float32)


def loss(model: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    return ((model(x)[:, 0] - x.sum(1)) ** 2).mean()


def train(model, rng_seed=3, **settings) -> History:
    settings = {"steps": 20, "progress": False, **settings}
    return fit(model, draw, loss, np.random.RandomState(rng_seed), **settings)


def weights(model) -> torch.Tensor:
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach()


def test_training_makes_the_loss_smaller():
    history = train(small_model(), steps=200, lr=1e-2)
    assert np.mean(history.losses[-20:]) < 0.5 * np.mean(history.losses[:20])


def test_the_same_seed_gives_the_same_weights_and_another_seed_does_not():
    runs = []
    for seed in (3, 3, 4):
        model = small_model()
        train(model, seed)
        runs.append(weights(model))
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])


def test_a_step_without_clipping_is_one_step_of_adam():
    ours, plain = small_model(), small_model()
    train(ours, steps=1, clip=None, lr=1e-2)
    optimiser = torch.optim.Adam(plain.parameters(), lr=1e-2)
    loss(plain, draw(np.random.RandomState(3))).backward()
    optimiser.step()
    assert torch.equal(weights(ours), weights(plain))


def test_clipping_limits_the_norm_of_the_gradient():
    model = small_model()
    train(model, steps=1, clip=1e-3)
    norm = torch.cat([p.grad.flatten() for p in model.parameters()]).norm()
    assert 0.99e-3 < float(norm) <= 1.001e-3


class ClosedLaptopError(Exception):
    """Stands for a reader who closes the laptop."""


@pytest.mark.parametrize("dropout", [0.0, 0.4])
def test_a_resumed_run_ends_exactly_where_an_uninterrupted_one_does(tmp_path, dropout):
    whole = small_model(dropout)
    whole_history = train(whole, validate=lambda m: float(weights(m).norm()), every=5)

    calls = iter(range(1000))

    def broken_draw(rng):
        if next(calls) == 13:
            raise ClosedLaptopError
        return draw(rng)

    settings = {"steps": 20, "progress": False, "every": 5, "checkpoint": tmp_path / "a.pt"}
    settings["validate"] = lambda m: float(weights(m).norm())
    with pytest.raises(ClosedLaptopError):
        fit(small_model(dropout), broken_draw, loss, np.random.RandomState(3), **settings)
    torch.manual_seed(99)
    resumed = torch.nn.Sequential(
        torch.nn.Linear(3, 7), torch.nn.Tanh(), torch.nn.Dropout(dropout), torch.nn.Linear(7, 1)
    )
    history = fit(resumed, draw, loss, np.random.RandomState(77), **settings)
    assert torch.equal(weights(resumed), weights(whole))
    assert history.losses == whole_history.losses
    assert history.validation == whole_history.validation


def test_a_checkpoint_loads_without_running_code(tmp_path):
    train(small_model(), checkpoint=tmp_path / "a.pt")
    content = torch.load(tmp_path / "a.pt", weights_only=True)
    assert len(content["history"]["losses"]) == 20
    assert not list(tmp_path.glob("*.part"))


def test_a_finished_checkpoint_is_not_trained_further(tmp_path):
    model = small_model()
    train(model, checkpoint=tmp_path / "a.pt")
    before = weights(model).clone()
    history = train(model, checkpoint=tmp_path / "a.pt")
    assert history.steps == 20
    assert torch.equal(before, weights(model))


def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    train(small_model(), checkpoint=tmp_path / "a.pt")
    with pytest.raises(ValueError, match="fit: checkpoint must hold weights of this model"):
        fit(
            torch.nn.Linear(3, 1), draw, loss, np.random.RandomState(0),
            steps=1, checkpoint=tmp_path / "a.pt", progress=False,
        )  # fmt: skip


def test_patience_stops_early_and_gives_back_the_best_weights():
    seen = []

    def measure(model):
        seen.append(weights(model).clone())
        return [3.0, 1.0, 2.0, 2.0, 0.0][len(seen) - 1]

    model = small_model()
    history = train(model, steps=500, validate=measure, every=10, patience=2)
    assert history.stopped == "patience"
    assert history.steps == 40
    assert history.validation == [[10, 3.0], [20, 1.0], [30, 2.0], [40, 2.0]]
    assert torch.equal(weights(model), seen[1])


def test_validation_runs_in_evaluation_mode_and_training_goes_on_in_training_mode():
    modes = []

    def measure(model):
        modes.append(model.training)
        return 0.0

    def watched(model, x):
        modes.append(model.training)
        return loss(model, x)

    fit(
        small_model(), draw, watched, np.random.RandomState(0),
        steps=2, validate=measure, every=1, progress=False,
    )  # fmt: skip
    assert modes == [True, False, True, False]


def test_the_budget_in_seconds_ends_training():
    history = train(small_model(), steps=None, seconds=1e-9)
    assert (history.steps, history.stopped) == (1, "seconds")


def test_the_progress_bar_goes_to_standard_error_only(capsys):
    train(small_model(), progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "20" in err


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": None}, "fit: steps or seconds must be given, got neither"),
        ({"steps": 0}, "fit: steps must be positive, got 0"),
        ({"seconds": -1.0}, "fit: seconds must be positive, got -1.0"),
        ({"lr": 0.0}, "fit: lr must be positive, got 0.0"),
        ({"lr": float("nan")}, "fit: lr must be positive, got nan"),
        ({"clip": -2.0}, "fit: clip must be positive, got -2.0"),
        ({"every": 0}, "fit: every must be positive, got 0"),
        ({"patience": 3}, "fit: validate must be given when patience is, got None"),
    ],
)
def test_bad_settings_are_named(settings, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.")):
        train(small_model(), **settings)


def test_a_loss_that_is_not_finite_stops_training_with_a_message():
    with pytest.raises(ValueError, match="fit: loss must be one finite number, got nan"):
        fit(
            small_model(), draw, lambda m, x: loss(m, x) * float("nan"),
            np.random.RandomState(0), steps=1, progress=False,
        )  # fmt: skip


class Travelling(torch.nn.Linear):
    """Says where it is sent, and stays where it is."""

    def __init__(self):
        super().__init__(3, 1)
        self.sent = []

    def to(self, device):
        self.sent.append(torch.device(device).type)
        return self


def test_a_model_is_trained_elsewhere_validated_here_and_comes_back():
    model = Travelling()
    train(model, steps=2, every=2, validate=lambda m: model.sent.append("measured") or 0.0)
    assert {*model.sent} == {"cpu", "measured"}
    model = Travelling()
    how = {"every": 2, "validate": lambda m: model.sent.append("measured") or 0.0}
    train(model, steps=2, device="cuda", **how)
    assert model.sent == ["cuda", "cpu", "measured", "cuda", "cpu"]
