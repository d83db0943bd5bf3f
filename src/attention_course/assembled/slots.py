"""The places for a reader's parts: what is asked of each, and which exercise asks for it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Wanted = list[tuple[type, tuple[int, ...]]]


class Slot(NamedTuple):
    """A place for a part.

    Attributes:
        course: where the course's own part is defined.
        call: how a part is called and what it returns.
        exercise: the exercise of the bank whose answer fits, or nothing.
        wanted: from the arguments, dtype and shape of each result.
        adapter: what makes a part of that answer where it fits with some more code.
    """

    course: str
    call: str
    exercise: str = ""
    wanted: Callable[..., Wanted] | None = None
    adapter: str = ""

    @property
    def name(self) -> str:
        """What the course's part is called, and one that is written for the slot."""
        return self.course.rpartition(".")[2]


def _attended(
    x: np.ndarray, seen: np.ndarray, W_q: np.ndarray, W_k: np.ndarray, W_v: np.ndarray,
    W_o: np.ndarray, n_heads: int, mask: np.ndarray | None = None,
) -> Wanted:  # fmt: skip
    weights = (*x.shape[:-2], n_heads, x.shape[-2], seen.shape[-2])
    return [(float, (*x.shape[:-1], W_o.shape[1])), (float, weights)]


def _like(x: np.ndarray, *rest: Any, **more: Any) -> Wanted:
    return [(float, x.shape)]


_OWN, _REF = "attention_course.assembled.parts", "attention_course.reference"
_MULTI = "(x_q, x_kv, W_q, W_k, W_v, W_o, n_heads, mask=None), which returns output and weights"

#: By the name under which ``assemble`` takes a part.
SLOTS = {
    "softmax": Slot(
        f"{_REF}.softmax.softmax",
        "(x, axis=-1, mask=None), which returns weights",
        "stable-softmax",
        _like,
    ),
    "attention": Slot(
        f"{_REF}.attention.scaled_dot_product_attention",
        "(q, k, v, mask=None), which returns context and weights",
        "scaled-dot-product-attention",
        lambda q, k, v, mask=None: [
            (float, (*q.shape[:-1], v.shape[-1])),
            (float, (*q.shape[:-1], k.shape[-2])),
        ],
    ),
    "causal_mask": Slot(
        f"{_REF}.masks.causal_mask",
        "(n_queries, n_keys), which returns booleans",
        "mask-of-a-batch",
        lambda n_q, n_k: [(bool, (n_q, n_k))],
        """
def causal_mask(n_queries, n_keys):
    return mask_of_a_batch(np.array([n_keys]), n_queries, n_keys)[0, 0]
""",
    ),
    "padding_mask": Slot(
        f"{_REF}.masks.padding_mask",
        "(lengths, n_keys), which returns booleans",
        "mask-of-a-batch",
        lambda lengths, n_k: [(bool, (*lengths.shape, n_k))],
        """
def padding_mask(lengths, n_keys):
    return mask_of_a_batch(lengths, 1, n_keys)[:, 0, 0]  # the last query sees all
""",
    ),
    "mask": Slot(
        f"{_OWN}.mask_of_a_batch",
        "(lengths, n_q, n_k), which returns booleans",
        "mask-of-a-batch",
        lambda lengths, n_q, n_k: [(bool, (len(lengths), 1, n_q, n_k))],
    ),
    "positions": Slot(
        f"{_OWN}.sinusoidal_table",
        "(n, d_model, offset), which returns a vector for each position",
        "sinusoidal-positions",
        lambda n, d_model, offset=0: [(float, (n, d_model))],
    ),
    # The class of torch that multi-head-attention asks for fits as well: see TorchHeads.
    "multi_head": Slot(
        f"{_REF}.transformer.multi_head.multi_head_attention",
        _MULTI,
        "attend-in-heads",
        _attended,
    ),
    "cross_attention": Slot(f"{_OWN}.cross_attention", _MULTI, "attend-in-heads", _attended),
    "normalisation": Slot(
        f"{_REF}.transformer.transformer_block.layer_norm",
        "(x, gain, shift), which returns as many vectors",
        "normalise-vectors",
        _like,
    ),
    "feed_forward": Slot(
        f"{_REF}.transformer.transformer_block.feed_forward",
        "(x, W_1, b_1, W_2, b_2), which returns as many vectors",
        "feed-forward-part",
        _like,
    ),
    # The exercise encoder-block has one head and normalises before: it does not fit.
    "encoder_block": Slot(
        f"{_OWN}.encoder_block", "(x, p, mask), which returns as many vectors", wanted=_like
    ),
    "decoder_block": Slot(
        f"{_OWN}.decoder_block",
        "(y, p, attend, memory, mask), which returns as many vectors",
        wanted=_like,
    ),
    "cache": Slot(
        f"{_OWN}.KeyValueCache",
        "a class with append(k, v), length and step(q, k, v), which returns weights, context",
        "kv-cache",
    ),
    "greedy": Slot(
        f"{_OWN}.greedy", "(next_logits, start, end, longest), which returns numbers of words"
    ),
    "beam": Slot(
        f"{_OWN}.beam",
        "(next_logits, start, end, longest, width), which returns numbers of words",
    ),
}
# What the parts need beside them, in the order of the file.
HELPERS = (
    *(f"{_REF}.transformer.multi_head.{name}" for name in ("split_heads", "merge_heads")),
    f"{_REF}.positions.sinusoidal_positions",
    *(
        f"{_OWN}.{name}"
        for name in ("with_one", "look_at", "look_back", "weights_from", "enter")
    ),
    *(f"{_OWN}.{name}" for name in ("encode", "follow", "writer", "translated")),
)


class TorchHeads:
    """Let a class of torch, such as the exercise multi-head-attention asks for, attend here.

    Args:
        kind: the class, called with ``d_model`` and ``n_heads``. Its layers W_q, W_k, W_v and
            W_o get the weights of a block, biases too, in double precision.
    """

    def __init__(self, kind: Callable[..., Any]):
        self.kind = kind
        self.made: dict[int, Any] = {}

    def __call__(
        self,
        x_q: np.ndarray,
        x_kv: np.ndarray,
        W_q: np.ndarray,
        W_k: np.ndarray,
        W_v: np.ndarray,
        W_o: np.ndarray,
        n_heads: int,
        mask: np.ndarray | None = None,
    ) -> tuple[Any, ...]:
        """Return arrays of what the module returns."""
        import torch

        if id(W_q) not in self.made:  # one module for each attention of the model
            made = self.kind(W_o.shape[1], n_heads).double().eval()
            for name, W in {"W_q": W_q, "W_k": W_k, "W_v": W_v, "W_o": W_o}.items():
                layer, both = getattr(made, name), torch.tensor(W.T)
                layer.weight.data = both if name == "W_o" else both[:, :-1].contiguous()
                if name != "W_o":
                    layer.bias = torch.nn.Parameter(both[:, -1].contiguous())
            self.made[id(W_q)] = made
        with torch.no_grad():
            x = torch.tensor(x_q[..., :-1])
            seen = None if x_kv is x_q else torch.tensor(x_kv[..., :-1])
            may = None if mask is None else torch.tensor(mask)
            found = self.made[id(W_q)](x, seen, may)
        return tuple(one.numpy() for one in found)
