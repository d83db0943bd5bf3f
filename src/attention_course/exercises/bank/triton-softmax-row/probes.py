"""A softmax of rows as a Triton kernel: any length, any stride, nothing written outside."""

import numpy as np

from attention_course.exercises.probing import Call, Probe
from attention_course.exercises.triton_answer import constant

# What lies around scores and results: a kernel that reads or writes there is found out.
AROUND_X, AROUND_Y = 9.0, -7.0


def launch(kernel, device, x, n):
    """Run a kernel on the first n numbers of each row; return them and what lies around."""
    import torch

    rows, stride = x.shape
    size = 1 << (n - 1).bit_length()
    given = torch.full((rows + 1, stride + size), AROUND_X, dtype=x.dtype, device=device)
    given.view(-1)[: rows * stride] = x.reshape(-1).to(device)
    room = torch.full((rows * stride + 2 * size,), AROUND_Y, dtype=x.dtype, device=device)
    kernel[(rows,)](given, room[size:], stride, n, SIZE=constant(size))
    results = room[size : size + rows * stride].view(rows, stride)[:, :n].clone()
    room[size : size + rows * stride].view(rows, stride)[:, :n] = 0
    return results.cpu(), room.cpu()


def ask(x, n=None):
    n = x.shape[1] if n is None else n
    x[:, n:] = AROUND_X
    return Call("softmax_row", (x.astype(np.float32), n), returns=("weights", "memory around"))


def normal(rows, n, stride=None):
    return lambda rng: [ask(rng.standard_normal((rows, stride or n)), n)]


def far_apart(rng):
    levels = 1500.0 * rng.permutation([-1, 0, 1])
    return [ask(levels[:, None] + rng.integers(-3, 4, (3, 6)))]


PROBES = (
    Probe("a single row of 8", "one row", normal(1, 8)),
    Probe("three rows of 16", "one row", normal(3, 16),
        "tl.program_id(0) is the number of the row."),
    Probe("rows of 5", "any length", normal(3, 5),
        "A block has a power of two of columns; some of them are no scores."),
    Probe("rows of 33", "any length", normal(2, 33)),
    Probe("rows of a single score", "any length", normal(4, 1)),
    Probe("rows with something after their scores", "any length", normal(3, 6, 11),
        "A row begins stride numbers after the one before it, not n."),
    Probe("scores near 3000", "large scores",
        lambda rng: [ask(3000.0 + rng.integers(-3, 4, (2, 6)))],
        "The exponential of 3000 is infinite in single precision."),
    Probe("scores near -3000", "large scores",
        lambda rng: [ask(-3000.0 + rng.integers(-3, 4, (2, 7)))],
        "Look at what stands in place of the scores that are none."),
    Probe("rows at very different levels", "large scores", far_apart),
    Probe("scores from 0 to 3000 in one row", "large scores",
        lambda rng: [ask(1000.0 * rng.permutation(4) + rng.integers(-3, 4, (2, 4)))]),
)  # fmt: skip
