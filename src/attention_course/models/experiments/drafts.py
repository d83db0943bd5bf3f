"""Drafts that a language model makes itself: small heads that guess several symbols ahead."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.models._build import seeded, to_model
from attention_course.models.language import LanguageModel
from attention_course.reference.scale.speculative import draw_symbol, keep_guesses

KINDS = ("apart", "chained")


class DraftHeads(nn.Module):
    r"""Guess further symbols from a language model's last vector.

    The model itself draws the next symbol, y_1, from its vector h. Guess j is of the symbol j
    places after that one:

    .. math:: h_j = h + W_j\, \operatorname{SiLU}(U_j h) \quad\text{(apart)}, \qquad
       h_j = h_{j-1} + W\, \operatorname{SiLU}(U [h_{j-1}; E y_j]) \quad\text{(chained)}, \qquad
       q_j = \operatorname{softmax}(E \operatorname{LN}(h_j))

    Args:
        E: the language model's table of symbols; not trained.
        rng: the generator of the first weights.
        kind: "apart", a head for each place, which sees no drawn symbol; "chained", one for
            all places, which sees what was drawn and guessed.
        ahead: how many places.

    Raises:
        ValueError: if ``kind`` is not one of the two, or ``ahead`` below 1.

    Source:
        Apart: Cai et al. (2024), section 2.1.1. Chained: in the manner of DeepSeek-AI (2024),
        section 2.2, whose modules are whole blocks.

    >>> heads = DraftHeads(torch.eye(5, 8), np.random.RandomState(0))
    >>> heads(torch.ones(2, 8), torch.tensor([[3, 4], [0, 1]])).shape
    torch.Size([2, 5])
    """

    def __init__(
        self,
        E: Float[Tensor, "symbols d"],
        rng: np.random.RandomState,
        kind: str = "chained",
        ahead: int = 3,
    ):
        super().__init__()
        if kind not in KINDS or ahead < 1:
            raise ValueError(
                f"DraftHeads: kind must be one of {KINDS} and ahead at least 1, "
                f"got {kind!r} and {ahead}"
            )
        self.kind, self.ahead, d = kind, ahead, E.shape[1]
        self.register_buffer("E", E.detach().clone())
        with seeded(rng):
            chained = kind == "chained"
            self.U = nn.ModuleList(
                nn.Linear(2 * d if chained else d, d) for _ in range(1 if chained else ahead)
            )
            self.W = nn.ModuleList(nn.Linear(d, d, bias=False) for _ in self.U)
            self.end = nn.LayerNorm(d)

    def forward(
        self, h: Float[Tensor, "*batch d"], symbols: Int[Tensor, "*batch known"]
    ) -> Float[Tensor, "*batch symbols"]:
        """Return the logits of the guess that follows the symbols drawn and guessed so far."""
        table = self.get_buffer("E")
        if self.kind == "apart":
            which = symbols.shape[-1] - 1
            h = h + self.W[which](nn.functional.silu(self.U[which](h)))
        else:
            for y in symbols.unbind(-1):
                seen = torch.cat([h, table[y]], dim=-1)
                h = h + self.W[0](nn.functional.silu(self.U[0](seen)))
        return self.end(h) @ table.T


def draft_loss(heads: DraftHeads, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Cross-entropy of the guesses at all places, each beside the true symbols before it.

    Args:
        heads: a :class:`DraftHeads`.
        batch: what :func:`draft_tensors` returns.

    Returns:
        A scalar, in nats a guess.

    Source:
        Cai et al. (2024), section 2.2.1, with the same weight for each place.

    >>> heads = DraftHeads(torch.eye(5, 8), np.random.RandomState(0))
    >>> draft_loss(heads, (torch.ones(2, 8), torch.zeros(2, 4, dtype=torch.long))).ndim
    0
    """
    h, y = to_model(heads, batch)
    each = [
        nn.functional.cross_entropy(heads(h, y[..., :j]).flatten(0, -2), y[..., j].flatten())
        for j in range(1, heads.ahead + 1)
    ]
    return torch.stack(each).mean()


@torch.no_grad()
def read_symbols(
    model: LanguageModel, symbols: Int[Tensor, "batch n"]
) -> tuple[Float[Tensor, "batch n d"], Float[Tensor, "batch n symbols"]]:
    """Read symbols in one pass.

    Args:
        model: the language model.
        symbols: what it reads.

    Returns:
        The model's last vectors, and its logits.

    Source:
        :class:`attention_course.models.language.LanguageModel`.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> h, logits = read_symbols(model, torch.tensor([[1, 3, 4]]))
    >>> bool(torch.allclose(h @ model.E.weight.T, logits))
    True
    """
    found: list[Tensor] = []
    hook = model.end.register_forward_hook(lambda module, given, made: found.append(made))
    logits = model(symbols)
    hook.remove()
    return found[0], logits


def draft_tensors(
    model: LanguageModel, symbols: Int[Tensor, "batch n"], ahead: int
) -> tuple[Float[Tensor, "batch places d"], Int[Tensor, "batch places later"]]:
    """Return the model's vectors, and the symbols that come after each.

    Args:
        model: the language model, left as it is.
        symbols: texts.
        ahead: how many symbols are guessed after the next one.

    Returns:
        Vectors of all places that so many symbols follow; the next ``ahead + 1`` symbols.

    Source:
        Cai et al. (2024), section 2.2.1.

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> draft_tensors(model, torch.tensor([[1, 3, 4, 5]]), 1)[1].tolist()
    [[[3, 4], [4, 5]]]
    """
    h, _ = read_symbols(model, symbols)
    return h[:, : -ahead - 1], symbols[:, 1:].unfold(1, ahead + 1, 1)


class Drafted(NamedTuple):
    """A text that was written with guesses.

    Attributes:
        symbols: the prompt and what was written.
        guesses: of each pass after the first, how many were made and how many were kept.
    """

    symbols: list[int]
    guesses: list[tuple[int, int]]

    @property
    def passes(self) -> int:
        """How often the language model read."""
        return len(self.guesses) + 1


@torch.no_grad()
def write_drafted(
    model: LanguageModel,
    draft: Callable[[Tensor, Tensor], Tensor],
    prompt: list[int],
    n: int,
    most: int,
    rng: np.random.RandomState,
) -> Drafted:
    """Write by a draft that goes on from the model's last vector, by the exact rule.

    Args:
        model: the language model, from whose distribution the text comes whatever is guessed.
        draft: takes the vector from which the last symbol was drawn, and that symbol with the
            guesses so far; returns logits of the next guess.
        prompt: at least one symbol.
        n: how many symbols to write.
        most: guesses a pass, at most.
        rng: the generator.

    Returns:
        The text, and what became of the guesses.

    Raises:
        ValueError: if the prompt is empty, or ``n`` or ``most`` too small.

    Source:
        Leviathan et al. (2023), algorithm 1, with the guesses of Cai et al. (2024).

    >>> model = LanguageModel(9, np.random.RandomState(0), 8, 2, 16, 1)
    >>> heads = DraftHeads(model.E.weight, np.random.RandomState(0))
    >>> len(write_drafted(model, heads, [3], 5, 2, np.random.RandomState(0)).symbols)
    6
    """
    if not prompt or n < 1 or most < 0:
        raise ValueError(
            "write_drafted: prompt must not be empty, n at least 1 and most at least 0, "
            f"got {prompt}, {n} and {most}"
        )
    symbols, guesses = [*prompt], []
    H, logits = read_symbols(model, torch.tensor([symbols]))
    symbols.append(draw_symbol(_shares(logits[0, -1]), rng))
    h, end = H[0, -1], len(prompt) + n
    while len(symbols) < end:
        ahead, q = [symbols[-1]], []
        for _ in range(min(most, end - len(symbols) - 1)):
            q.append(_shares(draft(h, torch.tensor(ahead))))
            ahead.append(draw_symbol(q[-1], rng))
        H, logits = read_symbols(model, torch.tensor([[*symbols, *ahead[1:]]]))
        first = len(symbols) - 1
        p = _shares(logits[0, first:])
        made = np.array(ahead[1:], int)
        written = keep_guesses(p, np.reshape(q, (-1, p.shape[1])), made, rng)
        guesses.append((len(made), len(written) - 1))
        h = H[0, first + len(written) - 1]  # from which the last of them was drawn
        symbols += written.tolist()
    return Drafted(symbols, guesses)


def _shares(logits: Tensor) -> np.ndarray:
    return logits.double().softmax(-1).numpy()
