"""Three kinds of attention inside a convolutional network: by place, by channel, by pair."""

from torch import Tensor, nn

from attention_course._shapes import Float
from attention_course.reference._check import one_of
from attention_course.reference._checked import checked

WAYS = ("softmax", "dot product")


class SpatialGate(nn.Module):
    r"""Let each place of the feature maps pass once, or nearly twice.

    .. math:: h_{cp} = (1 + m_p)\, x_{cp}, \qquad m_p = \sigma\Bigl(\sum_c w_c x_{cp} + b\Bigr)

    Args:
        channels: of what comes in.

    Source:
        Wang et al. (2017), section 3, where the mask comes from a branch of its own and has
        a number for each channel too.

    >>> gated, mask = SpatialGate(3)(torch.ones(2, 3, 4, 5))
    >>> gated.shape, mask.shape
    (torch.Size([2, 3, 4, 5]), torch.Size([2, 4, 5]))
    """

    def __init__(self, channels: int):
        super().__init__()
        self.w = nn.Linear(channels, 1)

    def forward(
        self,
        x: Float[Tensor, "n channels height width"],
        instead: Float[Tensor, "*#batch height width"] | None = None,
    ) -> tuple[Float[Tensor, "n channels height width"], Float[Tensor, "*b height width"]]:
        """Return the gated maps and the mask; ``instead`` takes the place of the mask."""
        mask = instead
        if mask is None:
            mask = self.w(x.movedim(1, -1)).squeeze(-1).sigmoid()
        return (1 + mask).unsqueeze(-3) * x, mask


class SqueezeAndExcitation(nn.Module):
    r"""Turn each channel down by a gate that is computed from the means of all channels.

    .. math:: h_{cp} = s_c\, x_{cp}, \qquad
       \mathbf s = \sigma\bigl(W_2 \max(0, W_1 \bar{\mathbf x} + \mathbf b_1)
       + \mathbf b_2\bigr), \qquad \bar x_c = \frac1{HW} \sum_p x_{cp}

    Args:
        channels: of what comes in.
        hidden: width between the two matrices.

    Source:
        Hu et al. (2018), section 3.

    >>> gated, gates = SqueezeAndExcitation(6, 2)(torch.ones(2, 6, 4, 5))
    >>> gated.shape, gates.shape
    (torch.Size([2, 6, 4, 5]), torch.Size([2, 6]))
    """

    def __init__(self, channels: int, hidden: int):
        super().__init__()
        self.W_1 = nn.Linear(channels, hidden)
        self.W_2 = nn.Linear(hidden, channels)

    def forward(
        self,
        x: Float[Tensor, "n channels height width"],
        instead: Float[Tensor, "*#batch channels"] | None = None,
    ) -> tuple[Float[Tensor, "n channels height width"], Float[Tensor, "*b channels"]]:
        """Return the gated maps and the gates; ``instead`` takes the place of the gates."""
        gates = instead
        if gates is None:
            gates = self.W_2(self.W_1(x.mean((-2, -1))).relu()).sigmoid()
        return gates[..., None, None] * x, gates


class NonLocalBlock(nn.Module):
    r"""Add to each place what it finds at all places: self-attention over feature maps.

    .. math:: Z = X + A\, X W_v W_z, \qquad A = \operatorname{softmax}(S)
       \ \text{or}\ \tfrac1N S, \qquad S = X W_q (X W_k)^\top

    Row p of X holds the channels at place p. W_z starts at zero, so a new block changes
    nothing.

    Args:
        channels: of what comes in.
        width: of queries, keys and values.
        way: "softmax" or "dot product".

    Source:
        Wang et al. (2018), section 3; the paper calls the three projections theta, phi and g.

    >>> added, weights = NonLocalBlock(6, 2)(torch.ones(2, 6, 4, 5))
    >>> added.shape, weights.shape
    (torch.Size([2, 6, 4, 5]), torch.Size([2, 20, 20]))
    """

    @checked(way=one_of(*WAYS))
    def __init__(self, channels: int, width: int, way: str = "softmax"):
        super().__init__()
        self.way = way
        self.W_q, self.W_k, self.W_v = (
            nn.Linear(channels, width, bias=False) for _ in range(3)
        )
        self.W_z = nn.Linear(width, channels, bias=False)
        nn.init.zeros_(self.W_z.weight)

    def weigh(self, X: Float[Tensor, "n places channels"]) -> Float[Tensor, "n places places"]:
        """Return what each place gives to every place, a row for each that asks."""
        scores = self.W_q(X) @ self.W_k(X).mT
        if self.way == "softmax":
            return scores.softmax(-1)
        return scores / scores.shape[-1]

    def forward(
        self,
        x: Float[Tensor, "n channels height width"],
        instead: Float[Tensor, "*#batch places places"] | None = None,
    ) -> tuple[Float[Tensor, "n channels height width"], Float[Tensor, "*b places places"]]:
        """Return the new maps and the weights; ``instead`` takes the place of the weights."""
        X = x.flatten(2).mT  # (n, places, channels)
        A = self.weigh(X) if instead is None else instead
        Z = X + self.W_z(A @ self.W_v(X))
        return Z.mT.unflatten(2, x.shape[-2:]), A
