"""What is asked: each way is what it should be, and its work what was counted."""

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import attention_course as ac
from attention_course import benchmarks
from attention_course.benchmarks import pictures
from attention_course.kernels import naive_attention
from attention_course.measure import Device, this_device
from attention_course.models.experiments.vision_transformer import FINE, VisionTransformer
from attention_course.reference import layer_costs

CPU = this_device("cpu")
T4 = Device("cuda", "Tesla T4", (7, 5), 15 * 2**30)
H200 = Device("cuda", "NVIDIA H200", (9, 0), 141 * 2**30)
NAMES = benchmarks.names()


@pytest.fixture
def like_cudnn(monkeypatch):
    """Let torch's recurrent layers refuse gradients outside of training mode, as on a GPU."""
    for name in ("rnn_tanh", "lstm"):
        theirs = getattr(torch, name)

        def called(*given, theirs=theirs):
            assert given[6] == torch.is_grad_enabled()
            return theirs(*given)

        monkeypatch.setattr(torch, name, called)


@pytest.mark.parametrize("name", NAMES)
def test_every_question_runs_small_and_all_that_ran_is_equal(name, small, like_cudnn):
    found = benchmarks.run(name, device=CPU, seconds=0.1)
    assert all(verdict["holds"] for verdict in found.equivalence)
    assert not [row for row in found.rows if row.get("why_not", "").startswith("failed")]
    ran = [row for row in found.rows if "seconds" in row]
    assert found.baseline in {row["variant"] for row in ran}
    assert {row["variant"] for row in ran} == {v["variant"] for v in found.equivalence}
    assert max(map(len, str(found).splitlines())) <= 76


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("device", [T4, H200], ids=["T4", "H200"])
def test_on_a_gpu_each_way_runs_or_says_why_not(name, device):
    asked = benchmarks.question(name)
    for size in [*asked.sizes["cuda"], *asked.sizes.get("live cuda", [])]:
        for way in asked.ways(device).values():
            said = way.why_not(device, size, live=True)
            assert said is None or len(said.split()) >= 4
        assert asked.operations(size, asked.baseline) > 0
        assert name != "decode" or asked.moved(size, "grouped", device) >= 2**27  # no cache


def test_what_a_t4_can_and_what_a_page_does_not_compile_or_let_hang(monkeypatch):
    def can(name, device, live):
        size = {"n": 8192, "d": 128, "causal": True}
        ways = benchmarks.question(name).ways(device).items()
        return {key for key, way in ways if way.why_not(device, size, live) is None}

    assert can("forward", T4, True) == {"eager", "chunked", "sdpa", "sdpa efficient"}
    monkeypatch.setattr(Device, "why_not", lambda self, feature: None)
    alive, recorded = (can("forward", H200, live) for live in (True, False))
    assert recorded - alive == {"flex", "compiled"}
    alive, recorded = (can("ladder", H200, live) for live in (True, False))
    assert recorded - alive == {"warp specialisation"}


def test_the_operations_of_training_are_three_times_those_of_the_layer():
    size = {"n": 20, "d": 8, "batch": 3}
    counted = benchmarks.question("recurrence").operations(size, "recurrent")
    assert counted == 3 * 3 * layer_costs("rnn", 20, 8).operations


@pytest.mark.parametrize("device", [CPU, H200], ids=["float32", "bfloat16"])
def test_bytes_are_those_of_the_roofline_and_of_the_format(device):
    asked = benchmarks.question("forward")
    size = {"n": 96, "d": 8, "heads": 3, "batch": 5, "causal": False}
    dtype = str(device.dtype).removeprefix("torch.")
    shape = {"n": 96, "d": 8, "heads": 3, "batch": 5, "dtype": dtype}
    for way, form in {"eager": "naive", "triton": "tiled", "sdpa flash": "tiled"}.items():
        moved = ac.attention_work(form, **shape, cache=10**9).moved
        log_sums = 4 * 96 * 3 * 5 if form == "tiled" else 0  # kept for a backward pass
        assert asked.moved(size, way, device) == moved - log_sums
    causal = {**size, "causal": True}
    fused, skipped, whole = (asked.moved(causal, w, device) for w in ("sdpa", "tiled", "eager"))
    assert fused < skipped < whole == asked.moved(size, "eager", device)


def test_copies_of_keys_are_bytes_also_where_a_gpu_has_no_kernel_for_shared_keys(monkeypatch):
    monkeypatch.setattr("attention_course.measure.device._has_cudnn", lambda: True)
    asked, size = benchmarks.question("decode"), {"batch": 2, "heads": 6, "n": 48, "d": 16}
    once = 2 * 2 * 2 * 48 * 16 * 4
    shared, own = {**size, "kv_heads": 2}, {**size, "kv_heads": 6}
    assert asked.moved(shared, "grouped", CPU) == asked.moved(shared, "sdpa", CPU) == once
    assert asked.moved(shared, "repeated", CPU) == once + 2 * 3 * once  # written, read again
    assert asked.moved(own, "repeated", CPU) == 3 * once
    assert asked.moved(shared, "sdpa", H200) == once // 2
    assert asked.moved(shared, "sdpa", T4) == asked.moved(shared, "repeated", T4)


SIZE = benchmarks.question("pictures").sizes["cpu"][0] | {"batch": 3}


@torch.no_grad()
def test_pictures_are_read_by_the_courses_vision_transformer_without_biases():
    model = VisionTransformer(np.random.RandomState(0), *FINE).double()
    patches, E, P, W, W_1, W_2, out = pictures._inputs(SIZE, CPU, torch.float64)
    state = {"E.weight": E, "P": P, "cls": torch.zeros(48), "out.weight": out}
    for i, matrices in enumerate(W):
        names = ("attention.W_q", "attention.W_k", "attention.W_v", "attention.W_o")
        names += ("feed_forward.W_1", "feed_forward.W_2")
        for name, M in zip(names, (*matrices, W_1[i], W_2[i]), strict=True):
            state[f"blocks.{i}.{name}.weight"] = M
    for name, parameter in model.named_parameters():
        norm = "norms" in name or name.startswith("end")
        plain = torch.ones_like if norm and name.endswith("weight") else torch.zeros_like
        parameter.copy_(state.get(name, plain(parameter)))
    found = pictures.classify(naive_attention, 4, patches, E, P, W, W_1, W_2, out)
    torch.testing.assert_close(found, model.read(patches)[0], rtol=0, atol=1e-10)


def test_the_operations_on_pictures_are_those_that_torch_counts():
    inputs = [x.requires_grad_() for x in pictures._inputs(SIZE, CPU, torch.float32)]
    with FlopCounterMode(display=False) as counter:
        pictures.classify(naive_attention, SIZE["heads"], *inputs).sum().backward()
    asked = benchmarks.question("pictures")
    assert counter.get_total_flops() == asked.operations(SIZE, "eager")


def test_an_unknown_question_and_no_time_are_refused():
    with pytest.raises(ValueError, match=r"question: expected one of \['forward', .* 'speed'"):
        benchmarks.question("speed")
    with pytest.raises(ValueError, match="run: expected seconds above zero, got 0"):
        benchmarks.run("forward", device=CPU, seconds=0)
