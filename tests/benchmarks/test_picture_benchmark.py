"""The benchmark of pictures: it is the course's model, and its work is what was counted."""

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from attention_course.benchmarks import Variant, run
from attention_course.benchmarks.pictures import Pictures, classify
from attention_course.benchmarks.results import QUANTITIES
from attention_course.kernels import naive_attention
from attention_course.measure import this_device
from attention_course.models.experiments.vision_transformer import FINE, VisionTransformer

CPU = this_device("cpu")
SIZE = Pictures.sizes["cpu"][0] | {"batch": 3}


@torch.no_grad()
def test_it_is_the_courses_vision_transformer_without_biases():
    model = VisionTransformer(np.random.RandomState(0), *FINE).double()
    patches, E, P, W, W_1, W_2, out = Pictures().inputs(SIZE, CPU, torch.float64)
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
    for attend in (naive_attention, torch.nn.functional.scaled_dot_product_attention):
        found = classify(attend, 4, patches, E, P, W, W_1, W_2, out)
        torch.testing.assert_close(found, model.read(patches)[0], rtol=0, atol=1e-10)


def test_the_operations_are_those_that_torch_counts():
    bench = Pictures()
    inputs = [x.requires_grad_() for x in bench.inputs(SIZE, CPU, torch.float32)]
    with FlopCounterMode(display=False) as counter:
        classify(naive_attention, SIZE["heads"], *inputs).sum().backward()
    assert counter.get_total_flops() == bench.operations(SIZE, "eager")


def test_both_ways_agree_and_pictures_a_second_are_told():
    found = run("pictures", device=CPU, sizes="tiny", seconds=0.2)
    assert {v["variant"] for v in found.equivalence if v["holds"]} == {"eager", "sdpa"}
    row = found.row("sdpa")
    assert QUANTITIES["pictures/s"][0](row) == 2 / row["seconds"]["value"]


def test_a_way_that_forgets_the_scale_is_not_timed(monkeypatch):
    theirs = Pictures.variants

    def variants(self, device):
        def unscaled(size):
            attend = torch.nn.functional.scaled_dot_product_attention
            wrong = lambda q, k, v: attend(q, k, v, scale=1.0)  # noqa: E731
            return lambda *inputs: classify(wrong, size["heads"], *inputs)

        return theirs(self, device) | {"unscaled": Variant(unscaled)}

    monkeypatch.setattr(Pictures, "variants", variants)
    found = run("pictures", device=CPU, sizes="tiny", seconds=0.2)
    assert found.row("unscaled")["why_not"] == "failed: it is not equal"
    assert "seconds" in found.row("sdpa")
