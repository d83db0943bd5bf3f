"""One look-up model and one translator with any score function."""

import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course import reference
from attention_course.layers.recurrent.score_table import SCORE_NAMES

SIZES = {"embedding": 3, "encoder": 4, "decoder": 8, "maxout": 2}


def translator(name, **sizes):
    return m.Seq2SeqWithScore(name, 9, 7, np.random.RandomState(0), **(SIZES | sizes)).double()


def batch():
    source = torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    return source, torch.tensor([4, 2]), torch.tensor([[1, 4, 5], [1, 6, 3]])


@pytest.mark.parametrize("name", SCORE_NAMES)
def test_only_the_score_differs_between_the_models(name):
    model, other = translator(name), translator("dot")
    own = {n for n, _ in model.named_parameters() if not n.startswith("attention")}
    assert own == {n for n, _ in other.named_parameters()}
    assert [type(one) for one in model.children()] == [type(one) for one in other.children()]


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
    model = m.LookupWithScore("dot", 6, np.random.RandomState(0)).double()
    words, digits, asked, _ = m.lookup_tensors(np.random.RandomState(1), 3)
    weights = model(words, digits, asked)[1].detach().numpy()
    x, y = model.asked.detach().numpy(), model.words.detach().numpy()
    for i in range(3):
        scores = np.array([x[asked[i]] @ y[w] for w in words[i]])
        np.testing.assert_allclose(weights[i], reference.softmax(scores), atol=1e-10)
