"""Parts of a language model are cut by three blades, and the model is whole again after."""

import numpy as np
import pytest
import torch

from attention_course.models import LanguageModel
from attention_course.models.cuts import cut_parts, part_means, part_names, part_outputs

D, HEADS = 8, 2
WORDS = torch.tensor([[3, 4, 5, 6], [7, 8, 3, 5]])
OTHERS = torch.tensor([[8, 8, 4, 3], [6, 3, 3, 7]])


@pytest.fixture
def model():
    return LanguageModel(9, np.random.RandomState(0), D, HEADS, 16, 2, "learned", 12).double()


@torch.no_grad()
def by_hand(model, words, put):
    """Run the blocks one part after the other; put(name, x) stands in place of one."""
    x = model.positions.add(model.E(words) * D**0.5)
    n = words.shape[1]
    mask = torch.ones(n, n, dtype=torch.bool).tril()
    for layer, block in enumerate(model.blocks, start=1):
        a, z = block.attention, block.norms[0](x)
        q, k, v = (W(z).reshape(-1, n, HEADS, D // HEADS).mT for W in (a.W_q, a.W_k, a.W_v))
        scores = torch.einsum("bqdh,bkdh->bhqk", q, k) / (D // HEADS) ** 0.5
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        heads = torch.einsum("bhqk,bkdh->bhqd", weights, v)
        context = [put(f"head-{layer}-{h + 1}", heads[:, h]) for h in range(HEADS)]
        x = x + put(f"attention-{layer}", a.W_o(torch.cat(context, -1)))
        x = x + put(f"feed-forward-{layer}", block.feed_forward(block.norms[1](x)))
    return model.end(x) @ model.E.weight.T


def cut_by_hand(model, name, instead):
    layer = name.removeprefix("layer-")
    names = {name} if layer == name else {f"attention-{layer}", f"feed-forward-{layer}"}
    return by_hand(model, WORDS, lambda part, x: instead(part, x) if part in names else x)


def test_each_part_is_cut_by_each_blade_as_by_hand_and_no_two_are_alike(model):
    whole = model(WORDS)
    means, other = part_means(model, [OTHERS, OTHERS[:1]]), part_outputs(model, OTHERS)
    blades = {
        None: lambda part, x: torch.zeros_like(x),
        "mean": lambda part, x: means[part].expand_as(x),
        "other": lambda part, x: other[part],
    }
    seen = [whole.detach()]
    for name in part_names(model):
        for blade, instead in blades.items():
            put = {None: None, "mean": means, "other": other}[blade]
            with torch.no_grad(), cut_parts(model, [name], put):
                found = model(WORDS)
            wanted = cut_by_hand(model, name, instead)
            assert torch.allclose(found, wanted, atol=1e-12), (name, blade)
            seen.append(found)
    for i, one in enumerate(seen):
        assert all((one - before).abs().max() > 1e-6 for before in seen[:i])
    assert torch.equal(model(WORDS), whole)


def test_a_mean_is_over_all_words_whatever_their_batches(model):
    means = part_means(model, [OTHERS, WORDS[:, :2]])
    outputs = part_outputs(model, OTHERS), part_outputs(model, WORDS[:, :2])
    for name, mean in means.items():
        vectors = torch.cat([found[name].flatten(0, 1) for found in outputs])
        assert torch.allclose(mean, vectors.mean(0), atol=1e-12)


def test_several_parts_are_cut_at_once_and_an_error_inside_leaves_the_model_whole(model):
    whole, names = model(WORDS), ["attention-1", "attention-2"]
    with cut_parts(model, names):
        nobody_looks = model(WORDS)
    with cut_parts(model, names):
        changed = model(torch.cat([OTHERS[:, :3], WORDS[:, 3:]], 1))
    assert torch.allclose(changed[:, 3], nobody_looks[:, 3])  # no word knows those before
    with pytest.raises(RuntimeError), cut_parts(model, names):
        raise RuntimeError
    assert torch.equal(model(WORDS), whole)


def test_a_part_that_is_not_there_and_no_sentence_are_refused(model):
    wanted = r"cut_parts: parts must be some of .*'layer-2'\], got \['head-3-1'\]"
    with pytest.raises(ValueError, match=wanted), cut_parts(model, ["head-3-1"]):
        pass
    with pytest.raises(ValueError, match="at least one sentence, got none"):
        part_means(model, [])
