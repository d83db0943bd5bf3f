"""Two ways to keep a translator from trusting itself too much: dropout and label smoothing."""

import torch
from torch import Tensor, nn

from attention_course.data.batches import Batch
from attention_course.data.vocabulary import PAD, START
from attention_course.models._build import device_of


def drop_out(model: nn.Module, share: float) -> nn.Module:
    r"""Let a share of the numbers fall out at random, while the model is training.

    .. math:: \operatorname{drop}(x)_i = \frac{m_i\, x_i}{1 - p}, \qquad
       m_i = 0 \text{ with probability } p, \text{ else } 1

    They fall out of every embedding and, in a Transformer, of what each part of a block is
    about to add. In a recurrent translator they fall out of what enters the last matrix, and
    not from one state to the next.

    Args:
        model: any translator with tables E_x and E_y; changed in place.
        share: p, how many of the numbers; 0 changes nothing.

    Returns:
        The same model.

    Raises:
        ValueError: if the share is not at least 0 and below 1.

    Source:
        Vaswani et al. (2017), section 5.4; for recurrent networks Zaremba et al. (2014).

    >>> model = nn.Module()
    >>> model.E_x = nn.Embedding(3, 1000)
    >>> out = drop_out(model, 0.25).E_x(torch.tensor([1]))
    >>> 200 < int((out == 0).sum()) < 300
    True
    """
    if not 0 <= share < 1:
        raise ValueError(f"drop_out: share must be from 0 to below 1, got {share}")

    def after(module: nn.Module, given: tuple[Tensor, ...], out: Tensor) -> Tensor:
        return nn.functional.dropout(out, share, module.training)

    def before(module: nn.Module, given: tuple[Tensor, ...]) -> Tensor:
        return nn.functional.dropout(given[0], share, module.training)

    for name, part in model.named_modules():
        if name == "W_o":
            part.register_forward_pre_hook(before)
        elif name.rpartition(".")[2] in ("E_x", "E_y", "W_o", "W_2"):
            part.register_forward_hook(after)
    return model


def smoothed_loss(
    model: nn.Module,
    batch: Batch,
    smoothing: float = 0.0,
) -> Tensor:
    r"""Cross-entropy against a target that is not quite certain.

    .. math:: L = -\frac1N \sum_i \sum_y \Bigl((1 - \varepsilon)\,[y = y_i]
       + \frac{\varepsilon}{V}\Bigr) \ln p(y \mid y_1, \dots, y_{i-1}, x)

    Args:
        model: called with source, source lengths and the target moved right by one.
        batch: what to learn from; padding does not count.
        smoothing: ε, what is taken from the true symbol and given to all alike; with 0 this
            is :func:`attention_course.models.sequence_loss`.

    Returns:
        The loss, in nats a symbol.

    Source:
        Szegedy et al. (2016), section 7; Vaswani et al. (2017), section 5.4.
    """
    source, lengths, target = (
        torch.from_numpy(a).to(device_of(model))
        for a in (batch.source, batch.source_lengths, batch.target)
    )
    start = target.new_full((len(target), 1), START)
    logits = model(source, lengths, torch.cat([start, target[:, :-1]], 1))
    return nn.functional.cross_entropy(
        logits.flatten(0, 1),
        target.flatten(),
        ignore_index=PAD,
        label_smoothing=smoothing,
    )
