"""The tasks of rewriting and of rare questions: what they draw, and what is measured."""

import numpy as np
import pytest
import torch

from attention_course.models.experiments import attention_today as today
from attention_course.models.experiments import linear_today as tasks


def rng(seed: int = 0) -> np.random.RandomState:
    return np.random.RandomState(seed)


class Knowing(torch.nn.Module):
    """Answers with the newest digit of the word that is asked for, or with the first."""

    def __init__(self, newest: bool):
        super().__init__()
        self.newest = newest

    def forward(self, words, digits, asked):
        said = torch.zeros_like(words)
        for b, row in enumerate(words.tolist()):
            for t in range(len(row)):
                places = [i for i in range(t + 1) if row[i] == asked[b, t]]
                said[b, t] = digits[b, places[-1 if self.newest else 0]]
        return torch.nn.functional.one_hot(said, 10).float()


def test_the_newest_digit_is_the_answer():
    edges = (1, 2, 3, 99)
    assert tasks.right_by_writing(Knowing(True), rng(), edges, 8) == [1, 1, 1]
    first = tasks.right_by_writing(Knowing(False), rng(), edges, 8)
    assert first[0] == 1
    assert max(first[1:]) < 0.3


def test_words_come_again_and_only_those_that_came_are_asked_for():
    words, digits, asked, ago = tasks.rewritten_batch(rng(), 20)
    assert words.shape == (20, tasks.STEPS)
    assert all(len(set(row)) <= tasks.WORDS for row in words.tolist())
    place = torch.arange(tasks.STEPS) - ago
    assert place.min() >= 0
    assert torch.equal(words.gather(1, place), asked)
    for row, question, at in zip(words.tolist(), asked.tolist(), place.tolist(), strict=True):
        for t, (word, i) in enumerate(zip(question, at, strict=True)):
            assert word not in row[i + 1 : t + 1]
    assert {*digits.flatten().tolist()} == {*range(10)}


def test_rare_questions_are_rare_and_have_an_answer():
    words, digits, asked, wanted = tasks.seldom_batch(rng(), 50)
    assert (words[:, 0] == 0).all()
    assert all(len({*row}) == len(row) for row in words.tolist())
    assert 0.1 < (asked > 0).float().mean() < 0.15
    for row, given, question, answer in zip(
        words.tolist(), digits.tolist(), asked.tolist(), wanted.tolist(), strict=True
    ):
        for t, word in enumerate(question):
            assert answer[t] == (given[row.index(word)] if word else row[t] % 10)
            assert not word or row.index(word) <= t


def test_the_weight_of_the_mark_is_that_of_the_first_layer():
    model = today.TodayModel(["plain"], [64, 10, 64], 10, rng(), "none")
    with torch.no_grad():
        for W in (model.blocks[0].attention.W_q, model.blocks[0].attention.W_k):
            W.weight.zero_()  # every key alike
    *_, asked, idle = tasks.seldom_found(model, rng(1), 32)
    means = np.mean([1 / (t + 1) for t in range(16, 64)])
    assert asked == pytest.approx(means, rel=0.1)
    assert idle == pytest.approx(means, rel=0.03)
