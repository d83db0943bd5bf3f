"""One layer of multi-head attention that guesses a covered letter."""

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Bool, Float, Int
from attention_course.data.covered_letters import LETTERS, CoveredBatch
from attention_course.layers.transformer.multi_head import MultiHeadAttention
from attention_course.models._build import device_of, seeded

N_PLACES = 14  # twelve letters and two marks


class CoveredLetterModel(nn.Module):
    r"""Ask once, at the covered place, with several heads; then guess.

    .. math:: \mathbf r = \mathbf x_c + \mathrm{MultiHead}(\mathbf x_c, X), \qquad
       \text{logits} = \mathrm{relu}(\mathbf r W_1 + \mathbf b_1) W_2 + \mathbf b_2

    Letters and places each have a learned vector, and :math:`\mathbf x_t` is their sum.

    Args:
        n_heads: how many heads; the number of weights does not depend on it.
        rng: where the initial weights are drawn from.
        n_kv_heads: how many heads have keys and values of their own; all unless given.
        d_model: width of the vectors.
        hidden: width of the read-out's hidden layer.

    Source:
        Written for this course; covering and guessing after Devlin et al. (2019).

    >>> model = CoveredLetterModel(4, np.random.RandomState(0))
    >>> logits, weights = model(torch.tensor([[1, 4, 3, 2]]), torch.tensor([2]))
    >>> logits.shape, weights.shape
    (torch.Size([1, 26]), torch.Size([1, 4, 4]))
    """

    def __init__(
        self,
        n_heads: int,
        rng: np.random.RandomState,
        n_kv_heads: int | None = None,
        d_model: int = 32,
        hidden: int = 64,
    ):
        super().__init__()
        with seeded(rng):
            self.letters = nn.Embedding(len(LETTERS), d_model)
            self.places = nn.Embedding(N_PLACES, d_model)
            for table in (self.letters, self.places):
                nn.init.normal_(table.weight, std=0.5)
            self.attention = MultiHeadAttention(d_model, n_heads, n_kv_heads)
            self.hidden = nn.Linear(d_model, hidden)
            self.output = nn.Linear(hidden, 26)

    def forward(
        self,
        tokens: Int[Tensor, "batch length"],
        positions: Int[Tensor, " batch"],
        keep: Bool[Tensor, " heads"] | None = None,
    ) -> tuple[Float[Tensor, "batch 26"], Float[Tensor, "batch heads length"]]:
        """Return the logits of the 26 letters and the weights of every head."""
        x = self.letters(tokens) + self.places.weight[: tokens.shape[1]]
        asked = x[torch.arange(len(x), device=x.device), positions].unsqueeze(1)
        seen = (tokens != 0)[:, None, None, :]
        output, weights = self.attention(asked, x, mask=seen, keep=keep)
        hidden = torch.relu(self.hidden((asked + output)[:, 0]))
        return self.output(hidden), weights[:, :, 0]

    def arrays(self, dtype: type = np.float64) -> dict[str, np.ndarray]:
        """Return the weights by the names of ``reference.guess_covered``."""
        attention = {name: getattr(self.attention, name).weight.T for name in _PROJECTIONS}
        tensors = attention | {
            "letters": self.letters.weight,
            "places": self.places.weight,
            "W_1": self.hidden.weight.T,
            "b_1": self.hidden.bias,
            "W_2": self.output.weight.T,
            "b_2": self.output.bias,
        }
        return {name: t.detach().cpu().numpy().astype(dtype) for name, t in tensors.items()}

    def put(self, arrays: Mapping[str, np.ndarray]) -> "CoveredLetterModel":
        """Take over what :meth:`arrays` returned, and return the model."""
        names = {name: f"attention.{name}.weight" for name in _PROJECTIONS} | _OTHERS
        state = {
            names[name]: torch.tensor(x.T if name.startswith("W") else x)
            for name, x in arrays.items()
        }
        self.load_state_dict(state)
        return self


_PROJECTIONS = ("W_q", "W_k", "W_v", "W_o")
_OTHERS = {
    "letters": "letters.weight",
    "places": "places.weight",
    "W_1": "hidden.weight",
    "b_1": "hidden.bias",
    "W_2": "output.weight",
    "b_2": "output.bias",
}


def covered_loss(model: nn.Module, batch: CoveredBatch) -> Tensor:
    r"""Cross-entropy of the letters under the covers.

    .. math:: L = -\ln \operatorname{softmax}(\text{logits})_{\text{letter}}

    Args:
        model: a :class:`CoveredLetterModel`.
        batch: words with one letter covered each.

    Returns:
        The mean, in nats a letter; about 2.8 for a model that knows how common letters are.

    Source:
        Standard.

    >>> from attention_course.data.covered_letters import cover_every_letter
    >>> model = CoveredLetterModel(2, np.random.RandomState(0))
    >>> covered_loss(model, cover_every_letter(["heads"])).ndim
    0
    """
    return nn.functional.cross_entropy(*_answered(model, batch))


@torch.no_grad()
def loss_without(
    model: CoveredLetterModel,
    batch: CoveredBatch,
    silenced: tuple[int, ...] = (),
    put: Float[Tensor, "..."] | None = None,
) -> float:
    """Return the loss of a trained model while some of its heads are cut.

    Args:
        model: is not changed.
        batch: what to test on.
        silenced: the heads whose context is replaced, counted from 0.
        put: what is there: the mean of :func:`head_contexts` over other words, or that of
            another word for each of the batch; zeros unless given.

    Returns:
        Nats a letter.

    Source:
        Michel et al. (2019), section 2.3: a factor of 0 for a head.

    >>> from attention_course.data.covered_letters import cover_every_letter
    >>> model = CoveredLetterModel(2, np.random.RandomState(0))
    >>> batch = cover_every_letter(["heads"])
    >>> loss_without(model, batch) == loss_without(model, batch, (0,))
    False
    """
    n_heads = model.attention.n_heads
    if not all(0 <= i < n_heads for i in silenced):
        raise ValueError(
            f"loss_without: silenced must be heads from 0 to {n_heads - 1}, got {silenced}"
        )
    cut = torch.zeros(n_heads, dtype=torch.bool, device=device_of(model))
    cut[list(silenced)] = True

    def instead(module: nn.Module, given: tuple[Tensor, ...]) -> tuple[Tensor]:
        found = given[0].unflatten(-1, (n_heads, -1))
        other = torch.zeros_like(found) if put is None else put.reshape(-1, 1, *found.shape[2:])
        return (torch.where(cut[:, None], other, found).flatten(-2),)

    handle = model.attention.W_o.register_forward_pre_hook(instead)
    try:
        return float(nn.functional.cross_entropy(*_answered(model, batch)))
    finally:
        handle.remove()


@torch.no_grad()
def head_contexts(
    model: CoveredLetterModel, batch: CoveredBatch
) -> Float[Tensor, "words heads d"]:
    """Return what each head brings to the covered letter of each word, before W_o.

    >>> from attention_course.data.covered_letters import cover_every_letter
    >>> model = CoveredLetterModel(2, np.random.RandomState(0))
    >>> head_contexts(model, cover_every_letter(["heads"])).shape
    torch.Size([5, 2, 16])
    """
    found: list[Tensor] = []
    handle = model.attention.W_o.register_forward_pre_hook(
        lambda module, given: found.append(given[0][:, 0])
    )
    try:
        _answered(model, batch)
    finally:
        handle.remove()
    return found[0].unflatten(-1, (model.attention.n_heads, -1))


def _answered(model: nn.Module, batch: CoveredBatch) -> tuple[Tensor, Tensor]:
    tokens, positions, answers = (
        torch.from_numpy(a).to(device_of(model))
        for a in (batch.tokens, batch.positions, batch.answers)
    )
    return model(tokens, positions)[0], answers
