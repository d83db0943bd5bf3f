"""One small stack, and what the large models of today do to its attention; three tasks."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from attention_course._shapes import Float, Int
from attention_course.layers.positions import Positions, new_positions
from attention_course.layers.scale.delta_rule import RecurrentAttention
from attention_course.layers.scale.latent import LatentAttention
from attention_course.layers.scale.native_sparse import NativeSparseAttention
from attention_course.layers.scale.stabilised import SteadyAttention
from attention_course.layers.scale.windowed import WindowedAttention
from attention_course.layers.transformer.multi_head import share_keys_values
from attention_course.layers.transformer.transformer_block import (
    BlockAttention,
    TransformerBlock,
)
from attention_course.models._build import device_of, seeded

RULES = {"linear": (False, False), "decay": (False, True)}  # erase, decay
RULES |= {"delta": (True, False), "gated delta": (True, True)}
STEADY: dict[str, dict[str, Any]] = {
    "qk-norm": {"norm": True},
    "soft-cap": {"cap": 5.0},
    "output gate": {"gate": True},
    "plain": {},  # as "full", with its largest score on record
}
KINDS = ("full", "shared", "latent", "window", "sparse", *RULES, *STEADY)
SHORT = 4  # width of a recurrence's convolution, where the others have positions
D_MODEL, HEADS = 64, 4
LATENT, TURNED = 24, 8  # as many numbers as one key and one value of width 16
WIDTH = 16  # of every window
SIZE, CHOSEN = 8, 3  # positions in a block, blocks that are read in full
WORDS = 128  # words of the recall, and its steps
SYMBOLS, SHORTEST, LONGEST = 64, 24, 32  # of the copying


class TodayModel(nn.Module):
    r"""A causal stack whose layers attend in different ways.

    .. math:: x_t = \sum_s E^s[\text{token}^s_t], \qquad
       \text{logits}_t = W\, \operatorname{LN}(\text{blocks}(x)_t)

    Args:
        kinds: the attention of each layer, of ``KINDS``.
        tables: sizes of the vocabularies whose vectors are added at each step.
        n_out: how many answers there are.
        rng: where the initial weights are drawn from.
        positions: a kind that :func:`new_positions` knows.

    >>> model = TodayModel(["window", "full"], [9], 9, np.random.RandomState(0))
    >>> model(torch.tensor([[1, 3, 4]])).shape
    torch.Size([1, 3, 9])
    """

    def __init__(
        self,
        kinds: Sequence[str],
        tables: Sequence[int],
        n_out: int,
        rng: np.random.RandomState,
        positions: str = "rotary",
    ):
        super().__init__()
        if not kinds or not {*kinds} <= {*KINDS}:
            raise ValueError(f"TodayModel: kinds must be of {KINDS}, got {kinds!r}")
        with seeded(rng):
            self.tables = nn.ModuleList(nn.Embedding(size, D_MODEL) for size in tables)
            turn = new_positions(positions, D_MODEL, HEADS)
            self.blocks = nn.ModuleList(
                TransformerBlock(D_MODEL, HEADS, 2 * D_MODEL, norm_first=True) for _ in kinds
            )
            for block, kind in zip(self.blocks, kinds, strict=True):
                block.attention = attention_named(kind, turn)
            self.end = nn.Sequential(nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, n_out))

    def forward(self, *tokens: Int[Tensor, "batch n"]) -> Float[Tensor, "batch n answers"]:
        """Return the logits at every step; one row of tokens for each vocabulary."""
        x = sum(table(row) for table, row in zip(self.tables, tokens, strict=True))
        n = tokens[0].shape[1]
        causal = torch.ones(n, n, dtype=torch.bool, device=tokens[0].device).tril()
        for block in self.blocks:
            x, _, _ = block(x, causal)
        return self.end(x)


def attention_named(kind: str, positions: Positions) -> BlockAttention:
    """Build the attention of one layer.

    Args:
        kind: "full", four heads; "shared", four that share one key and one value; "latent",
            as many numbers kept as by "shared"; "window"; "sparse"; a recurrence of ``RULES``;
            softmax with something of ``STEADY``.
        positions: turn queries and keys.

    Returns:
        The layer.

    >>> attention_named("shared", Positions()).n_kv_heads
    1
    """
    makers: dict[str, Callable[[], BlockAttention]] = {
        "full": lambda: BlockAttention(D_MODEL, HEADS, False, positions),
        "shared": lambda: _shared(positions),
        "latent": lambda: LatentAttention(D_MODEL, HEADS, LATENT, TURNED, positions),
        "window": lambda: WindowedAttention(D_MODEL, HEADS, WIDTH, positions),
        "sparse": lambda: NativeSparseAttention(D_MODEL, HEADS, SIZE, CHOSEN, WIDTH, positions),
    }
    if kind in RULES:
        # A recurrence knows the order by itself; a short convolution shows it what is near.
        short = 1 if type(positions) is Positions else SHORT
        return RecurrentAttention(D_MODEL, HEADS, *RULES[kind], short=short)
    if kind in STEADY:
        return SteadyAttention(D_MODEL, HEADS, positions, **STEADY[kind])
    if kind not in makers:
        raise ValueError(f"attention_named: kind must be one of {KINDS}, got {kind!r}")
    return makers[kind]()


def _shared(positions: Positions) -> BlockAttention:
    attention = BlockAttention(D_MODEL, HEADS, False, positions)
    share_keys_values(attention, 1, "first")
    return attention


def copy_rows(rng: np.random.RandomState, rows: int) -> Int[np.ndarray, "rows length"]:
    """Draw strings of different symbols, each followed by a mark and by itself.

    All strings of a batch are of one length, from ``SHORTEST`` to ``LONGEST``. No symbol comes
    twice in a string, so the symbol before says which comes next.

    Args:
        rng: where they are drawn from.
        rows: how many.

    Returns:
        The strings; 0 is the mark, symbols are numbered from 1.

    >>> row = copy_rows(np.random.RandomState(0), 1)[0]
    >>> n = len(row) // 2
    >>> bool((row[:n] == row[n + 1 :]).all()), int(row[n])
    (True, 0)
    """
    length = rng.randint(SHORTEST, LONGEST + 1)
    string = 1 + rng.random_sample((rows, SYMBOLS)).argsort(axis=1)[:, :length]
    return np.concatenate([string, np.zeros((rows, 1), int), string], axis=1)


def copy_loss(model: nn.Module, rows: Int[np.ndarray, "rows length"]) -> Tensor:
    """Cross-entropy of the copy's symbols.

    Args:
        model: returns logits of ``SYMBOLS`` + 1 symbols.
        rows: what :func:`copy_rows` returns.

    Returns:
        A scalar, in nats a symbol.

    Source:
        Standard.

    >>> model = TodayModel(["full"], [65], 65, np.random.RandomState(0))
    >>> copy_loss(model, copy_rows(np.random.RandomState(1), 2)).ndim
    0
    """
    logits, wanted = _copied(model, rows)
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


@torch.no_grad()
def copied_right(model: nn.Module, rng: np.random.RandomState, batches: int = 20) -> float:
    """Share of the copy's symbols that are right, after the first.

    The first follows the mark, which says nothing of it but where it stands.

    Args:
        model: as for :func:`copy_loss`.
        rng: where fresh strings are drawn from.
        batches: of 16 strings.

    Returns:
        From 0 to 1; about 1/64 by guessing.

    Source:
        Standard.

    >>> model = TodayModel(["full"], [65], 65, np.random.RandomState(0))
    >>> 0 <= copied_right(model, np.random.RandomState(1), 1) <= 1
    True
    """
    found = [_copied(model, copy_rows(rng, 16)) for _ in range(batches)]
    right = [(logits.argmax(-1) == wanted)[:, 1:].float().mean() for logits, wanted in found]
    return float(torch.stack(right).mean())


def _copied(model: nn.Module, rows: np.ndarray) -> tuple[Tensor, Tensor]:
    tokens = torch.from_numpy(rows).to(device_of(model))
    n = tokens.shape[1] // 2
    return model(tokens[:, :-1])[:, n:], tokens[:, n + 1 :]
