"""Stacked long short-term memories with residuals, and a bottom that reads both ways.

Each computes what its namesake in ``reference.recurrent.gnmt`` computes one number at a time.
"""

import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int

States = list[tuple[Tensor, Tensor]]


def reverse_rows(
    x: Float[Tensor, "batch steps d"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch steps d"]:
    """Turn each row round, and leave its padding at the end.

    Args:
        x: one sequence a row.
        lengths: how much of each row is real.

    Returns:
        The rows, last real step first.

    >>> x = torch.tensor([[1.0, 2.0, 0.0]]).unsqueeze(-1)
    >>> reverse_rows(x, torch.tensor([2])).flatten().tolist()
    [2.0, 1.0, 0.0]
    """
    place = torch.arange(x.shape[1], device=x.device)
    turned = lengths.unsqueeze(1) - 1 - place
    order = torch.where(turned >= 0, turned, place)
    return x.gather(1, order.unsqueeze(-1).expand(x.shape))


class TwoWayLSTM(nn.Module):
    r"""The bottom of GNMT's encoder: one reader from each end.

    .. math:: x_t^1 = [\overrightarrow m_t; \overleftarrow m_t]

    Args:
        inputs: width of an embedding.
        d: width of each reader; the output is twice as wide.

    Source:
        Wu et al. (2016), section 3.2 and figure 3.

    >>> TwoWayLSTM(2, 5)(torch.ones(2, 3, 2), torch.tensor([3, 1])).shape
    torch.Size([2, 3, 10])
    """

    def __init__(self, inputs: int, d: int):
        super().__init__()
        self.forward_unit = nn.LSTM(inputs, d, batch_first=True)
        self.backward_unit = nn.LSTM(inputs, d, batch_first=True)

    def forward(
        self, x: Float[Tensor, "batch steps inputs"], lengths: Int[Tensor, " batch"]
    ) -> Float[Tensor, "batch steps d2"]:
        """Return both readings side by side; padding changes neither."""
        ahead, _ = self.forward_unit(x)
        back, _ = self.backward_unit(reverse_rows(x, lengths))
        return torch.cat([ahead, reverse_rows(back, lengths)], dim=-1)


class ResidualStack(nn.Module):
    r"""Layers 2 to n of a stack; from the third on, each adds its output to its input.

    .. math:: m_t^l, c_t^l = \operatorname{LSTM}_l([x_t^{l-1}; a_t], m_{t-1}^l, c_{t-1}^l),
       \quad x_t^l = m_t^l + [l \ge 3]\, x_t^{l-1}

    The context a is an input of every layer, if there is one; what is added up is x alone.

    Args:
        inputs: width of what the bottom layer gives.
        context: width of the context; 0 without one.
        d: width of every layer.
        depth: n, counted from the bottom layer, which is not part of this stack.
        residual: whether anything is added.

    Source:
        Wu et al. (2016), section 3.1 and figure 1.

    >>> stack = ResidualStack(inputs=10, context=0, d=5, depth=4)
    >>> x, states = stack(torch.ones(2, 3, 10))
    >>> x.shape, len(states)
    (torch.Size([2, 3, 5]), 3)
    """

    def __init__(
        self,
        inputs: int,
        context: int,
        d: int,
        depth: int,
        residual: bool = True,
    ):
        super().__init__()
        widths = [inputs, *[d] * (depth - 2)][: depth - 1]
        layers = [nn.LSTM(w + context, d, batch_first=True) for w in widths]
        self.layers = nn.ModuleList(layers)
        self.residual = residual

    def forward(
        self,
        x: Float[Tensor, "batch steps inputs"],
        context: Float[Tensor, "batch steps context"] | None = None,
        states: States | None = None,
    ) -> tuple[Float[Tensor, "batch steps d"], States]:
        """Return the top layer's x at every step, and each layer's last state.

        Args:
            x: what the bottom layer gave.
            context: what every layer sees beside it.
            states: where each layer goes on; all zero unless given.
        """
        after: States = []
        for i, layer in enumerate(self.layers):  # i = 0 is layer 2
            seen = x if context is None else torch.cat([x, context], -1)
            m, state = layer(seen, None if states is None else states[i])
            after.append(state)
            x = m + x if self.residual and i > 0 else m
        return x, after
