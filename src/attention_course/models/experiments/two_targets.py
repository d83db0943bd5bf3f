"""Two things to fetch with one layer: what one head must average, two heads keep apart."""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.data.two_targets import CONTENT, N_TOKENS, two_targets_batch
from attention_course.models._build import to_model


def two_targets_tensors(
    rng: np.random.RandomState, size: int = 64
) -> tuple[Float[Tensor, "batch tokens width"], Float[Tensor, "batch tokens wanted"]]:
    """Draw a batch as :func:`two_targets_batch` does, as tensors.

    Args:
        rng: where the rows are drawn from.
        size: how many rows.

    Returns:
        The tokens, and what each wants.

    Source:
        :func:`attention_course.data.two_targets.two_targets_batch`.

    >>> two_targets_tensors(np.random.RandomState(0), 3)[1].shape
    torch.Size([3, 8, 8])
    """
    x, wanted, _ = two_targets_batch(rng, size)
    return torch.from_numpy(x).float(), torch.from_numpy(wanted).float()


def two_targets_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""Mean squared error of what was fetched.

    .. math:: L = \frac1N \sum (\hat y - y)^2

    Args:
        model: multi-head attention; the first numbers of its output are the answer.
        batch: what :func:`two_targets_tensors` returns.

    Returns:
        1 for answering with zeros, 0.5 for fetching one of the two or the best mixture.

    Raises:
        ValueError: if the answer has another width.

    Source:
        Standard.

    >>> from attention_course.layers.transformer.multi_head import MultiHeadAttention
    >>> batch = two_targets_tensors(np.random.RandomState(0), 3)
    >>> two_targets_loss(MultiHeadAttention(16, 2), batch).ndim
    0
    """
    x, wanted = to_model(model, batch)
    if wanted.shape[-1] != 2 * CONTENT:
        raise ValueError(
            f"two_targets_loss: wanted must have width {2 * CONTENT}, got {tuple(wanted.shape)}"
        )
    others = ~torch.eye(N_TOKENS, dtype=torch.bool, device=x.device)  # none looks at itself
    return ((model(x, mask=others)[0][..., : 2 * CONTENT] - wanted) ** 2).mean()
