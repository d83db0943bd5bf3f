"""Whether a way computes the same thing as another: asked before it is timed."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

Call = Callable[..., Tensor]
# How many roundings of the largest number are excused, where the eager form is exact by luck.
# In half precision sums are kept in float32, so that one rounding is left, of half a unit.
_ROUNDINGS, _HALF_ROUNDINGS = 4.0, 0.5


class Verdict(NamedTuple):
    """How far a way is from the reference.

    Attributes:
        output: the largest error of its output, and what is allowed.
        gradient: the same of the gradients by the inputs; None where none is asked for.
        causal: whether what lies ahead leaves its output alone; None where it may look ahead.
    """

    output: tuple[float, float]
    gradient: tuple[float, float] | None
    causal: bool | None

    @property
    def holds(self) -> bool:
        """Whether all of it is within bounds; an error that is NaN never is."""
        pairs = [self.output, *([self.gradient] if self.gradient else [])]
        return all(error <= most for error, most in pairs) and self.causal is not False


def equivalence(
    call: Call,
    reference: Call,
    inputs: Sequence[Tensor],
    *,
    eager: Call | None = None,
    causal: bool = False,
    gradients: bool = True,
) -> Verdict:
    """Compare output, gradients and causality of a way with a reference in float64.

    The rule is FlashAttention's: an error may be at most twice that of the eager form in the
    same number format. A form that rounds differently errs, too; only against the exact result
    can one say which errs more.

    Args:
        call: a function of the inputs.
        reference: the same function, called with the inputs in float64.
        inputs: in the format that is to be measured.
        eager: the form that sets the bound; the reference itself, in the inputs' format, unless
            given.
        causal: whether output ``t`` may depend on nothing behind position ``t`` (on the axis
            before the last, aligned at the end): every input is changed there to see.
        gradients: whether to compare them.

    Returns:
        The verdict. Nothing raises where it is bad.

    Source:
        Dao (2023), the tests of FlashAttention-2: error at most twice that of PyTorch's eager
        attention in the same format.

    >>> x = torch.linspace(-1, 1, 24).reshape(1, 1, 6, 4)
    >>> [equivalence(way, torch.sin, [x]).holds for way in (torch.sin, torch.clone)]
    [True, False]
    """
    if not inputs or not all(x.is_floating_point() for x in inputs):
        kinds = [str(x.dtype) for x in inputs]
        raise ValueError(f"equivalence: expected floating-point inputs, got {kinds}")
    if any(x.device.type == "mps" for x in inputs):
        raise ValueError(
            "equivalence: expected inputs on a device that has float64, got mps: move them to "
            'the CPU with .to("cpu")'
        )
    exact = [x.detach().double() for x in inputs]
    wanted, wanted_by = _with_gradients(reference, exact, gradients)
    own, own_by = _with_gradients(eager or reference, inputs, gradients)
    kind = torch.finfo(inputs[0].dtype)
    unit = kind.eps * (_HALF_ROUNDINGS if kind.bits == 16 else _ROUNDINGS)
    most = 2 * _error(own, wanted) + unit * _size([wanted])
    most_by = [
        2 * _error(a, b) + unit * _size([b]) for a, b in zip(own_by, wanted_by, strict=True)
    ]
    out, out_by = _with_gradients(call, inputs, gradients)
    errors = [_error(a, b) for a, b in zip(out_by, wanted_by, strict=True)]
    # The gradient that is nearest to its bound, or farthest beyond.
    worst = max(zip(errors, most_by, strict=True), key=_excess) if errors else None
    blind = _looks_back(call, inputs, most, gradients) if causal else None
    return Verdict((_error(out, wanted), most), worst, blind)


def _with_gradients(
    call: Call, inputs: Sequence[Tensor], gradients: bool
) -> tuple[Tensor, list[Tensor]]:
    leaves = [x.detach().clone().requires_grad_(gradients) for x in inputs]
    out = call(*leaves)
    if not gradients:
        return out.detach(), []
    # Another number for each entry: ones would not tell exchanged rows.
    pull = torch.sin(torch.arange(out.numel(), device=out.device)).reshape(out.shape)
    by = torch.autograd.grad(out, leaves, pull.to(out.dtype))
    return out.detach(), [x.detach() for x in by]


def _looks_back(call: Call, inputs: Sequence[Tensor], most: float, gradients: bool) -> bool:
    """Say whether outputs stay as they are when everything behind them is changed."""

    def result(values: Sequence[Tensor]) -> Tensor:
        # As before, with gradients or without, so that nothing is compiled a second time.
        return call(*(x.requires_grad_(gradients) for x in values)).detach()

    out = result([x.detach().clone() for x in inputs])
    n = out.shape[-2]
    for t in sorted({0, n // 3, n - 2} & set(range(n - 1))):
        changed = [x.detach().clone() for x in inputs]
        for x in changed:
            behind = x[..., t + 1 + x.shape[-2] - n :, :]
            behind.copy_(3 - 2 * behind)
        if not _error(result(changed)[..., : t + 1, :], out[..., : t + 1, :]) <= most:
            return False
    return True


def _error(a: Tensor, b: Tensor) -> float:
    return (a.double() - b.double()).abs().max().item()


def _size(values: Sequence[Tensor]) -> float:
    return max(x.double().abs().max().item() for x in values)


def _excess(pair: tuple[float, float]) -> float:
    error, most = pair
    # NaN, which no bound would refuse, counts as infinite.
    return float("inf") if error != error else error / max(most, 1e-300)
