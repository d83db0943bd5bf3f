"""A shared sequence against attention in one piece: simulated, and by processes."""

import os
import time
from itertools import product

import numpy as np
import pytest
import torch

from attention_course.kernels import parallel, ring
from attention_course.kernels.parallel import WAYS, parallel_attention, simulate_parallel
from attention_course.kernels.tiled import naive_attention
from attention_course.reference import parallel_bytes
from attention_course.reference.scale.ring import ORDERS

BATCH, HEADS, N, D_K, D_V = 2, 4, 24, 8, 6


def draw(*shape: int, seed: int) -> torch.Tensor:
    return torch.from_numpy(np.random.RandomState(seed).standard_normal(shape))


def inputs(kv_heads: int = HEADS) -> list[torch.Tensor]:
    sizes = [(HEADS, D_K), (kv_heads, D_K), (kv_heads, D_V), (HEADS, D_V)]
    return [draw(BATCH, h, N, d, seed=i) for i, (h, d) in enumerate(sizes)]


def whole(q, k, v, gradient, causal: bool, scale=None) -> list[torch.Tensor]:
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    out = naive_attention(*leaves, causal=causal, scale=scale)
    return [out.detach(), *torch.autograd.grad((out * gradient).sum(), leaves)]


def gap(run: parallel.ParallelRun, wanted: list[torch.Tensor]) -> float:
    found = [run.context, *run.gradients]
    return max((a - b).abs().max().item() for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("way", "devices"),
    [*product(["ring", "gather"], [1, 2, 3, 12]), *product(["ulysses"], [1, 2, 4])],
)
def test_every_way_of_sharing_is_exact(kv_heads, causal, order, way, devices):
    q, k, v, gradient = inputs(kv_heads)
    how = {"way": way, "devices": devices, "causal": causal, "order": order, "scale": 0.3}
    run = simulate_parallel(q, k, v, **how, gradient=gradient)
    assert gap(run, whole(q, k, v, gradient, causal, 0.3)) < 1e-12


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("way", WAYS)
def test_it_sends_what_was_predicted(way, kv_heads):
    q, k, _, _ = inputs(kv_heads)
    gradient = draw(BATCH, HEADS, N, D_K, seed=3)
    run = simulate_parallel(q, k, k, way=way, devices=4, gradient=gradient)
    for found, backward in ((run.sent_forward, False), (run.sent_backward, True)):
        a_sequence = parallel_bytes(way, N, 4, HEADS, kv_heads, D_K, 8, backward)
        assert found == (BATCH * a_sequence,) * 4


def test_float32_stays():
    q, k, v, _ = (x.float() for x in inputs())
    run = simulate_parallel(q, k, v, devices=3, causal=True)
    assert run.context.dtype == torch.float32
    assert (run.context - naive_attention(q, k, v, causal=True)).abs().max() < 1e-5
    assert run.gradients == ()
    assert run.sent_backward == ()


@pytest.mark.gate("a ring is exact", "parts are averaged, not merged by their log-sum-exps")
def test_parts_that_are_averaged_are_noticed(monkeypatch):
    monkeypatch.setattr(ring, "merge_partials", lambda c, log: (c.mean(0), log.logsumexp(0)))
    q, k, v, _ = inputs()
    assert gap(simulate_parallel(q, k, v, devices=3), [naive_attention(q, k, v)]) > 1e-3


@pytest.mark.parametrize(
    ("way", "causal", "order"),
    [("ring", True, "striped"), ("gather", False, "blocks"), ("ulysses", True, "zigzag")],
)
def test_processes_that_know_their_own_part_alone_find_the_same(way, causal, order):
    q, k, v, gradient = inputs(1)
    how = {"devices": 2, "way": way, "causal": causal, "order": order, "gradient": gradient}
    run, same = parallel_attention(q, k, v, **how), simulate_parallel(q, k, v, **how)
    assert gap(run, whole(q, k, v, gradient, causal)) < 1e-12
    assert run.sent_forward == same.sent_forward
    assert run.sent_backward == same.sent_backward


@pytest.mark.parametrize(
    ("program", "seconds", "message"),
    [
        (
            "import sys; sys.exit('no luck')",
            60,
            "process [01] of 2 ended with code 1 and said: no luck",  # whichever ends first
        ),
        ("import time; time.sleep(60)", 0.5, "2 processes to end within 0.5 seconds, got no"),
        (
            "import sys, time; sys.exit('no luck') if sys.argv[2] == '1' else time.sleep(60)",
            60,
            "process 1 of 2 ended with code 1 and said: no luck",
        ),
    ],
)
def test_whatever_happens_it_ends_and_says_so(program, seconds, message, monkeypatch):
    started, popen = [], parallel.subprocess.Popen

    def start(*given, **more):
        started.append(popen(*given, **more))
        return started[-1]

    monkeypatch.setattr(parallel, "PROGRAM", program)
    monkeypatch.setattr(parallel.subprocess, "Popen", start)
    q, k, v, _ = inputs()
    before = time.monotonic()
    with pytest.raises(RuntimeError, match=f"^parallel_attention: .*{message}"):
        parallel_attention(q, k, v, devices=2, seconds=seconds)
    assert time.monotonic() - before < 30
    assert len(started) == 2
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


X = torch.ones(1, 2, 6, 4)


@pytest.mark.parametrize("function", [simulate_parallel, parallel_attention])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"devices": 4}, "q must be of a length that 4 devices share, got shape"),
        ({"devices": 3, "way": "ulysses"}, "q must be of heads that 3 devices share, as they"),
        ({"way": "mesh"}, "way must be .*ulysses.*mesh"),
        ({"order": "zigzag"}, "q must be of a length that 2 devices share, two blocks each"),
        ({"k": X[:, :, :3], "v": X[:, :, :3]}, "q and k must agree in the axis n"),
        ({"devices": 0}, "devices must be .* whole number.*, got 0"),
        ({"gradient": X[..., :3]}, "v and gradient must agree in the axis d_v"),
        ({"scale": float("nan")}, "expected .*scale|scale"),
        (
            {"q": X.half(), "k": X.half(), "v": X.half()},
            "q must be in float32 or float64, got torch.float16",
        ),
    ],
)
def test_bad_input_is_refused_before_anything_is_started(function, bad, message):
    with pytest.raises(ValueError, match=f"^{function.__name__}: .*{message}"):
        function(**({"q": X, "k": X, "v": X, "devices": 2} | bad))


def test_a_ring_of_processes_has_at_least_two():
    with pytest.raises(
        ValueError, match="parallel_attention: devices must be a whole number from 2, got 1"
    ):
        parallel_attention(X, X, X, devices=1)
