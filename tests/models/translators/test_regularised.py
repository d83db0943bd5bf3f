"""Dropout falls where it is said to, and label smoothing is the formula."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.batches import Batch
from attention_course.models.translators.regularised import drop_out, smoothed_loss

BATCH = Batch(
    np.array([[3, 4, 5], [6, 3, 0]]),
    np.array([3, 2]),
    np.array([[4, 6, 2], [5, 2, 0]]),
    np.array([3, 2]),
)
KINDS = {
    "attention": lambda: m.BahdanauSeq2Seq(9, 7, np.random.RandomState(0), 3, 4, 5, 8, 2),
    "fixed": lambda: m.FixedContextSeq2Seq(9, 7, np.random.RandomState(0), 3, 4, 5, 8, 2),
    "transformer": lambda: m.Transformer(9, 7, np.random.RandomState(0), 8, 2, 16, 1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_smoothing_is_the_plain_loss(kind):
    model = KINDS[kind]()
    assert smoothed_loss(model, BATCH).item() == pytest.approx(
        m.sequence_loss(model, BATCH).item()
    )


def test_smoothing_is_the_formula():
    model = KINDS["transformer"]().double()
    target = torch.from_numpy(BATCH.target)
    given = torch.cat([torch.full((2, 1), 1), target[:, :-1]], 1)
    logits = model(
        torch.from_numpy(BATCH.source), torch.from_numpy(BATCH.source_lengths), given
    )
    logs, total, count = logits.log_softmax(-1), 0.0, 0
    for row in range(2):
        for i in range(int(BATCH.target_lengths[row])):
            true = logs[row, i, target[row, i]]
            total -= (0.9 * true + 0.1 * logs[row, i].mean()).item()
            count += 1
    assert smoothed_loss(model, BATCH, 0.1).item() == pytest.approx(total / count)


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_acts_in_training_alone_and_only_if_asked(kind):
    plain, dropped = KINDS[kind](), drop_out(KINDS[kind](), 0.5)
    nothing = drop_out(KINDS[kind](), 0.0)
    wanted = m.sequence_loss(plain, BATCH).item()
    assert m.sequence_loss(dropped.eval(), BATCH).item() == pytest.approx(wanted)
    assert m.sequence_loss(nothing.train(), BATCH).item() == pytest.approx(wanted)
    torch.manual_seed(0)
    losses = {m.sequence_loss(dropped.train(), BATCH).item() for _ in range(3)}
    assert len(losses) == 3
    assert set(dropped.state_dict()) == set(plain.state_dict())


@pytest.mark.parametrize(
    ("kind", "places"), [("attention", 3), ("fixed", 3), ("transformer", 7)]
)
def test_it_falls_out_of_embeddings_and_sums_or_the_last_matrix(kind, places, monkeypatch):
    # The Transformer with one layer a stack: two tables, and two and three parts.
    model, seen = drop_out(KINDS[kind](), 0.5).train(), []

    def counted(x, p, training):
        seen.append(p)
        return x

    monkeypatch.setattr(torch.nn.functional, "dropout", counted)
    m.sequence_loss(model, BATCH)
    assert seen == [0.5] * places
