"""The image looker: the weights that travel, what Node says of a state, its fallback."""

import numpy as np
import pytest
import torch

from attention_course.data.images import load_images
from attention_course.data.packed import pack_image_model, unpack_translator
from attention_course.models.experiments.vision_transformer import (
    FINE,
    VisionTransformer,
    load_vision_transformer,
)
from attention_course.widgets import ImageLooker


def described(**state):
    widget = ImageLooker(loaded=True, **state)
    return widget.described(widget.stored())


def readouts(**state):
    return described(**state)["readouts"]


@torch.no_grad()
def test_eight_bits_cost_little_and_the_page_shows_what_torch_computes_of_them():
    packed = VisionTransformer(np.random.RandomState(0), *FINE).double()
    arrays = unpack_translator(pack_image_model())[0]
    own = {name: torch.from_numpy(arrays[name]) for name in packed.state_dict()}
    packed.load_state_dict(own)
    pictures = torch.from_numpy(arrays["pictures"].astype(float)).reshape(-1, 28, 28) / 127
    whole, _ = load_vision_transformer()[0].double()(pictures)
    logits, weights = packed(pictures)
    assert (logits - whole).abs().max() < 0.2
    assert torch.equal(logits.argmax(1), whole.argmax(1))
    assert len(pack_image_model()) < 100_000
    for head, asks, layer in ((3, 7, 1), (0, 0, 2)):
        looks = weights[layer - 1][9, :, asks]
        row = looks[head - 1] if head else looks.mean(0)
        wanted = {f"chance-{i}": p for i, p in enumerate(logits[9].softmax(0).tolist())}
        wanted |= {f"weight-{j}": w for j, w in enumerate(row.tolist())}
        found = readouts(picture=9, layer=layer, head=head, asks=asks)
        assert found == pytest.approx(wanted, abs=1e-8)
    pixels = load_images("test", 10).pixels
    np.testing.assert_allclose(pictures, pixels, rtol=0, atol=0.5 / 127 + 1e-6)


def test_nothing_is_said_before_it_is_asked_for_or_of_an_empty_drawing():
    assert ImageLooker.described(ImageLooker().stored())["readouts"] == {}
    assert readouts(picture=10) == {}
    drawn = readouts(picture=10, drawn=[400, 401])
    assert sum(drawn[f"chance-{i}"] for i in range(10)) == pytest.approx(1)
    assert sum(drawn[f"weight-{i}"] for i in range(50)) == pytest.approx(1)


def test_one_patch_alone_changes_places_with_none():
    assert described(swapped=[3]) == described(swapped=[]) != described(swapped=[3, 30])


def test_the_fallback_has_every_class():
    text = ImageLooker.fallback_of(ImageLooker().stored())
    assert all(name in text for name in ("boot", "trousers", "probability"))
