"""The image looker in Python: torch's logits, its cuts, its fallback."""

import numpy as np
import pytest
import torch

from attention_course.data.packed import pack_image_model
from attention_course.models.cuts import cut_parts, part_outputs
from attention_course.models.experiments.vision_transformer import (
    FINE,
    VisionTransformer,
    load_vision_transformer,
    without_head,
)
from attention_course.widgets import ImageLooker
from attention_course.widgets.image_looker.classify import classify, load, picture

PICTURES = np.stack([picture(i, []) for i in range(10)])


@pytest.fixture(scope="module")
def packed():
    """Torch's model with the weights that travel."""
    model = VisionTransformer(np.random.RandomState(0), *FINE).double()
    own = {k: v for k, v in load().items() if k != "pictures" and not k.startswith("means.")}
    arrays = {k: torch.from_numpy(v) for k, v in own.items()}
    model.load_state_dict(arrays)
    return model.eval()


@torch.no_grad()
def test_logits_and_weights_are_torchs(packed):
    logits, weights = packed(torch.from_numpy(PICTURES))
    for i, pixels in enumerate(PICTURES):
        found, looks = classify(pixels)
        np.testing.assert_allclose(found, logits[i], rtol=0, atol=1e-8)
        np.testing.assert_allclose(looks, torch.stack(weights)[:, i], rtol=0, atol=1e-8)


@torch.no_grad()
def test_every_cut_is_torchs(packed):
    tokens = packed.tokens(torch.from_numpy(PICTURES[:1]))
    covered = tokens.clone()
    covered[:, 24] = 0
    swapped = tokens.clone()
    swapped[:, [3, 30]] = tokens[:, [30, 3]]
    silenced = without_head(packed, 1, 2)
    rows = (
        ({"covered": [24]}, packed.read(covered)),
        ({"swapped": [3, 30]}, packed.read(swapped)),
        ({"silent": [6]}, silenced.read(tokens)),
    )
    plain = classify(PICTURES[0])[0]
    for cut, (logits, _) in rows:
        found = classify(PICTURES[0], **cut)[0]
        np.testing.assert_allclose(found, logits[0], rtol=0, atol=1e-8)
        assert abs(found - plain).max() > 1e-4


@torch.no_grad()
@pytest.mark.parametrize("blade", ["zero", "mean", "other"])
def test_a_patch_and_a_head_are_replaced_as_in_torch(packed, blade):
    image, other = torch.from_numpy(PICTURES[:2]).split(1)
    p = {name: torch.from_numpy(array) for name, array in load().items()}
    picture = {"zero": 0 * image, "mean": p["means.picture"].reshape(1, 28, 28)}
    tokens = packed.tokens(image)
    tokens[:, 24] = packed.tokens((picture | {"other": other})[blade])[:, 24]
    put = None
    if blade == "mean":
        put = {"head-2-3": p["means.context"][50:, 24:36]}
    elif blade == "other":
        put = part_outputs(packed, other)
    with cut_parts(packed, ["head-2-3"], put):
        wanted = packed.read(tokens)[0]
    found = classify(PICTURES[0], covered=[24], silent=[6], blade=blade, other=PICTURES[1])[0]
    np.testing.assert_allclose(found, wanted[0], rtol=0, atol=1e-8)


@torch.no_grad()
def test_eight_bits_cost_little(packed):
    whole = load_vision_transformer()[0].double()
    a, b = (model(torch.from_numpy(PICTURES))[0] for model in (packed, whole))
    assert (a - b).abs().max() < 0.2
    assert torch.equal(a.argmax(1), b.argmax(1))
    assert len(pack_image_model()) < 100_000


def test_nothing_is_said_before_it_is_asked_for_or_of_an_empty_drawing():
    assert ImageLooker().readouts() == {}
    assert ImageLooker(loaded=True, picture=10).readouts() == {}
    drawn = ImageLooker(loaded=True, picture=10, drawn=[400, 401]).readouts()
    assert sum(drawn[f"chance-{i}"] for i in range(10)) == pytest.approx(1)
    assert sum(drawn[f"weight-{i}"] for i in range(50)) == pytest.approx(1)


def test_the_map_is_the_chosen_heads_or_the_mean():
    _, weights = classify(PICTURES[9])
    one = ImageLooker(loaded=True, picture=9, layer=1, head=3, asks=7).readouts()
    mean = ImageLooker(loaded=True, picture=9, layer=2, head=0, asks=0).readouts()
    for j in range(50):
        assert one[f"weight-{j}"] == pytest.approx(weights[0, 2, 7, j])
        assert mean[f"weight-{j}"] == pytest.approx(weights[1, :, 0, j].mean())


def test_one_patch_alone_changes_places_with_none():
    one, none = (ImageLooker(loaded=True, swapped=pair).readouts() for pair in ([3], []))
    assert one == none


@pytest.mark.parametrize(
    ("trait", "bad"),
    [
        ("picture", 11),
        ("layer", 3),
        ("head", -1),
        ("asks", 50),
        ("covered", [49]),
        ("swapped", [1, 2, 3]),
        ("silent", [8]),
        ("blade", "mask"),
        ("drawn", [784]),
        ("loaded", 1),
    ],
)
def test_a_bad_value_is_refused(trait, bad):
    with pytest.raises(ValueError, match=trait):
        ImageLooker(**{trait: bad})


def test_the_fallback_has_every_class():
    text = ImageLooker().fallback
    assert all(name in text for name in ("ankle boot", "trousers", "probability"))
