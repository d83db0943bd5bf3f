"""The table on the notation page, row by row: what True means in each library function."""

import numpy as np
import torch

from attention_course.reference import causal_mask, scaled_dot_product_attention

N_TOKENS, D_MODEL = 5, 6
MAY = causal_mask(N_TOKENS)


def _sees_the_future(outputs) -> bool:
    """Whether the first output changes when the last input does."""
    x = np.random.RandomState(0).standard_normal((N_TOKENS, D_MODEL))
    changed = x.copy()
    changed[-1] += 1.0
    return not np.array_equal(outputs(x)[0], outputs(changed)[0])


def _functional(x, mask):
    t = torch.from_numpy(x)[None]
    return torch.nn.functional.scaled_dot_product_attention(
        t, t, t, attn_mask=torch.from_numpy(mask)
    )[0].numpy()


def _module(x, mask):
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(D_MODEL, 2, batch_first=True, dtype=torch.float64)
    t = torch.from_numpy(x)[None]
    with torch.no_grad():
        return module(t, t, t, attn_mask=torch.from_numpy(mask), need_weights=False)[0][
            0
        ].numpy()


def test_in_this_book_true_means_may_attend():
    assert not _sees_the_future(lambda x: scaled_dot_product_attention(x, x, x, MAY)[0])
    assert _sees_the_future(lambda x: scaled_dot_product_attention(x, x, x, ~MAY)[0])


def test_in_torch_functional_attention_true_means_may_attend():
    assert not _sees_the_future(lambda x: _functional(x, MAY))
    assert _sees_the_future(lambda x: _functional(x, ~MAY))


def test_in_torch_multihead_attention_true_means_may_not_attend():
    assert not _sees_the_future(lambda x: _module(x, ~MAY))
    assert _sees_the_future(lambda x: _module(x, MAY))


def test_in_torch_multihead_attention_a_true_padding_entry_is_not_attended():
    torch.manual_seed(0)
    module = torch.nn.MultiheadAttention(D_MODEL, 2, batch_first=True, dtype=torch.float64)
    t = torch.randn(1, N_TOKENS, D_MODEL, dtype=torch.float64)
    padding = torch.zeros(1, N_TOKENS, dtype=torch.bool)
    padding[0, -1] = True
    _, weights = module(t, t, t, key_padding_mask=padding)
    assert torch.all(weights[..., -1] == 0)
    assert torch.all(weights[..., :-1] > 0)
