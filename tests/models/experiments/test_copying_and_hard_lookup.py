"""The models of the chapter on local and hard attention."""

import numpy as np
import pytest
import torch

from attention_course.models import sequence_loss
from attention_course.models.experiments.copying import (
    LocalAttentionCopier,
    copy_batches,
    symbol_accuracy,
    teacher_forced,
    window_reach,
)
from attention_course.models.experiments.hard_lookup import (
    METHODS,
    HardLookup,
    hard_accuracy,
    hard_loss,
)
from attention_course.models.experiments.lookup import LookupModel, lookup_loss, lookup_tensors
from attention_course.reference.recurrent.hard import expected_reward_gradient
from attention_course.reference.recurrent.local import local_weights, predicted_centres
from attention_course.training import fit

BATCH = lookup_tensors(np.random.RandomState(1), 40)


# ---- the look-up ----


def test_soft_is_the_look_up_model_of_the_scaling_chapter():
    ours = HardLookup("soft", 8, np.random.RandomState(0))
    theirs = LookupModel("scaled", 8, np.random.RandomState(0))
    assert hard_loss(ours, BATCH).item() == pytest.approx(lookup_loss(theirs, BATCH).item())


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_start_from_the_same_weights(method):
    one, other = (HardLookup(m, 8, np.random.RandomState(0)) for m in (method, "soft"))
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)


def test_the_bound_is_the_mean_of_what_the_plain_method_samples():
    model = HardLookup("plain", 8, np.random.RandomState(0))
    weights, rewards = model.every_choice(BATCH)
    bound = HardLookup("bound", 8, np.random.RandomState(0))

    assert hard_loss(bound, BATCH).item() == pytest.approx(
        -(weights * rewards).sum(-1).mean().item(), rel=1e-6
    )


def test_the_sampled_gradient_by_the_keys_is_the_bounds_on_average():
    def gradient(model):
        model.zero_grad()
        hard_loss(model, BATCH).backward()
        return model.W_k.grad.clone()

    exact = gradient(HardLookup("bound", 8, np.random.RandomState(0)))
    model = HardLookup("baseline", 8, np.random.RandomState(0))
    model.baseline.value, model.baseline.decay = -2.8, 1.0
    sampled = torch.stack([gradient(model) for _ in range(400)])
    off = (sampled.mean(0) - exact).norm()
    chance = sampled.var(0).sum().div(400).sqrt()

    assert off < 3 * chance
    assert exact.norm() > 5 * off


def test_every_choice_gives_the_scores_gradient_of_the_bound():
    model = HardLookup("bound", 8, np.random.RandomState(0)).double()
    q, k, _, _ = model.parts(BATCH)
    scores = model.attention.score(q, k)[:, 0].detach().requires_grad_()
    _, rewards = model.every_choice(BATCH)
    (scores.softmax(-1) * rewards.detach()).sum().backward()
    wanted = expected_reward_gradient(scores.detach().numpy(), rewards.detach().numpy())
    np.testing.assert_allclose(scores.grad, wanted, atol=1e-10)


def test_a_trained_look_up_is_right_and_an_untrained_one_is_not():
    rng = np.random.RandomState(0)
    model = HardLookup("likelihood", 16, rng)
    assert hard_accuracy(model, np.random.RandomState(5)) < 0.3
    fit(model, lookup_tensors, hard_loss, rng, steps=120, lr=1e-2, progress=False)
    assert hard_accuracy(model, np.random.RandomState(5)) > 0.9


def test_only_the_papers_recipe_keeps_batches_soft_and_adds_entropy():
    kept = {
        m: (
            HardLookup(m, 4, np.random.RandomState(0)).one.soft_share,
            HardLookup(m, 4, np.random.RandomState(0)).entropy_weight,
        )
        for m in METHODS
    }
    assert kept.pop("paper's recipe") == (0.5, 0.1)
    assert set(kept.values()) == {(0.0, 0.0)}


# ---- the copier ----


def by_loops(model, source, fed):
    """The copier's logits for one string, from its arrays and ``reference.recurrent.local``."""
    p = {name: x.detach().numpy() for name, x in model.named_parameters()}
    n, d = len(source), p["symbols.weight"].shape[1]
    memory = np.stack(
        [p["symbols.weight"][x] + p["places.weight"][j] for j, x in enumerate(source)]
    )
    state = p["first.weight"][n]
    rows = []
    for t, y in enumerate(fed):
        gates = p["decoder.weight_ih_l0"] @ p["fed.weight"][y] + p["decoder.bias_ih_l0"]
        back = p["decoder.weight_hh_l0"] @ state + p["decoder.bias_hh_l0"]
        r, z = (1 / (1 + np.exp(-(gates + back)[i * d : (i + 1) * d])) for i in range(2))
        new = np.tanh(gates[2 * d :] + r * back[2 * d :])
        state = (1 - z) * new + z * state
        centre = np.array([float(t)])
        if model.kind == "local-p":
            W_p, v_p = (p[f"attention.predictor.{x}.weight"] for x in ("W_p", "v_p"))
            centre = predicted_centres(state[None], W_p, v_p[0], n)
        scores = (memory @ state)[None]
        w = local_weights(scores, centre, model.attention.D, model.kind == "local-p")
        joined = np.tanh(
            p["W_c.weight"] @ np.concatenate([w[0] @ memory, state]) + p["W_c.bias"]
        )
        rows.append(p["output.weight"] @ joined + p["output.bias"])
    return np.stack(rows)


@pytest.mark.parametrize("kind", ["local-m", "local-p"])
def test_the_copier_equals_the_loops_and_never_sees_padding(kind):
    model = LocalAttentionCopier(kind, 2, np.random.RandomState(0), d=6).double()
    source, fed = [4, 7, 3, 9, 12], [1, 4, 7, 3, 9, 12]
    padded = torch.tensor([[*source, 20, 20, 20]])
    with torch.no_grad():
        logits = model(padded, torch.tensor([5]), torch.tensor([fed]))
    np.testing.assert_allclose(logits[0], by_loops(model, source, fed), atol=1e-10)


def test_a_symbol_outside_the_window_changes_nothing():
    model = LocalAttentionCopier("local-m", 2, np.random.RandomState(0), d=6)
    one, other = torch.full((1, 9), 5), torch.full((1, 9), 5)
    other[0, 8] = 6
    fed, lengths = torch.full((1, 9), 4), torch.tensor([9])
    with torch.no_grad():
        same = (model(one, lengths, fed) == model(other, lengths, fed)).all(-1)[0]
    assert same.tolist() == [True] * 6 + [False] * 3


def test_the_predictor_learns_from_the_loss():
    batch = copy_batches("reverse", np.random.RandomState(0), 5, 4).draw(
        np.random.RandomState(0)
    )
    model = LocalAttentionCopier("local-p", 2, np.random.RandomState(0), d=6)
    sequence_loss(model, batch).backward()
    assert model.attention.predictor.v_p.weight.grad.abs().max() > 0


@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_the_reach_is_counted_as_the_task_reads(task):
    batch = copy_batches(task, np.random.RandomState(0), 1, 1).batch([4])  # length 12
    labelled = copy_batches(task, np.random.RandomState(0), 1, 1)
    labelled.sources = [list(range(3, 3 + len(s))) for s in labelled.sources]
    target = labelled.sources[4] if task == "copy" else labelled.sources[4][::-1]
    inside = [abs(labelled.sources[4].index(y) - t) <= 2 for t, y in enumerate(target)]
    assert window_reach(task, 12, 2) == pytest.approx(np.mean(inside))
    drawn = batch.source[0, :12]
    wanted = drawn if task == "copy" else drawn[::-1]
    np.testing.assert_array_equal(batch.target[0, :12], wanted)


def test_what_is_fed_is_the_target_one_step_late():
    batch = copy_batches("copy", np.random.RandomState(0), 2, 2).batch([0, 13])
    lengths, fed = teacher_forced(batch)
    assert lengths.tolist() == [8, 14]
    np.testing.assert_array_equal(fed[:, 1:], batch.target[:, :-1])
    assert (fed[:, 0] == 1).all()


def test_an_untrained_copier_guesses():
    batches = copy_batches("copy", np.random.RandomState(0), 20, 2)
    assert (
        symbol_accuracy(LocalAttentionCopier("global", 2, np.random.RandomState(0)), batches)
        < 0.15
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: HardLookup("guess", 4, np.random.RandomState(0)), "method must be one of"),
        (
            lambda: LocalAttentionCopier("local-q", 2, np.random.RandomState(0)),
            "kind must be one of",
        ),
        (
            lambda: LocalAttentionCopier("local-m", 0, np.random.RandomState(0)),
            "D must be a positive whole number",
        ),
        (lambda: copy_batches("sort", np.random.RandomState(0), 1, 1), "task must be"),
        (lambda: window_reach("sort", 9, 1), "task must be 'copy' or 'reverse', got 'sort'"),
    ],
)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
