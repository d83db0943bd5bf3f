"""The torch layer of self-attention: what a word may see, and the first weights."""

import numpy as np
import torch

from attention_course.layers.transformer.self_attention import SelfAttention
from attention_course.reference import causal_mask

N, D_MODEL, D_K, D_V = 7, 6, 4, 5
CAUSAL = torch.from_numpy(causal_mask(N))


def layer(seed=0):
    return SelfAttention(D_MODEL, D_K, D_V, np.random.RandomState(seed)).double()


def sentence(seed=1, *batch):
    return torch.from_numpy(np.random.RandomState(seed).standard_normal((*batch, N, D_MODEL)))


def test_no_output_has_a_gradient_by_a_later_word_and_each_by_every_other():
    module, x = layer(), sentence()
    jacobian = torch.func.jacrev(lambda x: module(x, CAUSAL)[0])(x)
    assert torch.equal(jacobian.abs().sum(dim=(1, 3)) > 0, CAUSAL)


def test_queries_keys_values_and_scores_start_with_variance_one():
    module = SelfAttention(512, 64, 64, np.random.RandomState(0))
    x = torch.from_numpy(np.random.RandomState(1).standard_normal((200, 512))).float()
    q, k, v = x @ module.W_q, x @ module.W_k, x @ module.W_v
    for variance in (q.var(), k.var(), v.var(), (q @ k.t() / 8).var()):
        assert 0.8 < variance < 1.25


def test_the_first_weights_come_from_the_generator_alone():
    before = torch.get_rng_state()
    one, two = layer(3), layer(3)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(
        torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True)
    )
    assert not torch.equal(one.W_q, layer(4).W_q)
    torch.manual_seed(0)
    assert not torch.equal(SelfAttention(4, 4).W_q, SelfAttention(4, 4).W_q)
