"""The benchmarks of layers: each layer is what its steps say, and its work what was counted."""

import pytest
import torch

from attention_course.benchmarks import Layers, Recurrence, Variant, run
from attention_course.benchmarks.layers import (
    LayerBenchmark,
    Scan,
    band,
    band_pairs,
    block_pairs,
    blocks,
    everything,
    masked_by_steps,
    table,
)
from attention_course.measure import this_device
from attention_course.reference import causal_mask, layer_costs, window_mask

CPU = this_device("cpu")
ALL = [(b, name) for b in (Layers(), Recurrence(), Scan()) for name in b.layers]


def ids(value):
    return value if isinstance(value, str) else value.name


def draw(benchmark, n=150, d=16, batch=2):
    size = {"n": n, "d": d, "batch": batch}
    return benchmark.inputs(size, CPU, torch.float64)


@pytest.fixture
def like_cudnn(monkeypatch):
    """Let torch's recurrent layers refuse gradients outside of training mode, as on a GPU."""
    for name in ("rnn_tanh", "lstm", "gru"):
        theirs = getattr(torch, name)

        def called(*given, theirs=theirs):
            training = given[6]
            assert training == torch.is_grad_enabled()
            return theirs(*given)

        monkeypatch.setattr(torch, name, called)


@pytest.mark.parametrize(("benchmark", "name"), ALL, ids=ids)
def test_a_layer_is_its_steps_and_so_are_its_gradients(benchmark, name, like_cudnn):
    layer = benchmark.layers[name]
    x, W = (a.requires_grad_() for a in draw(benchmark))
    found, wanted = layer.compute(x, W), layer.by_steps(x, W)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)
    pull = torch.randn_like(found)
    for a, b in zip(
        torch.autograd.grad(found, (x, W), pull, allow_unused=True),
        torch.autograd.grad(wanted, (x, W), pull, allow_unused=True),
        strict=True,
    ):
        assert (a is None) == (b is None)
        if a is not None:
            torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["recurrent", "LSTM", "windowed", "block-sparse", "table"])
def test_who_looks_back_alone(name):
    x, W = draw(Layers())
    later = x.clone()
    later[:, 100:] += 1
    before, after = (Layers.layers[name].compute(a, W)[:, :100] for a in (x, later))
    assert torch.allclose(before, after, atol=1e-12) == (name != "table")


@pytest.mark.parametrize(("benchmark", "name"), ALL, ids=ids)
def test_the_operations_are_those_that_were_counted(benchmark, name):
    n, d, batch = 200, 16, 3
    counted = benchmark.operations({"n": n, "d": d, "batch": batch}, name)
    same = {"table": "dot-product", "fused": "tiled", "recurrent": "rnn", "LSTM": "lstm"}
    same |= {"GRU": "gru", "GRU, in a loop": "gru", "minGRU, scanned": "rnn"}  # two matrices
    layer = same.get(name, name.split(",")[0])
    passes = {"layers": 1, "recurrence": 3, "scan": 3}[benchmark.name]
    wanted = layer_costs(layer, n, d).operations
    if name == "windowed":
        wanted = 4 * d * int(window_mask(64, n).sum())
    if name == "block-sparse":
        wanted = 4 * d * int(blocks(n).sum())
    assert counted == passes * batch * wanted


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 150, 192, 193, 400, 512])
def test_the_pairs_that_are_seen_are_counted_without_a_mask(n):
    assert band_pairs(n) == int(band(n).sum())
    assert block_pairs(n) == int(blocks(n).sum())


def test_the_sparse_blocks_are_causal_and_leave_something_out():
    seen = blocks(400).numpy()
    assert not (seen & ~causal_mask(400)).any()
    assert seen.sum() < causal_mask(400).sum()
    assert seen[399, [0, 63, 320, 399]].all()
    assert not seen[399, 64:256].any()


@pytest.mark.parametrize("name", ["layers", "recurrence"])
def test_every_layer_is_measured_and_stands_on_its_proof(name):
    results = run(name, device=CPU, sizes="tiny", seconds=0.2)
    assert [v["variant"] for v in results.equivalence if not v["holds"]] == []
    assert all("seconds" in row for row in results.rows)
    if name == "layers":
        assert all(row["extra_bytes"] > 0 for row in results.rows)


@pytest.mark.gate("equivalence before timing", "a layer is not what its steps say")
def test_a_layer_that_is_something_else_is_not_timed():
    class Wrong(Layers):
        def variants(self, device):
            mistaken = Variant(lambda size: table, steps=masked_by_steps(causal))
            return super().variants(device) | {"windowed": mistaken}

    def causal(n):
        return everything(n).tril()

    rows = Wrong().measure(CPU, Layers.sizes["tiny"][:1], seconds=0.1)["rows"]
    row = next(row for row in rows if row["variant"] == "windowed")
    assert (row.get("seconds"), row["why_not"]) == (None, "failed: it is not equal")


def test_both_have_sizes_for_all_that_runs_them():
    for benchmark in (Layers, Recurrence):
        assert issubclass(benchmark, LayerBenchmark)
        assert {"cpu", "live cpu", "cuda", "tiny"} <= {*benchmark.sizes}
