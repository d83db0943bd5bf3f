"""The captioner and the asker of two garments: what is new beside those of the chapters."""

import numpy as np
import pytest
import torch

from attention_course.data.vocabulary import END, PAD
from attention_course.data.world.pictured import draw_pictured
from attention_course.models.experiments.asking import answer_loss
from attention_course.models.experiments.captioning import (
    Captioner,
    GridEncoder,
    caption_loss,
)
from attention_course.models.experiments.two_garments import (
    ASKED,
    LONGEST,
    PictureAsker,
    about_of,
    asked_of_pictures,
    cover_half,
    share_where,
    told_tensors,
    words_of_scenes,
)

SEEN = draw_pictured(np.random.RandomState(0), 8)
SIZES = {language: len(words_of_scenes(language)) for language in ("english", "french")}


def small(kind, way, seed=0):
    torch.manual_seed(seed)
    return kind(way, np.random.RandomState(seed), GridEncoder(8), SIZES["english"], 32)


def test_a_cell_sees_eighteen_pixels_a_side():
    torch.manual_seed(0)
    picture = torch.rand(1, 3, 28, 56, requires_grad=True)
    GridEncoder(32)(picture)[0, 3 * 14 + 6].abs().sum().backward()  # row 3, column 6
    seen = picture.grad[0].abs().sum(0) > 0
    for along, first in ((1, 4 * 3), (0, 4 * 6)):
        places = seen.any(along).nonzero()[:, 0]
        assert first - 7 <= places.min() <= places.max() <= first + 10


def test_what_a_cell_sees_does_not_drown_its_place():
    torch.manual_seed(0)
    vectors = GridEncoder(8)(1000 * torch.from_numpy(SEEN.pictures))
    seen, places = vectors.tensor_split([-2], -1)
    torch.testing.assert_close(seen.detach().mean(-1), torch.zeros(8, 98), rtol=0, atol=1e-4)
    assert seen.detach().var(-1, correction=0).max() == pytest.approx(1, abs=1e-4)
    assert places.amin((0, 1)).tolist() == [-1, -1]
    assert places.amax((0, 1)).tolist() == [1, 1]


def test_the_encoder_names_each_half_by_that_half():
    torch.manual_seed(0)
    encoder, pictures = GridEncoder(8), torch.from_numpy(SEEN.pictures)
    moved = pictures.clone()
    moved[..., 28 + 8 :] = 0  # far enough from the left half
    for before, after in zip(encoder.names(pictures), encoder.names(moved), strict=True):
        torch.testing.assert_close(before[:, 0], after[:, 0])
        assert not torch.allclose(before[:, 1], after[:, 1])


@pytest.mark.parametrize("kind", [Captioner, PictureAsker])
def test_all_but_the_encoder_learns_and_even_weights_have_the_same_parameters(kind):
    way = "soft" if kind is Captioner else "two looks"
    model, even = small(kind, way).train(), small(kind, "even")
    batch = told_tensors(SEEN) if kind is Captioner else asked_of_pictures(SEEN)
    (caption_loss if kind is Captioner else answer_loss)(model, batch).backward()
    for name, parameter in model.named_parameters():
        taught = parameter.grad is not None and bool(parameter.grad.abs().max() > 0)
        assert taught == (not name.startswith("encoder.")), name
    one, two = model.state_dict(), even.state_dict()
    assert one.keys() == two.keys()
    assert all(torch.equal(one[key], two[key]) for key in one)
    weights = even(*batch[:2]).weights
    torch.testing.assert_close(weights, torch.full_like(weights, 1 / 98))


def test_questions_of_the_same_words_in_another_order_are_others():
    model = small(PictureAsker, "two looks")
    words = words_of_scenes("english")
    asked = [
        words.encode(f"is the {one} ?".split()) for one in ("red coat big", "big coat red")
    ]
    pictures = torch.from_numpy(SEEN.pictures[:2])
    pictures[1] = pictures[0]
    logits = model(pictures, torch.tensor(asked)).logits
    assert not torch.allclose(logits[0], logits[1])


@pytest.mark.parametrize("language", SIZES)
def test_captions_end_and_questions_begin_with_filling(language):
    words = words_of_scenes(language)
    captions, questions = told_tensors(SEEN, language)[1], asked_of_pictures(SEEN, language)[1]
    assert captions.shape == (8, LONGEST)
    assert questions.shape == (8, ASKED)
    for n, (caption, question) in enumerate(zip(captions, questions, strict=True)):
        said = getattr(SEEN.captions[n], language)
        assert words.decode(caption.tolist()) == [*said]
        assert set(caption[len(said) :].tolist()) == {END}
        asked = [number for number in question.tolist() if number != PAD]
        assert words.decode(asked) == [*getattr(SEEN.questions[n], language)]
        assert question[-1] != PAD
        garments = [*about_of(SEEN, language)[n]]
        assert [garments.count(side) for side in (0, 1)] == [
            3 - (g.kind == "trousers") for g in SEEN.garments[n]
        ]


def test_a_blade_covers_one_garment_and_leaves_the_other():
    pictures = torch.from_numpy(SEEN.pictures)
    which = np.arange(8) % 2
    for blade in ("zero", "mean", "other"):
        covered = cover_half(pictures, which, blade)
        for n, side in enumerate(which):
            half = [slice(28), slice(28, 56)]
            there, kept = half[side], half[1 - side]
            assert torch.equal(covered[n, ..., kept], pictures[n, ..., kept])
            put = {
                "zero": torch.zeros(3, 28, 28),
                "mean": pictures.mean(0)[..., there],
                "other": pictures[(n + 1) % 8, ..., there],
            }[blade]
            torch.testing.assert_close(covered[n, ..., there], put)
    with pytest.raises(ValueError, match="cover_half: blade must be one of"):
        cover_half(pictures, which, "blunt")


def test_the_share_is_counted_on_the_garment_that_a_word_names():
    cells = np.array([[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 1, 0]]], dtype=bool)
    weights = np.array([[[0.5, 0.3, 0.2], [1, 0, 0]], [[0, 0, 1], [0.1, 0.2, 0.7]]])
    found = share_where(weights, cells, np.array([[1, -1], [0, 1]]))
    assert found == pytest.approx({"own": (0.3 + 1 + 0.3) / 3, "other": (0.5 + 0 + 0.7) / 3})
