"""A question that looks at a picture, and queries that find all that it holds."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.data.asked import (
    ANSWERS,
    GARMENTS,
    PLACES,
    QUESTION_WORDS,
    RELATIONS,
    ask_pictures,
    garments,
)
from attention_course.models.experiments import asking
from attention_course.models.experiments.asking import LOOKERS, neighbours_elsewhere
from attention_course.models.experiments.detection import Found

ASKED = ask_pictures(np.random.RandomState(1), 40, garments("test"))
BATCH = m.asked_tensors(ASKED)


def small(way, seed=0):
    return m.Asker(way, np.random.RandomState(seed), 8, 6)


def test_a_place_is_cut_out_where_it_lies():
    pictures = torch.arange(2 * 42 * 42.0).reshape(2, 42, 42)
    for place in range(9):
        row, column = divmod(place, 3)
        cell = pictures[:, 14 * row : 14 * row + 14, 14 * column : 14 * column + 14]
        torch.testing.assert_close(m.cut_places(pictures)[:, place], cell.flatten(1))


@pytest.mark.parametrize("way", LOOKERS)
def test_weights_are_probabilities_one_row_a_look(way):
    weights = small(way)(*BATCH[:2]).weights
    assert weights.shape == (40, 1 if way == "one look" else 2, 9)
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2]))


def test_one_look_written_out_by_hand():
    model = small("one look")
    pictures, questions, _ = (part[:1] for part in BATCH)
    with torch.no_grad():
        a = model.annotate(pictures)[0]
        u = sum(model.E.weight[word] for word in questions[0])
        normal = (u - u.mean()) / (u.var(correction=0) + 1e-5).sqrt()
        q = model.g[0](normal)
        scores = torch.stack([q @ (model.W_k.weight @ row) for row in a]) / 8**0.5
        alpha = scores.exp() / scores.exp().sum()
        seen = sum(w * (model.W_v.weight @ row) for w, row in zip(alpha, a, strict=True))
        u = u + seen
        wanted = model.answer((u - u.mean()) / (u.var(correction=0) + 1e-5).sqrt())
        done = model(pictures, questions)
    torch.testing.assert_close(done.weights[0, 0], alpha)
    torch.testing.assert_close(done.logits[0], wanted)


def test_questions_teach_all_but_the_encoder():
    model = small("two looks")
    m.answer_loss(model, BATCH).backward()
    for name, parameter in model.named_parameters():
        taught = parameter.grad is not None and bool(parameter.grad.abs().max() > 0)
        assert taught == (not name.startswith("encoder.")), name


def test_a_look_that_is_moved_changes_what_comes_after_it_and_nothing_before():
    model = small("two looks")
    moved = torch.eye(9)[torch.zeros(40, dtype=torch.long)]
    free = model(*BATCH[:2]).weights
    first = model(*BATCH[:2], {0: moved}).weights
    last = model(*BATCH[:2], {1: moved}).weights
    assert torch.equal(first[:, 0], moved)
    assert not torch.allclose(first[:, 1], free[:, 1])
    assert torch.equal(last[:, 0], free[:, 0])


def test_the_sizes_are_those_of_words_answers_and_places():
    sizes = asking.N_WORDS, asking.N_ANSWERS, asking.N_PLACES, asking.NOTHING
    assert sizes == tuple(map(len, (QUESTION_WORDS, ANSWERS, PLACES, GARMENTS)))


def test_the_share_is_counted_where_there_is_a_place():
    weights = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]])
    assert m.share_on_place(weights, np.array([0, -1, 1])) == pytest.approx(0.75)


def test_another_garment_has_a_neighbour_on_the_same_side():
    rows = neighbours_elsewhere(ASKED)
    assert len(rows) > 5
    for n, other, beside, at in rows:
        down, across = [*RELATIONS.values()][ASKED.questions[n, 1] - 9]
        assert (other // 3 + down, other % 3 + across) == divmod(at, 3)
        assert other not in (ASKED.named[n], ASKED.target[n])
        assert ASKED.contents[n, other] < 8
        assert ASKED.contents[n, at] == beside < 8


def test_the_loss_of_a_set_does_not_depend_on_the_order_of_its_objects():
    model = m.Detector(np.random.RandomState(0), 8)
    pictures, names, boxes = m.box_tensors(ASKED)
    order = torch.tensor([3, 1, 4, 0, 2])
    one = m.set_loss(model, (pictures, names, boxes))
    two = m.set_loss(model, (pictures, names[:, order], boxes[:, order]))
    torch.testing.assert_close(one, two)


def test_a_detector_that_is_right_has_hardly_any_loss():
    _, names, boxes = m.box_tensors(ASKED)
    logits = torch.zeros(40, 8, 9)
    logits[..., 8] = 30
    told = torch.rand(40, 8, 4)
    queries = torch.tensor([6, 0, 3, 7, 2])
    logits[:, queries, 8] = 0
    logits[torch.arange(40)[:, None], queries, names] = 30
    told[:, queries] = boxes
    found = Found(logits, told, torch.zeros(40, 8, 9))
    assert torch.equal(m.matched_queries(found, names, boxes), queries.expand(40, -1))
    model = m.Detector(np.random.RandomState(0), 8)
    model.forward = lambda pictures: found
    assert float(m.set_loss(model, m.box_tensors(ASKED))) < 1e-6
