"""What is done with trained translators: several write one text, unknown words are copied."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention_course._shapes import Float, Int
from attention_course.models.translators._translator import greedy_decode
from attention_course.models.translators.luong import DecoderState, LuongSeq2Seq


@torch.no_grad()
def ensemble_decode(
    models: Sequence[LuongSeq2Seq],
    source: Int[Tensor, "batch source"],
    lengths: Int[Tensor, " batch"],
    longest: int = 32,
) -> tuple[Int[Tensor, "batch written"], Float[Tensor, "batch written source"]]:
    r"""Let several models write one text: before each symbol their probabilities are averaged.

    .. math:: p(y_t) = \frac1M \sum_{m=1}^M p_m(y_t \mid y_1, \dots, y_{t-1}, x)

    Args:
        models: trained apart, with the same vocabularies; one is allowed. Each must read and
            advance as :class:`LuongSeq2Seq` does.
        source: numbers of the source symbols.
        lengths: symbols in each row.
        longest: steps after which writing is cut off.

    Returns:
        The symbols written (after the end mark a row holds padding) and the mean weights.

    Raises:
        ValueError: if there is no model.

    Source:
        An *ensemble*, as in Luong et al. (2015), section 4.1 (they use eight models).

    >>> pair = [LuongSeq2Seq(6, 7, np.random.RandomState(i), 3, 4) for i in range(2)]
    >>> source, lengths = torch.tensor([[3, 4, 5], [3, 0, 0]]), torch.tensor([3, 1])
    >>> ensemble_decode(pair, source, lengths, longest=5)[1].shape[0]
    2
    """
    if not models:
        raise ValueError("ensemble_decode: models must be one or more, got none")
    states, memories = map(list, zip(*(m.read(source, lengths) for m in models), strict=True))

    def advance(
        symbol: Tensor, states: list[DecoderState]
    ) -> tuple[Tensor, Tensor, list[DecoderState]]:
        chances, alphas, afters = [], [], []
        for model, state, memory in zip(models, states, memories, strict=True):
            logits, alpha, after = model.advance(model.E_y(symbol), state, memory)
            chances.append(logits.softmax(-1))
            alphas.append(alpha)
            afters.append(after)
        return torch.stack(chances).mean(0), torch.stack(alphas).mean(0), afters

    return greedy_decode(advance, states, source, longest)


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
