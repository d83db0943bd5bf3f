"""One look-up model and one translator with any score function."""

import numpy as np
import pytest
import torch

from attention_course import reference
from attention_course.layers.recurrent.score_table import SCORE_NAMES, make_score
from attention_course.models.experiments.lookup import (
    lookup_accuracy,
    lookup_loss,
    lookup_tensors,
)
from attention_course.models.experiments.score_comparison import (
    LookupWithScore,
    Seq2SeqWithScore,
)
from attention_course.models.translators.bahdanau import BahdanauSeq2Seq
from attention_course.training import fit

SIZES = {"embedding": 3, "encoder": 4, "decoder": 8, "maxout": 2}


def translator(name, **sizes):
    return Seq2SeqWithScore(name, 9, 7, np.random.RandomState(0), **(SIZES | sizes)).double()


def batch():
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    return source, torch.tensor([4, 2]), torch.tensor([[1, 4, 5], [1, 6, 3]])


@pytest.mark.parametrize("name", SCORE_NAMES)
def test_padding_gets_no_weight_and_changes_nothing(name):
    model, (source, lengths, target) = translator(name), batch()
    logits, weights = model.follow(source, lengths, target)
    assert torch.all(weights[1, :, 2:] == 0)
    alone, _ = model.follow(source[1:, :2], lengths[1:], target[1:])
    torch.testing.assert_close(alone[0], logits[1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", SCORE_NAMES)
def test_only_the_score_differs_between_the_models(name):
    model, other = translator(name), translator("dot")
    own = {n for n, _ in model.named_parameters() if not n.startswith("attention")}
    assert own == {n for n, _ in other.named_parameters()}
    assert [type(m) for m in model.children()] == [type(m) for m in other.children()]


def test_with_the_additive_score_it_is_bahdanaus_model():
    ours, (source, lengths, target) = translator("additive"), batch()
    theirs = BahdanauSeq2Seq(9, 7, np.random.RandomState(1), alignment=8, **SIZES).double()
    names = {"attention.score.W_q.": "attention.W_a.", "attention.score.W_k.": "attention.U_a."}
    names["attention.score.w_v."] = "attention.v_a."
    weights = ours.state_dict()
    for mine, paper in names.items():
        for name in [n for n in weights if n.startswith(mine)]:
            weights[name.replace(mine, paper)] = weights.pop(name)
    theirs.load_state_dict(weights)
    for a, b in zip(
        ours.follow(source, lengths, target),
        theirs.follow(source, lengths, target),
        strict=True,
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


def test_one_step_looks_as_the_reference_says():
    model, (source, lengths, _) = translator("scaled dot"), batch()
    s, memory = model.read(source, lengths)
    context, weights = model.look(s, memory)
    wanted, alpha = reference.scaled_dot_product_attention(
        s[:, None].detach().numpy(),
        memory.annotations.detach().numpy(),
        memory.annotations.detach().numpy(),
        memory.mask[:, None].numpy(),
    )
    np.testing.assert_allclose(context.detach().numpy(), wanted[:, 0], atol=1e-10)
    np.testing.assert_allclose(weights.detach().numpy(), alpha[:, 0], atol=1e-10)


def test_the_look_up_model_scores_the_embeddings_themselves():
    model = LookupWithScore("dot", 6, np.random.RandomState(0)).double()
    words, digits, asked, _ = lookup_tensors(np.random.RandomState(1), 3)
    weights = model(words, digits, asked)[1].detach().numpy()
    x, y = model.asked.detach().numpy(), model.words.detach().numpy()
    for i in range(3):
        scores = np.array([x[asked[i]] @ y[w] for w in words[i]])
        np.testing.assert_allclose(weights[i], reference.softmax(scores), atol=1e-10)


def test_a_content_score_learns_the_look_up_and_location_cannot():
    shares = {}
    for name in ("additive", "location"):
        rng = np.random.RandomState(0)
        model = LookupWithScore(name, 16, rng)
        fit(model, lookup_tensors, lookup_loss, rng, steps=250, lr=1e-2, progress=False)
        shares[name] = lookup_accuracy(model, np.random.RandomState(1), 1000)
    assert shares["additive"] > 0.95
    assert shares["location"] < 0.4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: LookupWithScore("dot", 0, np.random.RandomState(0)),
            "LookupWithScore: d must be a positive whole number, got 0",
        ),
        (
            lambda: translator("dot", decoder=9),
            "Seq2SeqWithScore: decoder must be twice as wide",
        ),
        (lambda: translator("mean"), "make_score: name must be one of"),
        (lambda: make_score("dots", 4, 9), "make_score: name must be one of .* got 'dots'"),
    ],
)
def test_bad_sizes_and_names_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_equal_seeds_give_equal_models():
    for make in (lambda r: LookupWithScore("general", 8, r), lambda r: translator("concat")):
        one, two = make(np.random.RandomState(3)), make(np.random.RandomState(3))
        for a, b in zip(one.parameters(), two.parameters(), strict=True):
            assert torch.equal(a, b)
