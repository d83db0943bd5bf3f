"""A long short-term memory with a tape for a cell, as a torch module.

It computes what ``reference.recurrent.lstmn`` computes one number at a time.
"""

import torch
from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.layers.attention import attend


class LSTMN(nn.Module):
    r"""Before each step, look back at every earlier state of the same sequence.

    .. math:: a_i^t = v^\top \tanh(W_h h_i + W_x x_t + W_{\tilde h} \tilde h_{t-1}), \quad
       s^t = \operatorname{softmax}_{i < t}(a^t)

    .. math:: [\tilde h_t; \tilde c_t] = \sum_{i<t} s_i^t\, [h_i; c_i], \qquad
       h_t, c_t = \operatorname{gates}(W [\tilde h_t; x_t] + b,\, \tilde c_t)

    Args:
        inputs: width of an input.
        d: width of a state.
        d_a: width of the hidden layer that scores.

    Source:
        Cheng et al. (2016), section 3.2, with a bias before the gates.

    >>> h, weights = LSTMN(3, 5, 4)(torch.ones(2, 6, 3))
    >>> h.shape, weights.shape
    (torch.Size([2, 6, 5]), torch.Size([2, 6, 6]))
    """

    def __init__(self, inputs: int, d: int, d_a: int):
        super().__init__()
        for name, width in (("inputs", inputs), ("d", d), ("d_a", d_a)):
            if width < 1:
                raise ValueError(f"LSTMN: {name} must be at least 1, got {width}")
        self.d = d
        self.W_h = nn.Linear(d, d_a, bias=False)
        self.W_x = nn.Linear(inputs, d_a, bias=False)
        self.W_summary = nn.Linear(d, d_a, bias=False)
        self.v = nn.Linear(d_a, 1, bias=False)
        self.W = nn.Linear(d + inputs, 4 * d)

    def look_back(
        self,
        asked: Float[Tensor, "batch d_a"],
        keys: list[Tensor],
        tape: list[Tensor],
    ) -> tuple[Float[Tensor, "batch d2"], Float[Tensor, "batch past"]]:
        """Mix both tapes with one set of weights.

        Args:
            asked: W_x x_t plus W_h~ times the last summary.
            keys: W_h h_i for each state so far, each computed once.
            tape: [h_i; c_i] for each state so far.

        Returns:
            The summaries of both tapes side by side, and the weights.
        """
        scores = self.v(torch.tanh(asked.unsqueeze(1) + torch.stack(keys, 1))).squeeze(-1)
        summary, weights = attend(scores.unsqueeze(1), torch.stack(tape, 1))
        return summary.squeeze(1), weights.squeeze(1)

    def forward(
        self, x: Float[Tensor, "batch steps inputs"]
    ) -> tuple[Float[Tensor, "batch steps d"], Float[Tensor, "batch steps steps"]]:
        """Return the state at every step, and whom it looked at: row t has t - 1 weights."""
        batch, steps, _ = x.shape
        from_x = self.W_x(x)
        summary = x.new_zeros(batch, 2 * self.d)
        keys: list[Tensor] = []
        tape: list[Tensor] = []
        rows: list[Tensor] = []
        for t in range(steps):
            row = x.new_zeros(batch, 0)
            if t > 0:
                asked = from_x[:, t] + self.W_summary(summary[:, : self.d])
                summary, row = self.look_back(asked, keys, tape)
            rows.append(nn.functional.pad(row, (0, steps - t)))
            tape.append(self._move(x[:, t], summary))
            keys.append(self.W_h(tape[-1][:, : self.d]))
        return torch.stack(tape, 1)[..., : self.d], torch.stack(rows, 1)

    def _move(self, x: Tensor, summary: Tensor) -> Tensor:
        h, c = summary.split(self.d, -1)
        i, f, g, o = self.W(torch.cat([h, x], -1)).chunk(4, -1)
        cell = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.cat([torch.sigmoid(o) * torch.tanh(cell), cell], -1)
