"""Cutting a source word: nothing of it is left, and nothing else is changed by hand."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.models.cuts import BLADES
from attention_course.models.translators.word_cuts import cut_words, weight_on

SOURCE = torch.tensor([[3, 4, 5, 4], [5, 3, 4, 0]])
LENGTHS, TARGET = torch.tensor([4, 3]), torch.tensor([[1, 4, 5], [1, 6, 3]])
CUT = torch.zeros(2, 4, dtype=torch.bool)
CUT[0, 1] = True
KINDS = {
    "bahdanau": lambda rng: m.BahdanauSeq2Seq(6, 7, rng, 3, 4, 5, 8, 2),
    "luong": lambda rng: m.LuongSeq2Seq(6, 7, rng, 3, 4),
    "local": lambda rng: m.LuongSeq2Seq(6, 7, rng, 3, 4, scope="local-m", D=2),
    "gnmt": lambda rng: m.GNMT(6, 7, rng, depth=2, width=4),
    "transformer": lambda rng: m.Transformer(6, 7, rng, 8, 2, 16, 2),
}


def model_of(kind: str) -> torch.nn.Module:
    return KINDS[kind](np.random.RandomState(0)).eval()


def followed(model: torch.nn.Module, where: torch.Tensor = CUT, blade: str = "") -> tuple:
    with torch.no_grad():
        if not blade:
            return model.follow(SOURCE, LENGTHS, TARGET)
        with cut_words(model, where, blade):
            return model.follow(SOURCE, LENGTHS, TARGET)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_looks_at_a_word_that_is_forbidden(kind):
    model = model_of(kind)
    before, after = followed(model)[1], followed(model, blade="zero")[1]
    assert (before[0, ..., 1] > 0).any()
    assert (after[0, ..., 1] == 0).all()
    if kind != "local":  # whose window is not normalised again behind its Gaussian
        left = before[0].clone()
        left[..., 1] = 0
        if kind != "transformer":  # whose second block asks otherwise by then
            first = left[..., :1, :] / left[..., :1, :].sum(-1, keepdim=True)
            torch.testing.assert_close(after[0, ..., :1, :], first)
        torch.testing.assert_close(after[0].sum(-1), torch.ones_like(after[0].sum(-1)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blade", BLADES)
def test_a_cut_changes_its_own_sentence_alone_and_is_undone(kind, blade):
    model = model_of(kind)
    whole, cut, again = followed(model)[0], followed(model, blade=blade)[0], followed(model)[0]
    assert not torch.allclose(cut[0], whole[0])
    torch.testing.assert_close(cut[1], whole[1])
    torch.testing.assert_close(again, whole)
    assert "read" not in vars(model)


def test_the_mean_and_the_other_stand_where_the_word_stood():
    """By hand: two sentences, of two words and of one, a vector of two numbers for each."""
    model = model_of("luong")
    states = torch.tensor([[[1.0, 2.0], [3.0, 4.0]], [[8.0, 0.0], [99.0, 99.0]]])
    where = torch.tensor([[False, True], [False, False]])

    def read(source, lengths):
        memory = type(model).read(model, source, lengths)[1]
        return None, type(memory)(states, memory.mask)

    model.read = read
    for blade, expected in [("mean", [4.0, 2.0]), ("other", [8.0, 0.0]), ("zero", [3.0, 4.0])]:
        with cut_words(model, where, blade):
            memory = model.read(torch.tensor([[3, 4], [5, 0]]), torch.tensor([2, 1]))[1]
        assert memory.states[0].tolist() == [[1.0, 2.0], expected]
        assert memory.states[1].tolist() == states[1].tolist()
        assert memory.mask.tolist() == [[True, blade != "zero"], [True, False]]
    assert model.read is read


WEIGHTS = np.array([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]])
SOME = [frozenset({1, 2}), frozenset(), frozenset({0})]


def test_weight_on_places_by_hand():
    assert weight_on(WEIGHTS, SOME) == pytest.approx((0.5 + 1) / 2)
    assert weight_on(WEIGHTS, [frozenset()] * 3) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda rows: sum(part.sum() for part in rows) / len(WEIGHTS),
        lambda rows: np.mean([part.max() for part in rows]),
        lambda rows: np.mean([part.mean() for part in rows]),
    ],
    ids=["words without places count", "the largest alone", "a mean over the places"],
)
def test_other_ways_to_count_differ(wrong):
    rows = [row[sorted(at)] for row, at in zip(WEIGHTS, SOME, strict=True) if at]
    assert wrong(rows) != pytest.approx(weight_on(WEIGHTS, SOME))
