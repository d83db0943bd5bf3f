"""The heads of the Vision Transformer are worth what the record says, by three blades."""

import cut_images as script
import numpy as np
import pytest
import torch
from records import the_run

from attention_course.data.images import load_images
from attention_course.data.tensors import load_checkpoint
from attention_course.measure import recorded
from attention_course.models import load_vision_transformer
from attention_course.models.cuts import BLADES

WORTH, ABOUT = recorded("cut_images")


def test_every_head_is_on_record_by_every_blade_and_zero_is_what_was_scored():
    model, _ = load_vision_transformer()
    assert ABOUT["pictures"] == len(load_images("test").pixels)
    assert {*WORTH} == {"none", *script.heads_of(model)}
    assert all({*WORTH[head]} == {*BLADES} for head in script.heads_of(model))
    scored = the_run("vision_transformer", model="fine", size=4000, seed=0)
    zeros = [[WORTH[f"head-{la}-{h}"]["zero"] for h in range(1, 5)] for la in (1, 2)]
    assert np.abs(np.array(zeros) - scored["silent"]).max() <= 0.002
    assert abs(WORTH["none"] - scored["test"]) <= 0.002


@torch.no_grad()
def test_a_head_by_its_mean_and_by_another_pictures_comes_again():
    model, _ = load_vision_transformer()
    stored, _ = load_checkpoint("vision_transformer_means")
    mean = torch.from_numpy(stored["means.context"].astype("f4"))[:50, :12]
    pixels, labels = map(torch.from_numpy, load_images("test"))
    other = script.outputs(model, pixels)["head-1-1"][[*range(1, len(pixels)), 0]]
    for blade, put in (("mean", mean.expand(len(pixels), -1, -1)), ("other", other)):
        again = script.right(model, pixels, labels, "head-1-1", put)
        assert again == pytest.approx(WORTH["head-1-1"][blade], abs=0.005)
    trained = torch.from_numpy(load_images("train", 200).pixels)
    near = script.outputs(model, trained)["head-1-1"].mean(0)
    assert (near - mean).norm() < 0.2 * mean.norm() < (near.roll(1, 0) - mean).norm()
