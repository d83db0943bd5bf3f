"""Every layer, model and training loop works where its inputs lie, and in their format.

No GPU is needed. The meta device stands for one: it computes shapes alone, and has no value
that anybody could wait for. And where meta is the default device, whatever a layer makes
without saying where lies apart from its inputs, on the CPU, and shows.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from module_cases import CASES, FOUND, FUNCTIONS, LOOKED_UP, LOSSES, OF, RNG, SAME, case, f, s
from pretended import Pretended, There
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention_course.data.world.pictured import draw_pictured
from attention_course.measure.equality import equivalence
from attention_course.models import image_accuracy
from attention_course.models.experiments import detection
from attention_course.models.experiments.convolutional_networks import (
    answers_covered,
    cut_attention,
)
from attention_course.models.experiments.two_garments import turned_looks
from attention_course.models.language import write
from attention_course.models.translators import fixed_vector as fixed
from attention_course.training import fit

INTERFACES = {"Score"}  # each of their subclasses is looked at
MIXED = {"block_sparse_attention"}  # its pattern belongs on the CPU
every_case = pytest.mark.parametrize("row", CASES, ids=lambda row: row.id)


def rng() -> np.random.RandomState:
    return np.random.RandomState(0)


@contextmanager
def meta_by_default() -> Iterator[None]:
    torch.set_default_device("meta")
    try:
        yield
    finally:
        torch.set_default_device(None)


def moved(inputs: list, to: str | torch.dtype) -> list:
    """Move tensors to a device, or their floats to a format; let gradients reach those."""

    def move(x):
        if not isinstance(x, Tensor) or (
            isinstance(to, torch.dtype) and not x.is_floating_point()
        ):
            return x
        x = x.to(to, copy=True)
        return x.requires_grad_() if x.is_floating_point() else x

    return [move(x) for x in inputs]


def run(module: nn.Module, inputs: list) -> list[Tensor]:
    """Go forward and backward; return all outputs and gradients."""
    outputs = [x for x in tree_leaves(module(*inputs)) if isinstance(x, Tensor)]
    learnt = [x for x in outputs if x.requires_grad]
    if learnt:
        sum(x.square().sum() for x in learnt).backward()
    leaves = [x for x in inputs if isinstance(x, Tensor)] + list(module.parameters())
    return outputs + [x.grad for x in leaves if x.grad is not None]


CARRYING = ("copy", "lift_fresh")  # data on its way


class StraysError(AssertionError):
    """An operation mixed devices, or made a tensor in the wrong place."""


class OnlyOn(TorchDispatchMode):
    """Refuse every operation on tensors that lie elsewhere.

    A number (a tensor without axes) may lie on the CPU, and data may be carried over: torch
    does the same.
    """

    def __init__(self, device: str):
        super().__init__()
        self.device, self.seen = device, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not any(word in str(func) for word in CARRYING):
            self.seen += 1
            met = {
                x.device.type
                for x in tree_leaves((args, kwargs, out))
                if isinstance(x, Tensor) and x.ndim
            }
            if not met <= {self.device}:
                raise StraysError(f"{func} has tensors on {sorted(met)}")
        return out


def test_every_public_layer_and_model_is_looked_at():
    public = set(FOUND) | set(FUNCTIONS)
    missing = public - INTERFACES - MIXED - set(OF)
    assert not missing, f"without a row in module_cases: {sorted(missing)}"
    assert set(OF) <= public
    assert len(FOUND) >= 55
    assert len(FUNCTIONS) >= 14


def test_a_pattern_of_blocks_stays_on_the_cpu_and_what_is_computed_does_not():
    blocks, block_sparse = torch.eye(2, dtype=torch.bool), FUNCTIONS["block_sparse_attention"]
    with OnlyOn("meta") as watch:
        block_sparse(*moved(SAME, "meta"), blocks, 4).sum().backward()
    assert watch.seen


@every_case
def test_forward_and_backward_on_meta(row):
    module, inputs = row.build().to("meta"), moved(row.give(), "meta")
    with OnlyOn("meta") as watch:
        found = run(module, inputs)
    assert {x.device.type for x in found} == {"meta"}
    assert watch.seen


@every_case
def test_inputs_on_the_cpu_beside_another_default_device(row):
    wanted = run(row.build(), moved(row.give(), "cpu"))
    module, inputs = row.build(), moved(row.give(), "cpu")
    with meta_by_default():
        found = run(module, inputs)
    assert len(found) == len(wanted)
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


@every_case
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_outputs_and_gradients_come_in_the_format_of_the_inputs(row, dtype):
    found = run(row.build().to(dtype), moved(row.give(), dtype))
    assert {x.dtype for x in found if x.is_floating_point()} <= {dtype}
    assert all(x.isfinite().all() for x in found if not row.name.endswith("Score"))


# Decoding, and what trains.

WRITERS = sorted(name for name, found in FOUND.items() if hasattr(found, "generate"))


def test_every_model_that_writes_is_found():
    assert len(WRITERS) >= 7


@pytest.mark.parametrize("name", WRITERS)
def test_writing_beside_another_default_device(name):
    source, lengths, _ = OF[name].give()
    model = OF[name].build()
    wanted = model.generate(source, lengths, 6)
    with meta_by_default():
        assert torch.equal(model.generate(source, lengths, 6), wanted)


every_position = pytest.mark.parametrize("kind", ["sinusoidal", "rotary", "alibi"])


def language_model(kind: str) -> nn.Module:
    return case("LanguageModel", of=(6, RNG, 8, 2, 6, 1, kind)).build()


@every_position
def test_sampling_beside_another_default_device(kind):
    model = language_model(kind)
    wanted = write(model, [3], 6, rng())
    with meta_by_default():
        assert write(model, [3], 6, rng()) == wanted


def small_run(checkpoint=None, steps=6) -> list[Tensor]:
    """Train a model on pairs for a few steps, with validation and a checkpoint."""
    with torch.device("cpu"):
        model = OF["FixedVectorSeq2Seq"].build()
    fit(
        model,
        lambda rng: PAIRS,
        fixed.sequence_loss,
        rng(),
        validate=lambda model: float(fixed.sequence_loss(model, PAIRS)),
        patience=9,
        steps=steps,
        every=2,
        checkpoint=checkpoint,
        progress=False,
    )
    return list(model.parameters())


def test_training_and_resuming_beside_another_default_device(tmp_path):
    wanted = small_run()
    with meta_by_default():
        small_run(tmp_path / "here.pt", steps=4)
        found = small_run(tmp_path / "here.pt")
    assert all(torch.equal(a, b) for a, b in zip(found, wanted, strict=True))


PAIRS = fixed.Batch(*fixed.pad([[3, 4], [5]]), *fixed.pad([[4, 2], [3, 2]]))

# Of each loss: the model, by its row, and a batch on the CPU.
BATCHES: dict[str, tuple] = {
    "sequence_loss": (OF["FixedVectorSeq2Seq"], PAIRS),
    "smoothed_loss": (OF["FixedVectorSeq2Seq"], PAIRS),
    "next_symbol_loss": (OF["NextSymbolModel"], s(2, 5).numpy()),
    "caption_loss": (OF["Captioner"], (f(2, 3, 28, 56), s(2, 13))),
    "garment_loss": (OF["GridEncoder"], (f(2, 3, 28, 56), s(2, 2, 3, below=5) - 3)),
    "naming_loss": (OF["GarmentEncoder"], (f(2, 196), s(2))),
    "answer_loss": (OF["Asker"], (f(2, 42, 42), s(2, 3), s(2))),
    "glimpse_loss": (OF["Glimpser"], (f(2, 56, 56), s(2))),
    "set_loss": (OF["Detector"], (f(2, 42, 42), s(2, 5), f(2, 5, 4))),
    "image_loss": (OF["VisionTransformer"], (f(2, 28, 28), s(2))),
    "call_loss": (OF["CallReader"], (s(2, 16), f(2, 16, 10))),
    "copy_loss": (case("TodayModel", of=(["full"], [9], 9, RNG)), s(2, 9).numpy()),
    "seldom_loss": (
        case("TodayModel", of=(["full"], [9, 9, 9], 10, RNG)),
        tuple(s(2, 9) for _ in range(4)),
    ),
    "draft_loss": (OF["DraftHeads"], (f(2, 5, 4), s(2, 5, 3))),
    "lookup_loss": (OF["LookupModel"], (*LOOKED_UP, s(2))),
    "recall_loss": (OF["RecallModel"], (*[s(2, 20)] * 3, torch.zeros(2, 20).long())),
    "tagging_loss": (OF["RecurrentTagger"], (s(2, 5), s(2, 5))),
}


def test_every_loss_is_looked_at():
    assert {*LOSSES} == {*BATCHES}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_follows_the_model_to_meta(name, monkeypatch):
    # Who answers for whom is decided by values, on the CPU, and meta has none.
    monkeypatch.setattr(detection, "matched_queries", lambda found, names, boxes: names)
    row, batch = BATCHES[name]
    model = row.build().to("meta")
    with OnlyOn("meta") as watch:
        LOSSES[name](model, batch).backward()
    assert watch.seen


# What a missing device would do.


@pytest.mark.gate("layers on the reader's device", "a position is made on the CPU")
def test_a_stray_position_is_noticed(monkeypatch):
    def stray(self, n_queries, n_keys, start=0):
        i = torch.arange(start, start + n_queries)[:, None]
        return -self.slopes[:, None, None] * (i - torch.arange(n_keys)).abs()

    monkeypatch.setattr(FOUND["ALiBiPositions"], "bias", stray)
    row = case("LanguageModel", s(2, 5), of=(6, RNG, 8, 2, 6, 1, "alibi"))
    with pytest.raises((StraysError, RuntimeError)):
        test_forward_and_backward_on_meta(row)
    with pytest.raises((AssertionError, RuntimeError, NotImplementedError)):
        test_inputs_on_the_cpu_beside_another_default_device(row)


@pytest.mark.gate("layers on the reader's device", "a layer looks at a value and waits")
def test_a_look_at_a_value_is_noticed(monkeypatch):
    attention = FOUND["Attention"]
    forward = attention.forward

    def waits(self, q, k, v, mask=None):
        if not torch.isfinite(q).all():
            raise ValueError
        return forward(self, q, k, v, mask)

    monkeypatch.setattr(attention, "forward", waits)
    with pytest.raises(RuntimeError, match="meta"):
        test_forward_and_backward_on_meta(OF["Attention"])


@pytest.mark.gate("layers on the reader's device", "a new layer has no case")
def test_a_layer_without_a_case_is_noticed(monkeypatch):
    monkeypatch.setitem(FOUND, "NewAttention", nn.Linear)
    with pytest.raises(AssertionError, match="NewAttention"):
        test_every_public_layer_and_model_is_looked_at()


# A Mac's device, which has no float64.

MAC = {"refuses": (torch.float64,)}


@every_case
def test_forward_and_backward_on_a_macs_device(row):
    if row.name == "LuongSeq2Seq":
        pytest.skip("torch keeps the lengths of a packed batch on the CPU")
    with Pretended("mps", **MAC):
        module, inputs = row.build().to("mps"), moved(row.give(), "mps")
        found = run(module, inputs)
    assert all(isinstance(x, There) for x in found)


@every_position
def test_a_macs_device_gives_the_same_logits(kind):
    model, symbols = language_model(kind), s(1, 6)
    wanted = model(symbols)
    with Pretended("mps", **MAC):
        there = model.to("mps")
        found = there(symbols.to("mps")).cpu()
        write(there, [3], 6, rng())
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


PICTURES = torch.from_numpy(np.random.RandomState(1).random_sample((9, 28, 28))).float()
RANKS = torch.arange(49.0).expand(9, 49)
MEASURES: dict[str, Callable] = {
    "VisionTransformer": lambda model, to: image_accuracy(model, size=9),
    "AttentiveConvNet": lambda model, to: [
        cut_attention(model, size=9),
        answers_covered(model, to(PICTURES), to(RANKS)),
    ],
    "Captioner": lambda model, to: turned_looks(model, draw_pictured(rng(), 9)),
}


@pytest.mark.parametrize("name", MEASURES)
def test_what_is_measured_on_pictures_is_the_same_on_a_macs_device(name):
    kind = () if name == "VisionTransformer" else (OF[name].sizes[0],)
    more = (OF["GridEncoder"], 25) if name == "Captioner" else ()
    model = case(name, of=(*kind, RNG, *more)).build().eval()
    wanted = MEASURES[name](model, lambda x: x)
    with Pretended("mps", **MAC):
        assert MEASURES[name](model.to("mps"), lambda x: x.to("mps")) == wanted


def test_a_macs_device_has_no_reference_and_it_is_said():
    with Pretended("mps", **MAC), pytest.raises(ValueError, match="float64, got mps: move"):
        equivalence(torch.sin, torch.sin, [torch.ones(3).to("mps")])


@pytest.mark.gate("layers on the reader's device", "a Mac's device is asked for float64")
def test_float64_on_a_macs_device_is_noticed(monkeypatch):
    monkeypatch.setattr(
        "attention_course.layers.positions.Positions._apply", torch.nn.Module._apply
    )
    for kind in ("sinusoidal", "alibi"):
        with pytest.raises(TypeError, match="Cannot convert a mps Tensor"):
            test_a_macs_device_gives_the_same_logits(kind)
