"""What is done with a trained translator: unknown words are copied."""

import torch
from torch import Tensor

from attention_course._shapes import Float, Int
from attention_course.models.translators._translator import greedy_decode
from attention_course.models.translators.luong import DecoderState, LuongSeq2Seq


def replace_unknown(
    written: Int[Tensor, "batch written"],
    weights: Float[Tensor, "batch written source"],
    copies: Int[Tensor, "batch source"],
    unknown: int,
) -> Int[Tensor, "batch written"]:
    r"""Put in what is at the strongest weight wherever the model wrote "unknown".

    .. math:: y_t = x_{a_t}, \quad a_t = \arg\max_s a_t(s), \qquad
       \text{where } y_t = \text{unknown}

    Args:
        written: symbols written.
        weights: where the model looked for each.
        copies: for each source symbol the target symbol that stands for it.
        unknown: the number of the unknown mark.

    Returns:
        The symbols, with the marks replaced.

    Source:
        Luong et al. (2015), section 4.1, after Luong et al. (2015, "rare word problem") and
        Jean et al. (2015), who also look the word up in a dictionary.

    >>> weights = torch.tensor([[[0.1, 0.9], [0.7, 0.3]]])
    >>> replace_unknown(torch.tensor([[5, 3]]), weights, torch.tensor([[8, 9]]), unknown=3)
    tensor([[5, 8]])
    """
    looked_up = copies.gather(1, weights.argmax(-1))
    return torch.where(written == unknown, looked_up, written)
