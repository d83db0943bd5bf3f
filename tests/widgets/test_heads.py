"""The heads widget in Python: what it shows, and what it refuses."""

import numpy as np
import pytest
import torch

from attention_course.data.covered_letters import cover_every_letter, letter_words
from attention_course.data.tensors import load_checkpoint
from attention_course.models.experiments.covered_letters import CoveredLetterModel, loss_without
from attention_course.widgets import HeadsSideBySide
from attention_course.widgets.heads import pack_heads

ARRAYS, ABOUT = load_checkpoint("heads/covered_letters")
WORDS = letter_words(np.random.RandomState(0))[1][:30]


def widget(**more):
    return HeadsSideBySide(models=pack_heads(ARRAYS), words=WORDS, **more)


def model(n_heads):
    arrays = {
        name.partition(".")[2]: array
        for name, array in ARRAYS.items()
        if name.startswith(f"{n_heads}.")
    }
    return CoveredLetterModel(n_heads, np.random.RandomState(0)).put(arrays).double()


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_it_shows_what_the_trained_torch_model_does(n_heads):
    numbers, trained = widget(n_heads=n_heads, silent=[0]).readouts(), model(n_heads)
    batch = cover_every_letter(["attention"])
    row = torch.from_numpy(batch.tokens)[3:4], torch.tensor([4])
    keep = torch.arange(n_heads) > 0
    with torch.no_grad():
        logits, weights = trained(*row, keep=keep)
    np.testing.assert_allclose(numbers["chances"], logits.softmax(1)[0], atol=1e-12)
    np.testing.assert_allclose(numbers["weights"][:, :11], weights[0], atol=1e-12)
    tested = cover_every_letter(WORDS)
    whole = loss_without(trained, tested)
    assert numbers["loss"] == pytest.approx(whole, abs=1e-12)
    assert numbers["loss_now"] == pytest.approx(loss_without(trained, tested, (0,)), abs=1e-12)
    last = loss_without(trained, tested, (n_heads - 1,)) - whole
    assert numbers["costs"][-1] == pytest.approx(last, abs=1e-12)


@torch.no_grad()
@pytest.mark.parametrize("blade", ["zero", "mean", "other"])
def test_a_head_is_replaced_before_torchs_output_projection(blade):
    words, trained, kept = ["head", "order", "under"], model(4), []
    batch = cover_every_letter(words)
    W_o = trained.attention.W_o
    handle = W_o.register_forward_pre_hook(lambda m, given: kept.append(given[0]))
    trained(torch.from_numpy(batch.tokens), torch.from_numpy(batch.positions))
    handle.remove()
    # Of the next word that has such a place; "head" has no fifth letter.
    rows = [(w, i) for w in words for i in range(1, len(w) + 1)]
    following = {"head": "order", "order": "under", "under": "head"}
    others = [
        rows.index((following[w] if (w, i) != ("under", 5) else "order", i)) for w, i in rows
    ]
    put = {"zero": 0 * kept[0], "mean": kept[0].mean(0).expand_as(kept[0])}
    put["other"] = kept[0][others]

    def cut(module, given):
        (x,) = given
        instead = put[blade][: len(x), :, 8:16]
        return (torch.cat([x[..., :8], instead, x[..., 16:]], -1),)

    handle = W_o.register_forward_pre_hook(cut)
    wanted = loss_without(trained, batch)
    handle.remove()
    shown = HeadsSideBySide(models=pack_heads(ARRAYS), words=words, silent=[1], blade=blade)
    numbers = shown.readouts()
    assert numbers["loss_now"] == pytest.approx(wanted, abs=1e-12)
    assert numbers["costs"][1] == pytest.approx(wanted - numbers["loss"], abs=1e-12)
    typed = HeadsSideBySide(
        models=pack_heads(ARRAYS), words=words, word="head", place=1, silent=[1], blade=blade
    )
    handle = W_o.register_forward_pre_hook(cut)
    one = torch.from_numpy(batch.tokens)[:1], torch.from_numpy(batch.positions)[:1]
    logits, _ = trained(*one)
    handle.remove()
    np.testing.assert_allclose(typed.readouts()["chances"], logits.softmax(1)[0], atol=1e-12)


def test_the_weights_name_the_script_that_made_them():
    assert ABOUT == {"script": "benchmarks/multi_head.py", "seed": "0"}


def test_silencing_a_head_leaves_the_weights_of_the_others_alone():
    whole, part = widget().readouts(), widget(silent=[1, 2]).readouts()
    np.testing.assert_array_equal(whole["weights"], part["weights"])
    assert np.abs(whole["chances"] - part["chances"]).max() > 0.01
    assert whole["loss"] == part["loss"] == whole["loss_now"] != part["loss_now"]


def test_a_place_beyond_the_word_is_its_last_letter():
    np.testing.assert_array_equal(
        widget(word="head", place=9).readouts()["chances"],
        widget(word="head", place=4).readouts()["chances"],
    )


def test_the_fallback_says_what_the_reference_says():
    shown = widget()
    numbers = shown.readouts()
    right = numbers["chances"][ord("e") - ord("a")]
    assert f"att_ntion</em> the model with 4 heads gives e a chance of {right:.3f}" in (
        shown.fallback
    )
    assert f"{numbers['loss']:.3f} nats" in shown.fallback
    assert shown.fallback.count("<tr>") == 1 + 4
    assert "the model with 1 head gives" in widget(n_heads=1).fallback


def test_what_is_packed_can_be_unpacked():
    p = widget(n_heads=8)._arrays()
    for name, array in p.items():
        np.testing.assert_array_equal(array, ARRAYS[f"8.{name}"])


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("word", "Attention", "a word of 4 to 12 letters a to z"),
        ("word", "the", "a word of 4 to 12 letters"),
        ("place", 0, "a whole number from 1 to 12"),
        ("n_heads", 3, "one of 1, 2, 4, 8"),
        ("n_heads", 99, "a whole number from 1 to 16"),
        ("silent", [-1], "a list of heads from 0 to 15"),
        ("blade", "cut", "one of 'zero', 'mean', 'other'"),
    ],
)
def test_a_bad_trait_is_refused_with_what_was_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"HeadsSideBySide: {trait} must be {expected}"):
        widget(**{trait: bad})


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match="pack_heads: arrays must have names such"):
        pack_heads({"W_q": np.ones((2, 2))})
    with pytest.raises(ValueError, match="pack_heads: arrays must have the same shapes"):
        pack_heads({"1.b_1": np.ones(2), "2.b_1": np.ones(3)})
