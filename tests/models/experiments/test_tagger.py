"""The aligned network: it cannot see what has not been read yet."""

import numpy as np
import torch

from attention_course.models import RecurrentTagger, tagging_loss


def tagger():
    return RecurrentTagger(11, 5, np.random.RandomState(0)).double()


def test_the_loss_of_an_untrained_network_is_that_of_its_probabilities():
    net, source, target = tagger(), torch.tensor([[3, 4]]), torch.tensor([[5, 6]])
    with torch.no_grad():
        p = net(source)[0].softmax(-1)
    by_hand = -(p[0, 5].log() + p[1, 6].log()) / 2
    assert abs(tagging_loss(net, (source, target)).item() - by_hand.item()) < 1e-12
