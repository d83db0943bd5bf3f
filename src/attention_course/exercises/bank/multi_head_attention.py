"""Multi-head attention as a torch module: projections, heads, masks, gradients, dropout."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.bank._multi_head_odd import ODD
from attention_course.exercises.bank._multi_head_wrong import WRONG
from attention_course.exercises.runner import Call
from attention_course.exercises.source import Exercise, Probe, Variant

LAYERS = ("W_q", "W_k", "W_v", "W_o")
PARAMETERS = tuple(f"parameter:{name}.weight" for name in LAYERS)

# ---- calls ----------------------------------------------------------------------------------


def _made(rng, d_model, n_heads, *more, **options):
    """Return the calls that make a module in double precision with given parameters."""
    weights = {
        f"{name}.weight": 1.5 * rng.standard_normal((d_model, d_model)) / d_model**0.5
        for name in LAYERS
    }
    return [
        Call("MultiHeadAttention", (d_model, n_heads), options),
        Call("double", on=0),
        Call("$load", (weights,), on=0),
        *more,
    ]


def _ask(*x, mask=None, gradients=()):
    given = {} if mask is None else {"mask": mask}
    return Call("forward", x, given, 0, gradients, ("output", "weights"))


def _draw(rng, *shapes):
    return [rng.standard_normal(shape) for shape in shapes]


def _mask(rng, *shape):
    """Draw a mask in which every row has keys that may be seen and keys that may not."""
    mask = rng.random(shape) < 0.5
    mask[..., 0] = rng.random(shape[:-1]) < 0.5
    mask[..., 1] = ~mask[..., 0]
    return mask


def _names(rng):
    return [
        Call("MultiHeadAttention", (6, 2)),
        Call("$parameters", on=0, returns=("names of the parameters",)),
    ]


def _plain(rng):
    return _made(rng, 12, 3, _ask(*_draw(rng, (2, 5, 12))))


def _equal(rng):
    return _made(rng, 9, 3, _ask(*_draw(rng, (3, 3, 9))))


def _one_head(rng):
    return _made(rng, 5, 1, _ask(*_draw(rng, (2, 3, 5))))


def _narrow_heads(rng):
    return _made(rng, 4, 4, _ask(*_draw(rng, (1, 3, 4))))


def _cross(rng):
    return _made(rng, 12, 2, _ask(*_draw(rng, (3, 4, 12), (3, 5, 12))))


def _shared_mask(rng):
    x, y = _draw(rng, (2, 5, 12), (2, 5, 12))
    return _made(rng, 12, 3, _ask(x, mask=_mask(rng, 5, 5)), _ask(x, y, mask=_mask(rng, 5)))


def _mask_of_a_batch(rng):
    x = _draw(rng, (3, 4, 6))[0]
    lengths = np.array([4, 2, 3])[rng.permutation(3)]
    padding = np.arange(4) < lengths[:, None, None, None]
    return _made(rng, 6, 3, _ask(x, mask=padding), _ask(x, mask=_mask(rng, 3, 1, 4, 4)))


def _mask_of_heads(rng):
    x = _draw(rng, (3, 4, 6))[0]
    mask = _mask(rng, 3, 4, 4)
    mask[0], mask[2, 1] = True, ~mask[1, 1]
    return _made(rng, 6, 3, _ask(x, mask=mask), _ask(x, mask=_mask(rng, 3, 3, 4, 4)))


def _empty_rows(rng):
    x, y = _draw(rng, (2, 4, 6), (2, 5, 6))
    mask = _mask(rng, 2, 1, 4, 5)
    mask[0, 0, 1] = mask[1, 0, 3] = False
    return _made(rng, 6, 2, _ask(x, y, mask=mask, gradients=(0, 1, *PARAMETERS)))


def _gradients(rng):
    return _made(rng, 6, 2, _ask(*_draw(rng, (2, 3, 6)), gradients=(0, *PARAMETERS)))


def _cross_gradients(rng):
    x, y = _draw(rng, (2, 3, 6), (2, 4, 6))
    return _made(rng, 6, 3, _ask(x, y, gradients=(0, 1, *PARAMETERS)))


def _training(rng):
    return _made(rng, 6, 2, _ask(*_draw(rng, (2, 3, 6))), dropout=1.0)


def _evaluation(rng):
    x = _draw(rng, (2, 3, 6))[0]
    return _made(rng, 6, 2, Call("eval", on=0), _ask(x), _ask(x), dropout=1.0)


# ---- the same in other conventions ----------------------------------------------------------


def _blocked(call):
    if "mask" not in call.kwargs:
        return call
    return replace(call, kwargs=call.kwargs | {"mask": ~call.kwargs["mask"]})


def _weights_first(call):
    returns = ("weights", "output") if len(call.returns) == 2 else call.returns
    return replace(call, returns=returns)


TRUE_MEANS_MAY = "`mask` is boolean, and `True` means: may attend."
OUTPUT_FIRST = "`forward` returns two tensors, the output first."

VARIANTS = (
    Variant(
        "blocked",
        ((TRUE_MEANS_MAY, "`mask` is boolean, and `True` means: may NOT attend."),),
        wrap='''\
class MultiHeadAttention(base):
    """Does the same with a mask whose True means: may not attend."""

    def forward(self, x_q, x_kv=None, mask=None):
        """Return the output and the weights."""
        if mask is None:
            return super().forward(x_q, x_kv)
        may = ~mask
        result = super().forward(x_q, x_kv, may)
        mask.copy_(~may)  # unchanged, unless the answer wrote into its mask
        return result
''',
        adapt=_blocked,
        said={"the mask is turned over": None},
    ),
    Variant(
        "weights-first",
        ((OUTPUT_FIRST, "`forward` returns two tensors, the weights first."),),
        wrap='''\
class MultiHeadAttention(base):
    """Does the same, and returns the weights first."""

    def forward(self, x_q, x_kv=None, mask=None):
        """Return the weights and the output."""
        output, weights = super().forward(x_q, x_kv, mask)
        return weights, output
''',
        adapt=_weights_first,
        said={"the weights come first": None, "the weights are missing": None},
        stub=(
            (
                "the output (batch, n_q, d_model) and the weights (batch, heads, n_q, n_k)",
                "the weights (batch, heads, n_q, n_k) and the output (batch, n_q, d_model)",
            ),
        ),
    ),
)

# ---- the exercise ---------------------------------------------------------------------------

EXERCISE = Exercise(
    slug="multi-head-attention",
    title="Multi-head attention, a module",
    chapter="transformer/multi-head",
    family="attention",
    target="MultiHeadAttention",
    minutes=40,
    statement=(
        "Write multi-head attention as a torch module. `x_q` has shape "
        "`(batch, n_q, d_model)`; `x_kv` has `(batch, n_k, d_model)` and is `x_q` itself "
        "unless given. Four layers project: `W_q`, `W_k`, `W_v` and `W_o`, each an "
        "`nn.Linear(d_model, d_model, bias=False)` under just that name. `mask`, if there is "
        "one, broadcasts to `(batch, n_heads, n_q, n_k)`. The output is "
        "`(batch, n_q, d_model)`, the weights are `(batch, n_heads, n_q, n_k)`."
    ),
    contract=(
        "`n_heads` divides `d_model`. Head i owns the numbers from i · d_k up to, but not "
        "including, (i + 1) · d_k of each projected vector, with d_k = d_model / n_heads, and "
        "the same places in what enters `W_o`.",
        "A score is the dot product of a query with a key, divided by the square root of d_k.",
        TRUE_MEANS_MAY,
        "A mask broadcasts as it stands: `(n_q, n_k)` serves all, `(batch, 1, 1, n_k)` pads, "
        "`(n_heads, n_q, n_k)` differs from head to head.",
        "A query that sees nothing has weights and a context of zero; neither outputs nor "
        "gradients are ever NaN.",
        "`dropout` is the share of weights dropped in training, as `nn.Dropout` drops them; it "
        "may be 1, and then all go. In evaluation none are dropped. The weights returned are "
        "those before it.",
        "Gradients reach both inputs and all four layers; they come from the output and from "
        "the weights.",
        "The inputs and the mask stay as they are.",
        OUTPUT_FIRST,
    ),
    stub='''\
class MultiHeadAttention(nn.Module):
    """Attends with several heads side by side, and mixes what they bring back."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        raise NotImplementedError

    def forward(self, x_q, x_kv=None, mask=None):
        """Return the output (batch, n_q, d_model) and the weights (batch, heads, n_q, n_k)."""
        raise NotImplementedError
''',
    solution='''\
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Attends with several heads side by side, and mixes what they bring back."""

    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model, bias=False)
        self.W_k = nn.Linear(d_model, d_model, bias=False)
        self.W_v = nn.Linear(d_model, d_model, bias=False)
        self.W_o = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        batch, n, d_model = x.shape
        return x.view(batch, n, self.n_heads, d_model // self.n_heads).transpose(1, 2)

    def forward(self, x_q, x_kv=None, mask=None):
        """Return the output (batch, n_q, d_model) and the weights (batch, heads, n_q, n_k)."""
        x_kv = x_q if x_kv is None else x_kv
        q = self.split(self.W_q(x_q))
        k = self.split(self.W_k(x_kv))
        v = self.split(self.W_v(x_kv))
        scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
        if mask is None:
            weights = scores.softmax(dim=-1)
        else:
            least = torch.finfo(scores.dtype).min
            weights = scores.masked_fill(~mask, least).softmax(dim=-1)
            weights = weights.masked_fill(~mask, 0.0)
        context = self.dropout(weights) @ v
        joined = context.transpose(1, 2).flatten(2)
        return self.W_o(joined), weights
''',
    hints=(
        "Cut the last axis into heads and width first; only then move the axis of the heads "
        "to the front. The way back is the same two steps in the opposite order.",
        "Write the scores' shape down: (batch, heads, n_q, n_k). Everything that a mask or a "
        "softmax does is about its last axis.",
        "Minus infinity makes NaN of a row without keys, and a NaN that is wiped away later "
        "can still spoil the gradient: it does if the minus infinity was added to the scores. "
        "A finite filling and a second step are safe.",
        "nn.Dropout knows whether the module is training. Give it the weights on their way to "
        "the values, and return them as they were before.",
    ),
    points={
        "parameters": 1,
        "output and weights": 5,
        "masks": 3,
        "gradients": 3,
        "dropout": 2,
    },
    probes=(
        Probe("two sequences, three heads", "output and weights", _plain),
        Probe("the four layers have their names", "parameters", _names),
        Probe(
            "as many sequences as heads as tokens",
            "output and weights",
            _equal,
            hint="Here every wrong axis fits as well, so only the numbers tell.",
        ),
        Probe("a single head", "output and weights", _one_head),
        Probe("heads of width 1", "output and weights", _narrow_heads),
        Probe(
            "queries from one sequence, keys and values from a longer one",
            "output and weights",
            _cross,
        ),
        Probe("a mask that serves all heads", "masks", _shared_mask),
        Probe(
            "a mask for each sequence",
            "masks",
            _mask_of_a_batch,
            hint="Its shape is (batch, 1, ..., n_k): it has the axis of the heads already.",
        ),
        Probe("a mask for each head", "masks", _mask_of_heads),
        Probe(
            "queries that see nothing get zeros, and clean gradients",
            "masks",
            _empty_rows,
            hint="0 times NaN is NaN: a NaN must not even come up on the way.",
        ),
        Probe("gradients of the input and all layers", "gradients", _gradients),
        Probe("gradients of both inputs", "gradients", _cross_gradients),
        Probe(
            "a dropout of 1 in training leaves nothing",
            "dropout",
            _training,
            hint="The weights that are returned are those before dropout. And 0 / 0 is NaN.",
        ),
        Probe(
            "in evaluation dropout does nothing",
            "dropout",
            _evaluation,
            hint="module.eval() must reach it.",
        ),
    ),
    wrong=WRONG,
    odd=ODD,
    uses="torch",
    forbidden=(
        "scaled_dot_product_attention",
        "MultiheadAttention",
        "multi_head_attention_forward",
        *("ops", "_ops", "_jit_get_operation"),
    ),
    variants=VARIANTS,
)
