"""Small models of the same kinds: against torch's own layers, and what interventions do."""

import independent
import numpy as np
import pytest
import torch

from attention_course import models as m
from attention_course.models.pretrained.decoder import _names
from attention_course.models.pretrained.encoder import BERT, _fill

TOKENS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


def stored(rng, n_layers=2, d=12, d_ff=20):
    """Draw a file's arrays, by BERT's names."""
    sizes = {"word_embeddings": 10, "position_embeddings": 16, "token_type_embeddings": 2}
    found = {f"embeddings.{name}.weight": rng.randn(n, d) for name, n in sizes.items()}
    found |= {
        "embeddings.LayerNorm.weight": rng.rand(d),
        "embeddings.LayerNorm.bias": rng.randn(d),
    }
    shapes = dict.fromkeys(independent.BERT_NAMES, (d, d))
    shapes |= {"up": (d_ff, d), "down": (d, d_ff), "norm": (d,), "norm 2": (d,)}
    for layer in range(n_layers):
        for part, shape in shapes.items():
            name = f"encoder.layer.{layer}.{independent.BERT_NAMES[part]}"
            found |= {f"{name}.weight": rng.randn(*shape), f"{name}.bias": rng.randn(shape[0])}
    return {name: x.astype(np.float32) for name, x in found.items()}


def small_encoder(seed=0):
    arrays = stored(np.random.RandomState(seed))
    model = m.BidirectionalEncoder(10, 12, 3, 20, 2, longest=16)
    _fill(model, arrays, BERT)
    return model, arrays


def test_the_encoder_is_torchs_own_layers():
    model, arrays = small_encoder()
    names = independent.BERT_NAMES
    layers = [
        independent.encoder_layer(arrays, f"encoder.layer.{n}.", names, 3) for n in range(2)
    ]
    x, weights = independent.bert(arrays, TOKENS, layers)
    seen = model(TOKENS)
    torch.testing.assert_close(seen.x, x, atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(seen.weights, weights, atol=2e-5, rtol=1e-4)
    torch.testing.assert_close(seen.layers[-1], seen.x)
    assert seen.layers.shape == (3, 8, 12)


def test_a_file_that_lacks_an_array_is_refused():
    model, arrays = small_encoder()
    arrays.pop("encoder.layer.1.attention.self.key.bias")
    with pytest.raises(RuntimeError, match="Missing key"):
        _fill(model, arrays, BERT)


def test_a_shared_block_is_one_block():
    model = m.BidirectionalEncoder(10, 12, 3, 20, 5, d_embedding=8, shared=True)
    assert len(model.blocks) == 1
    assert model(TOKENS).weights.shape == (5, 3, 8, 8)
    twin = m.random_twin(model, 0)
    assert len(twin.blocks) == 1
    assert not torch.allclose(twin.E.weight, model.E.weight)
    assert torch.equal(twin.E.weight.flatten().sort()[0], model.E.weight.flatten().sort()[0])


def small_decoder():
    model = m.llama_like(11, 24, 6, 2, 40, 3, base=1e5)
    torch.manual_seed(0)
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.8)
    state = model.state_dict()
    arrays = {theirs: state[ours].clone() for ours, theirs in _names(3).items()}
    arrays["token_embd.weight"] *= 24**0.5
    arrays["output_norm.weight"] *= 24**-0.5
    return model.requires_grad_(False), arrays


def test_the_decoder_is_torchs_own_functions():
    model, arrays = small_decoder()
    wanted = independent.llama(arrays, TOKENS, 6, 2, 1e5)
    torch.testing.assert_close(model(TOKENS[None])[0], wanted, atol=1e-3, rtol=1e-4)
    torch.testing.assert_close(
        m.read_tokens(model, TOKENS).logits, wanted, atol=1e-3, rtol=1e-4
    )
    for wrong in (10.0, 1e9):
        other = independent.llama(arrays, TOKENS, 6, 2, wrong)
        assert float((other - wanted).abs().max()) > 1e-2


def test_it_writes_the_same_with_and_without_a_cache():
    model, _ = small_decoder()
    texts = {
        tuple(m.write(model, [3, 1, 4], 8, np.random.RandomState(0), keep))
        for keep in ("in place", "joined", "nothing")
    }
    assert len(texts) == 1


def test_a_silenced_head_is_a_head_without_its_part_of_w_o():
    model, _ = small_encoder()
    attention = model.blocks[1].attention
    plain = model(TOKENS).x
    with m.silenced(attention, 2):
        cut = model(TOKENS).x
    kept = attention.W_o.weight.data.clone()
    attention.W_o.weight.data[:, 8:] = 0
    torch.testing.assert_close(model(TOKENS).x, cut)
    attention.W_o.weight.data = kept
    assert torch.equal(model(TOKENS).x, plain)
    assert not torch.allclose(cut, plain)


@pytest.mark.parametrize("causal", [False, True])
def test_an_evened_head_has_queries_of_zero(causal):
    """A query of zero makes all scores alike, and so the weights."""
    model = small_decoder()[0] if causal else small_encoder()[0]
    attention = model.blocks[1].attention

    def out():
        return m.read_tokens(model, TOKENS).logits if causal else model(TOKENS).x

    with m.evened(attention, 1, causal=causal):
        even = out()
    d_k = attention.W_q.out_features // attention.n_heads
    attention.W_q.weight.data[d_k : 2 * d_k] = 0
    if attention.W_q.bias is not None:
        attention.W_q.bias.data[d_k : 2 * d_k] = 0
    torch.testing.assert_close(out(), even, atol=1e-5, rtol=1e-4)
    with m.evened(attention, 2, causal=causal):
        assert not torch.allclose(out(), even, atol=1e-3)


def test_what_is_brought_is_the_length_of_each_part():
    model, _ = small_encoder()
    attention = model.blocks[0].attention
    x, weights = model(TOKENS).layers[0], model(TOKENS).weights[0]
    found = m.norm_weighted(attention, x, weights)
    for h, i, j in ((0, 1, 2), (2, 7, 0), (1, 3, 3)):
        value = attention.W_v(x[j])[4 * h : 4 * h + 4]
        part = weights[h, i, j] * (attention.W_o.weight[:, 4 * h : 4 * h + 4] @ value)
        torch.testing.assert_close(found[h, i, j], part.norm())
