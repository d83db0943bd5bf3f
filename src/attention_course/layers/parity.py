"""Our attention beside torch's own, over many shapes, masks and number formats."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from attention_course.layers.attention import Attention
from attention_course.layers.transformer.cross_attention import CrossAttention
from attention_course.reference import causal_mask, padding_mask

FUNCTIONAL, MODULE = "scaled_dot_product_attention", "MultiheadAttention"
# batch, heads, queries, keys, d_k, d_v: pairwise different, once all equal, and the corners.
SHAPES = (
    (2, 3, 5, 7, 11, 13),
    (3, 3, 3, 3, 3, 3),
    (1, 1, 1, 1, 1, 1),
    (2, 4, 1, 9, 8, 5),
    (1, 2, 16, 16, 4, 6),
)
MODULE_SHAPES = SHAPES[:2] + SHAPES[3:]
MASKS = ("none", "causal", "padding", "both", "random")
# The largest difference allowed, of outputs and of gradients whose size is about 1.
TOLERANCE = {"float64": 1e-10, "float32": 2e-5, "float16": 2e-2, "bfloat16": 1.5e-1}

_Side = tuple[Tensor, list[Tensor]]  # an output, and the inputs that it has gradients by


class ParityCell(NamedTuple):
    """One comparison: with which function, at which shape, under which mask, in which format.

    Attributes:
        theirs: the name of torch's function or module.
        shape: batch, heads, queries, keys, d_k, d_v.
        mask: one of ``MASKS``.
        dtype: the number format.
    """

    theirs: str
    shape: tuple[int, ...]
    mask: str
    dtype: str


def parity_cells() -> list[ParityCell]:
    """List all comparisons.

    Returns:
        The cells of the table.

    >>> len(parity_cells())
    140
    """
    functional = [
        ParityCell(FUNCTIONAL, shape, mask, dtype)
        for shape in SHAPES
        for mask in MASKS
        for dtype in TOLERANCE
    ]
    module = [
        ParityCell(MODULE, shape, mask, dtype)
        for shape in MODULE_SHAPES
        for mask in MASKS
        for dtype in ("float64", "float32")
    ]
    return functional + module


def mask_named(name: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """Return a mask for each sequence of a batch; every query may see something.

    Args:
        name: one of ``MASKS``.
        shape: batch, heads, queries, keys, d_k, d_v.

    Returns:
        True = may attend, of shape batch, queries, keys; None for "none".

    >>> mask_named("causal", (2, 1, 3, 4, 5, 6)).shape
    (2, 3, 4)
    """
    if name not in MASKS:
        raise ValueError(f"mask_named: name must be one of {MASKS}, got {name!r}")
    batch, _, queries, keys, _, _ = shape
    if name == "none":
        return None
    causal = causal_mask(queries, keys)
    real = padding_mask(np.maximum(1, keys - np.arange(batch)), keys)[:, None, :]
    drawn = np.random.RandomState(0).random_sample((batch, queries, keys)) < 0.5
    drawn[..., 0] = True
    made = {"causal": causal, "padding": real, "both": causal & real, "random": drawn}[name]
    return np.array(np.broadcast_to(made, (batch, queries, keys)))


def parity_gaps(cell: ParityCell) -> tuple[float, float]:
    """Compute both, forwards and backwards, and compare.

    Args:
        cell: what to compare.

    Returns:
        The largest difference of an output, and of a gradient by an input or a weight.

    >>> max(parity_gaps(parity_cells()[0])) < 1e-10
    True
    """
    build = _functional if cell.theirs == FUNCTIONAL else _module
    (ours, leaves), (theirs, their_leaves) = build(cell)
    pull = _draw(ours.shape, ours.dtype, seed=9)
    gradients = [
        torch.autograd.grad((output * pull).sum(), inputs)
        for output, inputs in ((ours, leaves), (theirs, their_leaves))
    ]
    return _gap([ours], [theirs]), _gap(*gradients)


def _mask_of_heads(name: str, shape: tuple[int, ...]) -> Tensor | None:
    mask = mask_named(name, shape)
    return None if mask is None else torch.from_numpy(mask)[:, None]


def _gap(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> float:
    return max(
        float((a.double() - b.double()).detach().abs().max())
        for a, b in zip(ours, theirs, strict=True)
    )


def _draw(shape: tuple[int, ...], dtype: torch.dtype, seed: int) -> Tensor:
    drawn = np.random.RandomState(seed).standard_normal(tuple(shape))
    return torch.from_numpy(drawn).to(dtype)


def _copies(dtype: str, *shapes: tuple[int, ...]) -> Iterator[list[Tensor]]:
    for _ in range(2):
        yield [
            _draw(shape, getattr(torch, dtype), seed).requires_grad_()
            for seed, shape in enumerate(shapes)
        ]


def _functional(cell: ParityCell) -> tuple[_Side, _Side]:
    batch, heads, queries, keys, d_k, d_v = cell.shape
    shapes = [
        (batch, heads, queries, d_k),
        (batch, heads, keys, d_k),
        (batch, heads, keys, d_v),
    ]
    ours, theirs = _copies(cell.dtype, *shapes)
    mask = _mask_of_heads(cell.mask, cell.shape)
    output, _ = Attention()(*ours, mask)
    q, k, v = theirs
    own = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    return (output, ours), (own, theirs)


def _module(cell: ParityCell) -> tuple[_Side, _Side]:
    batch, heads, queries, keys, d_k, d_memory = cell.shape
    d_model = heads * d_k
    dtype = getattr(torch, cell.dtype)
    generator = torch.Generator().manual_seed(0)
    layer = CrossAttention(d_model, d_memory, heads, d_k, generator=generator).to(dtype)
    module = multihead_twin(layer)
    ours, theirs = _copies(cell.dtype, (batch, queries, d_model), (batch, keys, d_memory))
    mask = _mask_of_heads(cell.mask, cell.shape)
    real = blocked = None
    if mask is not None and cell.mask == "padding":  # told by lengths: key_padding_mask
        real, mask = mask[:, 0, 0], None
    if mask is not None:  # one mask for each sequence and head, turned over
        blocked = ~mask.expand(-1, heads, -1, -1).flatten(0, 1)
    seen = layer.keys_and_values(ours[1], real)
    output, _ = layer.look(ours[0], seen, mask)
    unreal = None if real is None else ~real
    own, _ = module(theirs[0], theirs[1], theirs[1], unreal, attn_mask=blocked)
    return (output, ours), (own, theirs)


def multihead_twin(layer: CrossAttention) -> nn.MultiheadAttention:
    """Build torch's module with the weights of ours.

    Args:
        layer: whose heads have values as wide as keys.

    Returns:
        The module, batch first and without biases.

    Raises:
        ValueError: if the values have another width than the keys: torch has no such module.

    Source:
        The arrangement of ``torch.nn.MultiheadAttention``.

    >>> multihead_twin(CrossAttention(6, d_memory=4, n_heads=2)).kdim
    4
    """
    d_model, d_memory = layer.W_q.in_features, layer.W_k.in_features
    d_values = layer.W_v.in_features
    if not layer.W_q.out_features == layer.W_v.out_features == d_model:
        raise ValueError(
            "multihead_twin: layer must have heads that add up to d_model, got "
            f"{layer.W_q.out_features} and {layer.W_v.out_features} for {d_model}"
        )
    dtype = layer.W_q.weight.dtype
    alike = d_memory == d_values == d_model
    sizes = {} if alike else {"kdim": d_memory, "vdim": d_values}
    module = nn.MultiheadAttention(
        d_model, layer.n_heads, bias=False, batch_first=True, dtype=dtype, **sizes
    )
    W = [getattr(layer, name).weight for name in ("W_q", "W_k", "W_v")]
    with torch.no_grad():
        module.out_proj.weight.copy_(layer.W_o.weight)
        if module.in_proj_weight is None:
            for name, weight in zip(("q", "k", "v"), W, strict=True):
                getattr(module, f"{name}_proj_weight").copy_(weight)
        else:
            module.in_proj_weight.copy_(torch.cat(W))
    return module
