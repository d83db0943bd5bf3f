"""A head that has nothing to do at most places: where does it put its weight?"""

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.attention import masked_softmax_unchecked
from attention_course.models._build import to_model
from attention_course.reference.masks import causal_mask

#: The first token, the call, and the letters.
START, CALL, N_SYMBOLS = 0, 1, 10
LENGTH, WIDTH = 16, 32


class CallReader(nn.Module):
    r"""One causal attention head, and nothing beside it.

    .. math:: \mathbf z_i = \sum_{j \le i} \alpha_{ij}\, W_v \mathbf x_j, \qquad
       \alpha_{ij} \propto e^{\mathbf q_i \cdot \mathbf k_j / \sqrt{d}}

    With ``sink`` the weights come from a softmax with one more score, which is 0 and has no
    value, so that they may sum to less than 1.

    Args:
        rng: where the initial weights are drawn from.
        sink: whether there is one more score.
        first: whether later queries may attend to the first token. It is never to be said, so
            weight is well out of the way there.

    Source:
        Written for this course, after Xiao et al. (2023) and Miller (2023).

    >>> model = CallReader(np.random.RandomState(0))
    >>> output, weights = model(call_tensors(np.random.RandomState(1), 5)[0])
    >>> output.shape, weights.shape
    (torch.Size([5, 16, 10]), torch.Size([5, 16, 16]))
    """

    causal: Tensor

    def __init__(self, rng: np.random.RandomState, sink: bool = False, first: bool = True):
        super().__init__()

        def normal(*shape: int, std: float) -> nn.Parameter:
            return nn.Parameter(torch.tensor(rng.standard_normal(shape) * std).float())

        self.sink, self.first = sink, first
        self.symbols, self.places = (
            normal(N_SYMBOLS, WIDTH, std=1.0),
            normal(LENGTH, WIDTH, std=1.0),
        )
        self.W_q, self.W_k = (normal(WIDTH, WIDTH, std=WIDTH**-0.5) for _ in range(2))
        self.W_v = normal(WIDTH, N_SYMBOLS, std=WIDTH**-0.5)
        self.register_buffer("causal", torch.from_numpy(causal_mask(LENGTH)), persistent=False)

    def forward(
        self, tokens: Int[Tensor, "batch n"], hide_first: bool = False
    ) -> tuple[Float[Tensor, "batch n symbols"], Float[Tensor, "batch n n"]]:
        """Return the outputs and the weights.

        Args:
            tokens: sequences of 16 symbols.
            hide_first: whether later queries do without the first token, as if a sliding
                window had dropped it.
        """
        x = self.symbols[tokens] + self.places
        scores = (x @ self.W_q) @ (x @ self.W_k).mT * WIDTH**-0.5
        mask = self.causal.clone()
        if hide_first or not self.first:
            mask[1:, 0] = False
        if self.sink:
            scores, mask = (
                nn.functional.pad(scores, (1, 0)),
                nn.functional.pad(mask, (1, 0), value=True),
            )
        weights = masked_softmax_unchecked(scores, mask)[..., -LENGTH:]
        weights = weights.to(x.dtype)
        return weights @ (x @ self.W_v), weights


def call_tensors(rng: np.random.RandomState, size: int = 64) -> tuple[Tensor, Tensor]:
    """Draw sequences, and what is to be said at each place.

    The first token is always the same. At a call, one token in four, the symbol just before it
    is to be said; everywhere else, and after the first token, nothing: zeros.

    Args:
        rng: where they are drawn from.
        size: how many sequences.

    Returns:
        The tokens, and a vector of ten numbers for each.

    >>> tokens, wanted = call_tensors(np.random.RandomState(0), 3)
    >>> tokens.shape, wanted.shape, wanted[:, 0].abs().sum().item()
    (torch.Size([3, 16]), torch.Size([3, 16, 10]), 0.0)
    """
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        raise ValueError(f"call_tensors: size must be a positive whole number, got {size!r}")
    tokens = rng.randint(CALL + 1, N_SYMBOLS, (size, LENGTH))
    tokens[rng.random_sample((size, LENGTH)) < 0.25] = CALL
    tokens[:, 0] = START
    wanted = np.zeros((size, LENGTH, N_SYMBOLS), np.float32)
    row, place = np.nonzero((tokens[:, 1:] == CALL) & (tokens[:, :-1] != START))
    wanted[row, place + 1, tokens[row, place]] = 1.0
    return torch.from_numpy(tokens), torch.from_numpy(wanted)


def call_loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    r"""Mean squared distance from what is to be said.

    .. math:: L = \frac{1}{n} \sum_i \lVert \mathbf z_i - \mathbf y_i \rVert^2

    Args:
        model: a :class:`CallReader`.
        batch: what :func:`call_tensors` returns.

    Returns:
        A scalar.

    Source:
        Standard.

    >>> model = CallReader(np.random.RandomState(0))
    >>> call_loss(model, call_tensors(np.random.RandomState(1), 5)).ndim
    0
    """
    if len(batch) != 2:
        raise ValueError(f"call_loss: batch must have two parts, got {len(batch)}")
    tokens, wanted = to_model(model, batch)
    return (model(tokens)[0] - wanted).square().sum(-1).mean()
