"""The parts of Bahdanau's model as torch modules: gated unit, two-way encoder, attention.

Each computes what its namesake in ``reference.recurrent.bahdanau`` computes, one number at a
time.
"""

import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float
from attention_course.layers.attention import attend
from attention_course.reference._check import whole
from attention_course.reference._checked import checked


class BahdanauAttention(nn.Module):
    r"""Ask every annotation how well it answers the decoder's state, and mix them.

    .. math:: e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j), \quad
       \alpha_{ij} = \operatorname{softmax}_j(e_{ij}), \quad c_i = \sum_j \alpha_{ij} h_j

    Its parameters are ``W_a``, ``U_a`` and ``v_a``; the softmax has none.

    Args:
        d_query: width of the decoder's state.
        d_key: width of an annotation.
        d_a: width of the hidden layer.

    Source:
        Bahdanau et al. (2015), section 3.1 and appendix A.1.2.

    >>> attention = BahdanauAttention(5, 6, 7)
    >>> h = torch.ones(2, 4, 6)
    >>> context, weights = attention(torch.ones(2, 5), attention.keys(h), h)
    >>> context.shape, weights.shape
    (torch.Size([2, 6]), torch.Size([2, 4]))
    """

    @checked(d_query=whole(), d_key=whole(), d_a=whole())
    def __init__(self, d_query: int, d_key: int, d_a: int):
        super().__init__()
        self.W_a = nn.Linear(d_query, d_a, bias=False)
        self.U_a = nn.Linear(d_key, d_a, bias=False)
        self.v_a = nn.Linear(d_a, 1, bias=False)

    def keys(
        self, annotations: Float[Tensor, "batch source d_key"]
    ) -> Float[Tensor, "batch source d_a"]:
        """Return U_a h_j for every annotation: it does not depend on i, so once is enough."""
        return self.U_a(annotations)

    @checked()
    def forward(
        self,
        s: Float[Tensor, "batch d_query"],
        keys: Float[Tensor, "batch source d_a"],
        annotations: Float[Tensor, "batch source d_key"],
        mask: Bool[Tensor, "batch source"] | None = None,
    ) -> tuple[Float[Tensor, "batch d_key"], Float[Tensor, "batch source"]]:
        """Return the context and the weights of one decoder step.

        Args:
            s: the decoder's state before the step, the query.
            keys: what :meth:`keys` returned.
            annotations: the values.
            mask: True = may attend.
        """
        hidden = torch.tanh(self.W_a(s).unsqueeze(1) + keys)
        scores = self.v_a(hidden).squeeze(-1)
        rows = None if mask is None else mask.unsqueeze(-2)
        context, weights = attend(scores.unsqueeze(1), annotations, rows)
        return context.squeeze(1), weights.squeeze(1)


class GatedUnit(nn.Module):
    r"""The paper's gated recurrent unit, for one or for several readers at once.

    .. math:: z = \sigma(a_z + U_z s), \quad r = \sigma(a_r + U_r s), \quad
       s' = (1 - z) \odot s + z \odot \tanh(a + U [r \odot s])

    ``torch.nn.GRU`` is not used: its z is our 1 - z, and its r acts after the matrix.

    Args:
        inputs: width of the input.
        d: width of the state.

    Source:
        Bahdanau et al. (2015), appendix A.1.1.

    >>> unit = GatedUnit(3, 5)
    >>> unit.step(unit.W(torch.ones(2, 3)), torch.zeros(2, 5)).shape
    torch.Size([2, 5])
    """

    def __init__(self, inputs: int, d: int):
        super().__init__()
        self.d = d
        self.W = nn.Linear(inputs, 3 * d)
        self.U = nn.Parameter(torch.empty(3 * d, d))
        for block in self.U.data.split(d):
            nn.init.orthogonal_(block)
        nn.init.zeros_(self.W.bias)

    def step(self, drive: Float[Tensor, "batch d3"], s: Float[Tensor, "batch d"]) -> Tensor:
        """Return the state after one step; ``drive`` holds a, a_z and a_r."""
        return gated_step(drive, s, self.U.t())


def gated_step(
    drive: Float[Tensor, "*batch d3"],
    s: Float[Tensor, "*batch d"],
    U: Float[Tensor, "*stack d d3"],
) -> Float[Tensor, "*batch d"]:
    r"""One step of the gated unit for a whole batch.

    .. math:: s' = (1 - z) \odot s + z \odot \tanh(a + U [r \odot s])

    Args:
        drive: what the inputs add to candidate, update gate and reset gate.
        s: the states before the step.
        U: the recurrent matrices, transposed: they multiply rows.

    Returns:
        The states after the step.

    Raises:
        ValueError: if ``drive`` is not three times as wide as ``s``.

    Source:
        Bahdanau et al. (2015), appendix A.1.1.

    >>> gated_step(torch.zeros(1, 6), torch.ones(1, 2), torch.zeros(2, 6))
    tensor([[0.5000, 0.5000]])
    """
    d = s.shape[-1]
    if drive.shape[-1] != 3 * d:
        wanted, got = f"3 x {d} wide", f"shape {tuple(drive.shape)}"
        raise ValueError(f"gated_step: drive must be {wanted}, got {got}")
    z, r = torch.sigmoid(drive[..., d:] + s @ U[..., d:]).chunk(2, dim=-1)
    candidate = torch.tanh(drive[..., :d] + (r * s) @ U[..., :d])
    return torch.lerp(s, candidate, z)


class TwoWayEncoder(nn.Module):
    r"""Read in both directions and keep every state.

    .. math:: h_j = [\overrightarrow h_j; \overleftarrow h_j]

    Both readers run in one loop, but neither sees the other's state. A reader stands still on
    padding, so the backward one starts fresh at the last real symbol.

    Args:
        inputs: width of an embedding.
        d: width of each reader's state; an annotation is twice as wide.

    Source:
        Bahdanau et al. (2015), section 3.2 and appendix A.2.1.

    >>> mask = torch.tensor([[True, True, True], [True, False, False]])
    >>> annotations, ends = TwoWayEncoder(2, 5)(torch.ones(2, 3, 2), mask)
    >>> annotations.shape, ends.shape
    (torch.Size([2, 3, 10]), torch.Size([2, 10]))
    """

    def __init__(self, inputs: int, d: int):
        super().__init__()
        self.forward_unit = GatedUnit(inputs, d)
        self.backward_unit = GatedUnit(inputs, d)

    def forward(
        self,
        embedded: Float[Tensor, "batch source inputs"],
        mask: Bool[Tensor, "batch source"],
    ) -> tuple[Float[Tensor, "batch source d2"], Float[Tensor, "batch d2"]]:
        """Return the annotations, and the last states of both readers side by side.

        Args:
            embedded: one embedding for each symbol.
            mask: True where there is a symbol and not padding.
        """
        units = self.forward_unit, self.backward_unit
        steps = embedded.transpose(0, 1)
        drives = units[0].W(steps), units[1].W(steps.flip(0))
        moves = torch.stack([mask.t(), mask.t().flip(0)], dim=1)
        U = torch.stack([unit.U.t() for unit in units])
        state = embedded.new_zeros(2, len(embedded), units[0].d)
        states = []
        for drive, move in zip(torch.stack(drives, 1), moves, strict=True):
            new = gated_step(drive, state, U)
            state = torch.where(move.unsqueeze(-1), new, state)
            states.append(state)
        both = torch.stack(states)
        annotations = torch.cat([both[:, 0], both[:, 1].flip(0)], dim=-1)
        ends = torch.cat([state[0], state[1]], dim=-1)
        return annotations.transpose(0, 1), ends
