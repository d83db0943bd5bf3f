"""The aligned network: it cannot see what has not been read yet."""

import numpy as np
import pytest
import torch

from attention_course.models import RecurrentTagger, tagging_loss
from attention_course.reference import gru_step


def tagger():
    return RecurrentTagger(11, 5, np.random.RandomState(0)).double()


def test_every_step_is_that_of_the_loops():
    net, source = tagger(), [3, 7, 10, 4]
    with torch.no_grad():
        logits = net(torch.tensor([source]))[0].numpy()
    gru = [p.detach().numpy() for p in net.gru.parameters()]
    h = np.zeros(5)
    for t, symbol in enumerate(source):
        h = gru_step(net.embedding.weight.detach().numpy()[symbol], h, *gru)
        by_hand = net.output.weight.detach().numpy() @ h + net.output.bias.detach().numpy()
        assert np.abs(logits[t] - by_hand).max() < 1e-10


def test_an_answer_does_not_depend_on_what_comes_later():
    net = tagger()
    with torch.no_grad():
        a, b = net(torch.tensor([[3, 4, 5, 6], [3, 4, 9, 10]]))
    assert torch.equal(a[:2], b[:2])
    assert not torch.equal(a[2], b[2])


def test_the_loss_refuses_a_target_of_another_length():
    with pytest.raises(ValueError, match=r"tagging_loss: target must have the shape of source"):
        tagging_loss(tagger(), (torch.tensor([[3, 4]]), torch.tensor([[3]])))


def test_the_loss_of_an_untrained_network_is_that_of_its_probabilities():
    net, source, target = tagger(), torch.tensor([[3, 4]]), torch.tensor([[5, 6]])
    with torch.no_grad():
        p = net(source)[0].softmax(-1)
    by_hand = -(p[0, 5].log() + p[1, 6].log()) / 2
    assert abs(tagging_loss(net, (source, target)).item() - by_hand.item()) < 1e-12


@pytest.mark.parametrize("name", ["n_symbols", "width"])
def test_a_size_of_zero_is_refused(name):
    sizes = {"n_symbols": 3, "width": 5, name: 0}
    with pytest.raises(ValueError, match=f"RecurrentTagger: {name} must be at least 1, got 0"):
        RecurrentTagger(**sizes, rng=np.random.RandomState(0))
