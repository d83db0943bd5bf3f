"""The places for a reader's parts: what is asked of each, and which exercise asks for it."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
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
        also: other names that pages give such a part, with an adapter or nothing.
    """

    course: str
    call: str
    exercise: str = ""
    wanted: Callable[..., Wanted] | None = None
    adapter: str = ""
    also: Mapping[str, str] = MappingProxyType({})

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
    mask = mask_of_a_batch(np.array([n_keys]), n_queries, n_keys)
    return np.array(mask)[0, 0]
""",
    ),
    "padding_mask": Slot(
        f"{_REF}.masks.padding_mask",
        "(lengths, n_keys), which returns booleans",
        "mask-of-a-batch",
        lambda lengths, n_k: [(bool, (*lengths.shape, n_k))],
        """
def padding_mask(lengths, n_keys):
    mask = mask_of_a_batch(lengths, 1, n_keys)
    return np.array(mask)[:, 0, 0]  # the last query sees all
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
        also={
            "sinusoidal_positions": """
def sinusoidal_table(n, d_model, offset=0):
    return sinusoidal_positions(offset + n, d_model)[offset:]
"""
        },
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
        also={"normalised": ""},
    ),
    "feed_forward": Slot(
        f"{_REF}.transformer.transformer_block.feed_forward",
        "(x, W_1, b_1, W_2, b_2), which returns as many vectors",
        "feed-forward-part",
        _like,
    ),
    # The exercise encoder-block has one head and normalises before: it does not fit.
    "encoder_block": Slot(
        f"{_OWN}.encoder_block",
        "(x, p, mask), which returns as many vectors",
        "block-that-reads",
        _like,
    ),
    "decoder_block": Slot(
        f"{_OWN}.decoder_block",
        "(y, p, attend, memory, mask), which returns as many vectors",
        "block-that-writes",
        _like,
        """
def decoder_block(y, p, attend, memory, mask):
    return block_that_writes(y, p, attend(y), memory, mask)
""",
    ),
    "cache": Slot(
        f"{_OWN}.KeyValueCache",
        "a class with append(k, v), length and step(q, k, v), which returns weights, context",
        "kv-cache",
    ),
    "greedy": Slot(
        f"{_OWN}.greedy",
        "(next_logits, start, end, longest), which returns numbers of words",
        "greedy-loop",
    ),
    "beam": Slot(
        f"{_OWN}.beam",
        "(next_logits, start, end, longest, width), which returns numbers of words",
        "beam-search",
    ),
}
# What the Transformer's parts need beside them, in the order of the file.
_HELPERS = (
    *(f"{_REF}.transformer.multi_head.{name}" for name in ("split_heads", "merge_heads")),
    f"{_REF}.positions.sinusoidal_positions",
    *(
        f"{_OWN}.{name}"
        for name in ("with_one", "look_at", "look_back", "weights_from", "enter")
    ),
    *(f"{_OWN}.{name}" for name in ("encode", "follow", "writer", "translated")),
)

_BAHDANAU, _LUONG = (f"attention_course.assembled.{name}" for name in ("bahdanau", "luong"))
# That of the Transformer as well.
_SHARED = {name: SLOTS[name] for name in ("softmax", "greedy", "beam")}


def _read(x: np.ndarray, W: np.ndarray, U: np.ndarray, *rest: np.ndarray) -> Wanted:
    return [(float, (len(x), 2 * U.shape[1]))]


def _stepped(s: np.ndarray, y: np.ndarray, h: np.ndarray, *rest: np.ndarray) -> Wanted:
    return [(float, s.shape), (float, h.shape[1:]), (float, h.shape[:1])]


BAHDANAU = {
    "softmax": _SHARED["softmax"],
    "additive_attention": Slot(
        f"{_BAHDANAU}.additive_attention",
        "(s, h, W_a, U_a, v_a, mask), which returns contexts and weights",
        "additive-attention",
        lambda s, h, *rest: [(float, (len(h), h.shape[2])), (float, h.shape[:2])],
    ),
    "gated_unit": Slot(
        f"{_BAHDANAU}.gated_unit",
        "(drive, s, U), which returns the state after the step",
        "gated-unit",
        lambda drive, s, U: [(float, s.shape)],
    ),
    "two_way_encoder": Slot(
        f"{_BAHDANAU}.read_both_ways",
        "(x, W_f, U_f, b_f, W_b, U_b, b_b), which returns an annotation for each word",
        "read-both-ways",
        _read,
    ),
    "bahdanau_step": Slot(
        f"{_BAHDANAU}.bahdanau_step",
        "(s, y, h, W_a, U_a, v_a, W, C, b, U), which returns state, context and weights",
        "bahdanau-step",
        _stepped,
    ),
    "deep_output": Slot(
        f"{_BAHDANAU}.deep_output",
        "(s, y, context, U_o, V_o, C_o, b_o, W_o, b_w), which returns logits",
        "deep-output",
        lambda *given: [(float, given[-1].shape)],
    ),
    "greedy": _SHARED["greedy"],
    "beam": _SHARED["beam"],
}
LUONG = {
    "softmax": _SHARED["softmax"],
    "luong_scores": Slot(
        f"{_LUONG}.luong_scores",
        "(h_t, states, score, W_a, v_a), which returns scores",
        "luong-scores",
        lambda h_t, states, *rest: [(float, states.shape[:2])],
    ),
    "lstm": Slot(
        f"{_LUONG}.lstm",
        "(x, h, c, W_x, W_h, b_x, b_h), which returns output and cell",
        wanted=lambda x, h, c, *rest: [(float, h.shape), (float, c.shape)],
        also={"lstm_step": ""},
    ),
    "one_way_encoder": Slot(
        f"{_LUONG}.luong_encoder",
        "(x, W_x, W_h, b_x, b_h), which returns the output at each word, and the last cell",
        wanted=lambda x, W_x, W_h, *rest: [
            (float, (len(x), W_h.shape[1])),
            (float, W_h.shape[1:]),
        ],
    ),
    "attentional_vector": Slot(
        f"{_REF}.recurrent.luong.attentional_vector",
        "(context, h_t, W_c), which returns a vector",
        wanted=lambda context, h_t, W_c: [(float, W_c.shape[:1])],
    ),
    "luong_step": Slot(
        f"{_LUONG}.luong_step",
        "(y, fed, h, c, states, p), which returns attentional vector, output, cell, weights",
        wanted=lambda y, fed, h, c, states, p: [
            *((float, x.shape) for x in (fed, h, c)),
            (float, states.shape[:1]),
        ],
    ),
    "greedy": _SHARED["greedy"],
    "beam": _SHARED["beam"],
}


def _helpers(module: str) -> tuple[str, ...]:
    own = (f"{module}.{name}" for name in ("weights_from", "encode", "advance", "writer"))
    return (f"{_OWN}.after_each", *own, f"{_OWN}.translated")


class Line(NamedTuple):
    """A kind of translator: how it is cut, and whose weights it may have.

    Attributes:
        slots: its slots, by name; no two lines have different slots of one name.
        helpers: what the parts need beside them, in the order of the file.
        models: of each model what ``weights_from`` takes beside its arrays, by name.
        shown: the models that a page offers, by what they are called there.
    """

    slots: dict[str, Slot]
    helpers: tuple[str, ...]
    models: dict[str, dict[str, Any]]
    shown: dict[str, str]


LINES = {
    "Transformer": Line(
        SLOTS,
        _HELPERS,
        {"transformer-1-4": {"n_heads": 4}, "transformer-2-4": {"n_heads": 4}},
        {"Transformer": "transformer-1-4"},
    ),
    "Bahdanau": Line(BAHDANAU, _helpers(_BAHDANAU), {"bahdanau": {}}, {"Bahdanau": "bahdanau"}),
    "Luong": Line(
        LUONG,
        _helpers(_LUONG),
        {
            "luong-dot": {"score": "dot"},
            "luong": {"score": "general"},
            "luong-concat": {"score": "concat"},
            "luong-location": {"score": "location"},
        },
        {
            "Luong, dot": "luong-dot",
            "Luong, general": "luong",
            "Luong, concat": "luong-concat",
        },
    ),
}


def line_of(model: str) -> str:
    """Return the name of the line that a model belongs to.

    Raises:
        ValueError: if there is no such model.
    """
    for name, line in LINES.items():
        if model in line.models:
            return name
    known = ", ".join(model for line in LINES.values() for model in line.models)
    raise ValueError(f"assemble: model must be among {known}, got {model!r}")


def line_with(slot: str) -> str:
    """Return the name of the first line that has a slot.

    Raises:
        ValueError: if none has.
    """
    for name, line in LINES.items():
        if slot in line.slots:
            return name
    known = dict.fromkeys(name for line in LINES.values() for name in line.slots)
    raise ValueError(f"slot must be among {', '.join(known)}, got {slot!r}")


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
