"""The model that guesses covered letters: its parts, its losses, its recorded beginning."""

import numpy as np
import pytest
import torch

from attention_course.data.covered_letters import (
    CoveredLetters,
    cover_every_letter,
    letter_words,
)
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.measure import recorded
from attention_course.models.experiments.covered_letters import (
    CoveredLetterModel,
    covered_loss,
    head_contexts,
    loss_without,
)
from attention_course.models.experiments.two_targets import (
    two_targets_loss,
    two_targets_tensors,
)
from attention_course.reference.labs.covered_letters import guess_covered
from attention_course.training import fit

WORDS = ["attention", "heads", "queue", "keys"]


def model(n_heads=4, n_kv_heads=None):
    return CoveredLetterModel(n_heads, np.random.RandomState(0), n_kv_heads)


@pytest.mark.parametrize(("heads", "kv"), [(1, 1), (4, 4), (8, 2), (8, 1)])
@pytest.mark.parametrize("silent", [(), (0,)])
def test_it_is_the_reference(heads, kv, silent):
    trained, batch = model(heads, kv).double(), cover_every_letter(WORDS)
    keep = ~np.isin(np.arange(heads), silent)
    with torch.no_grad():
        logits, weights = trained(
            torch.from_numpy(batch.tokens),
            torch.from_numpy(batch.positions),
            torch.tensor(keep),
        )
    chances, expected = guess_covered(
        batch.tokens, batch.positions, trained.arrays(), heads, kv, keep
    )
    np.testing.assert_allclose(logits.softmax(1), chances, atol=1e-10, rtol=0)
    np.testing.assert_allclose(weights, expected, atol=1e-10, rtol=0)
    right = chances[np.arange(len(batch.answers)), batch.answers]
    assert loss_without(trained, batch, silent) == pytest.approx(
        -np.log(right).mean(), abs=1e-10
    )


def test_a_mean_or_another_words_context_stands_in_place_of_a_head():
    trained, batch = model().double(), cover_every_letter(WORDS)
    own = head_contexts(trained, batch)
    whole = loss_without(trained, batch)
    assert loss_without(trained, batch, (1, 2), own) == pytest.approx(whole, abs=1e-12)
    mean = own.mean(0)
    zeroed = CoveredLetterModel(4, np.random.RandomState(0)).double()
    with torch.no_grad():  # a head that is zero, and the mean as a constant behind W_o
        columns = zeroed.attention.W_o.weight[:, 8:16].clone()
        zeroed.attention.W_o.weight[:, 8:16] = 0
    handle = zeroed.attention.W_o.register_forward_hook(
        lambda module, given, out: out + columns @ mean[1]
    )
    by_hand = loss_without(zeroed, batch)
    handle.remove()
    assert loss_without(trained, batch, (1,), mean) == pytest.approx(by_hand, abs=1e-12)
    losses = {loss_without(trained, batch, (1,), put) for put in (None, mean, own.flip(0))}
    assert len(losses | {whole}) == 4


def test_its_gradients_are_those_of_finite_differences():
    trained, batch = model().double(), cover_every_letter(WORDS)
    covered_loss(trained, batch).backward()
    for name in ("W_q", "W_k", "W_v", "W_o"):
        weight = getattr(trained.attention, name).weight
        slopes = []
        for sign in (1, -1):
            with torch.no_grad():
                weight[3, 5] += sign * 1e-6
                slopes.append(covered_loss(trained, batch).item())
                weight[3, 5] -= sign * 1e-6
        slope = (slopes[0] - slopes[1]) / 2e-6
        assert weight.grad[3, 5].item() == pytest.approx(slope, abs=1e-8)
        assert abs(slope) > 1e-7


def test_what_it_hands_out_it_takes_back():
    one, other = model(), CoveredLetterModel(4, np.random.RandomState(1))
    other.put(one.arrays(np.float32))
    assert all(
        torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True)
    )


def test_silencing_leaves_the_model_as_it_was():
    trained, batch = model(), cover_every_letter(WORDS)
    before = [p.clone() for p in trained.parameters()]
    whole = loss_without(trained, batch)
    assert loss_without(trained, batch, (0, 1, 2, 3)) != whole
    assert loss_without(trained, batch) == whole
    assert all(torch.equal(a, b) for a, b in zip(before, trained.parameters(), strict=True))


def test_bad_arguments_are_refused():
    batch = cover_every_letter(WORDS)
    with pytest.raises(ValueError, match="loss_without: silenced must be heads from 0 to 3"):
        loss_without(model(), batch, (4,))
    x, wanted = two_targets_tensors(np.random.RandomState(0), 2)
    with pytest.raises(ValueError, match="two_targets_loss: wanted must have width 8, got"):
        two_targets_loss(MultiHeadAttention(16, 1), (x, wanted[..., :3]))


RUNS, ABOUT = recorded("multi_head")


@pytest.mark.parametrize(("heads", "kv"), [(1, 1), (4, 4), (8, 1)])
def test_the_recorded_training_begins_like_this_one(heads, kv):
    setting = ABOUT["settings"]
    train, _ = letter_words(np.random.RandomState(0))
    for run in (r for r in RUNS if (r["heads"], r["kv_heads"]) == (heads, kv)):
        seed = run["seed"]
        trained = CoveredLetterModel(heads, np.random.RandomState(seed), kv)
        history = fit(
            trained,
            CoveredLetters(train, setting["batch"]).draw,
            covered_loss,
            np.random.RandomState(1000 + seed),
            steps=3,
            lr=setting["lr"],
            progress=False,
        )
        assert history.losses == pytest.approx(run["first_losses"], abs=1e-4)
        assert run["weights"] == sum(p.numel() for p in trained.parameters())


def test_the_recorded_runs_are_complete():
    assert ABOUT["seeds"] == [0, 1, 2]
    designs = [(1, 1), (2, 2), (4, 4), (8, 8), (16, 16), (8, 2), (8, 1)]
    assert [(r["seed"], r["heads"], r["kv_heads"]) for r in RUNS] == [
        (seed, *design) for seed in (0, 1, 2) for design in designs
    ]
    for run in RUNS:
        assert run["validation"][-1][0] == sum(
            ABOUT["settings"][n] for n in ("steps", "more_steps")
        )
        assert sorted(run["silenced"]["order"]) == list(range(run["heads"]))
        assert np.allclose(run["silenced"]["whole"], run["validation"][-1][1], atol=1e-3)


def test_the_shipped_weights_give_the_recorded_losses():
    from attention_course.data.tensors import load_checkpoint

    arrays, _ = load_checkpoint("heads/covered_letters")
    watched = cover_every_letter(letter_words(np.random.RandomState(0))[1][:300])
    for heads in (1, 2, 4, 8):
        own = {n.partition(".")[2]: a for n, a in arrays.items() if n.startswith(f"{heads}.")}
        trained = model(heads).put(own)
        run = next(r for r in RUNS if r["seed"] == 0 and r["heads"] == r["kv_heads"] == heads)
        assert loss_without(trained, watched) == pytest.approx(
            run["silenced"]["whole"], abs=0.01
        )
        silent = loss_without(trained, watched, (0,))
        assert silent == pytest.approx(run["silenced"]["without"][0], abs=0.01)
