"""Drafts of a language model's own: the text has its distribution, whatever they guess."""

import numpy as np
import pytest
import torch

from attention_course.models.experiments.drafts import (
    KINDS,
    DraftHeads,
    draft_loss,
    draft_tensors,
    read_symbols,
    write_drafted,
)
from attention_course.models.language import LanguageModel
from attention_course.training import fit


def rng(seed=0):
    return np.random.RandomState(seed)


def build():
    """A model of four symbols that is sure of some things."""
    model = LanguageModel(4, rng(), 8, 2, 16, 1)
    with torch.no_grad():
        model.end.weight.mul_(4)
    return model.eval()


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_written_by_a_poor_draft_has_the_models_distribution(kind):
    model, n = build(), 1500
    heads = DraftHeads(5 * model.E.weight, rng(1), kind, 2)  # sure of other things
    p = model(torch.tensor([[3]]))[0, -1].softmax(-1).detach().numpy()
    rows = torch.tensor([[3, y] for y in range(4)])
    after = model(rows)[:, -1].softmax(-1).detach().numpy()
    found, refused, draws = np.zeros((4, 4)), 0, rng(2)
    for _ in range(n):
        text = write_drafted(model, heads, [3], 3, 1, draws)
        found[text.symbols[1], text.symbols[2]] += 1
        refused += text.guesses[0] == (1, 0)
    assert 0.2 < refused / n < 0.95  # most would be wrong if guesses were merely kept
    np.testing.assert_allclose(found / n, p[:, None] * after, atol=0.045)


def test_vectors_stand_beside_the_symbols_that_follow():
    model, symbols = build(), torch.tensor([[3, 1, 2, 0, 1]])
    h, y = draft_tensors(model, symbols, 2)
    assert y.tolist() == [[[1, 2, 0], [2, 0, 1]]]
    logits = read_symbols(model, symbols)[1]
    np.testing.assert_allclose(h @ model.E.weight.detach().T, logits[:, :2], atol=1e-5)


def test_only_chained_heads_see_what_was_drawn():
    h, symbols = torch.ones(2, 8), torch.tensor([[0, 1], [3, 1]])
    for kind in KINDS:
        first, second = DraftHeads(torch.randn(4, 8), rng(), kind, 2)(h, symbols)
        assert torch.equal(first, second) == (kind == "apart")


@pytest.mark.parametrize("kind", KINDS)
def test_heads_learn_and_the_model_stays(kind):
    model, draws = build(), rng()
    before = [p.clone() for p in model.parameters()]
    text = torch.tensor([[0, 1, 2, 3] * 6])
    heads = DraftHeads(model.E.weight, rng(), kind, 2)
    history = fit(
        heads, lambda _: draft_tensors(model, text, 2), draft_loss, draws, steps=60, lr=2e-2,
        progress=False,
    )  # fmt: skip
    assert history.losses[-1] < 0.5 * history.losses[0]
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_passes_are_counted_and_no_guess_is_one_symbol_a_pass():
    model = build()
    heads = DraftHeads(model.E.weight, rng())
    plain = write_drafted(model, heads, [3, 1], 7, 0, rng())
    assert (len(plain.symbols), plain.passes) == (9, 7)
    text = write_drafted(model, heads, [3, 1], 7, 3, rng())
    assert len(text.symbols) == 9
    assert sum(kept + 1 for _, kept in text.guesses) == 6


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda m: DraftHeads(m.E.weight, rng(), "tree"), "kind must be one of .*'tree' and 3"),
        (lambda m: DraftHeads(m.E.weight, rng(), ahead=0), "ahead at least 1, got 'chained'"),
        (lambda m: write_drafted(m, None, [], 1, 1, rng()), r"prompt must not be empty.*\[\]"),
        (lambda m: write_drafted(m, None, [1], 1, -1, rng()), "most at least 0, got .* -1"),
    ],
)
def test_what_cannot_be_drafted_is_refused(call, said):
    with pytest.raises(ValueError, match=said):
        call(build())
