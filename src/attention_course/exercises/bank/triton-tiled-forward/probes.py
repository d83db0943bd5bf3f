"""Attention's forward for one block of queries as a Triton kernel, with products by tl.dot."""

import numpy as np

from attention_course.exercises.probing import Call, Probe
from attention_course.exercises.triton_answer import constant

RETURNS = ("context", "log_sums", "memory around")
# What lies around: a kernel that reads behind the last value finds NaN.
BETWEEN, BEHIND, AROUND = 9.0, float("nan"), -7.0


def laid(x, stride, behind, device):
    """Return rows that begin so many numbers apart in memory, with something else around."""
    import torch

    n, size = x.shape
    room = torch.full((2 * n + 64, stride), behind, dtype=x.dtype, device=device)
    room[:n] = BETWEEN
    room[:n, :size] = x.to(device)
    return room


def launch(kernel, device, q, k, v, scale, causal, blocks, gaps):
    """Run a kernel for every block of queries; return what it wrote, and what lies around."""
    import torch

    (n_q, size), n_k, (block_q, block_k) = q.shape, len(k), blocks
    strides = [size + gap for gap in gaps]
    rooms = [
        laid(x, stride, behind, device)
        for x, stride, behind in zip(
            (q, k, v), strides, (BETWEEN, BETWEEN, BEHIND), strict=True
        )
    ]
    context = torch.full_like(rooms[0], AROUND)
    sums = torch.full((n_q + 64,), AROUND, dtype=torch.float32, device=device)
    kernel[(-(-n_q // block_q),)](
        *rooms, context, sums, *strides, n_q, n_k, scale,
        CAUSAL=constant(causal), SIZE=constant(size),
        BLOCK_Q=constant(block_q), BLOCK_K=constant(block_k),
    )  # fmt: skip
    contexts = context[:n_q, :size].clone()
    context[:n_q, :size] = AROUND
    around = torch.cat([context.flatten().float(), sums[n_q:]])
    return contexts.cpu(), sums[:n_q].cpu(), around.cpu()


def given(q, k, v, causal, scale=None, blocks=(16, 32), gaps=(0, 3, 7), half=False):
    arrays = [x.astype(np.float16 if half else np.float32) for x in (q, k, v)]
    scale = q.shape[1] ** -0.5 if scale is None else scale
    return Call("attend_rows", (*arrays, scale, causal, blocks, gaps), returns=RETURNS)


def over(n_q, n_k, causal, size=16, **more):
    def calls(rng):
        q, k, v = (rng.standard_normal((n, size)) for n in (n_q, n_k, n_k))
        return [given(q, k, v, causal, **more)]

    return calls


def levels(at, causal, n_q=16):
    """Return calls in which the scores of each block of 16 keys lie around a level."""

    def calls(rng):
        q = np.ones((n_q, 16)) + 0.05 * rng.standard_normal((n_q, 16))
        k, v = (rng.standard_normal((16 * len(at), 16)) for _ in range(2))
        k += np.repeat(at, 16)[:, None] / 4
        return [given(q, k, v, causal, blocks=(16, 16))]

    return calls


def below(rng):
    """All scores lie far below zero, and not one block of keys is full."""
    q, k = 30 + rng.random((19, 16)), -30 - 0.05 * rng.random((21, 16))
    return [given(q, k, rng.standard_normal((21, 16)), False, blocks=(16, 16))]


def beyond_half(rng):
    """Sums of values that float16 cannot hold, on the way to contexts that it can."""
    q, k = 0.5 * rng.standard_normal((16, 16)), rng.standard_normal((96, 16))
    v = 8000.0 * (0.5 + rng.random((96, 16)))
    v[48:] *= -1
    return [given(q, k, v, False, half=True, blocks=(16, 32))]


def fine_scores(rng):
    """Products of about 8,500, where float16 knows every eighth number only."""
    q, k = 16 + 0.2 * rng.random((16, 32)), 16 + rng.random((64, 32))
    return [given(q, k, rng.standard_normal((64, 32)), False, scale=0.125, half=True)]


PROBES = (
    Probe("one block of queries and one of keys", "every key", over(16, 32, False)),
    Probe("three blocks of keys", "every key", over(16, 96, False),
        "What was summed before the largest score grew?"),
    Probe("two blocks of queries, the last one short", "every key",
        over(25, 64, False, size=32, blocks=(16, 64)),
        "A program writes the rows that exist, and no others."),
    Probe("a last block of keys that is short", "every key",
        over(16, 75, False, gaps=(5, 2, 9)), "Behind the last key there are no scores."),
    Probe("a single key", "every key", over(3, 1, False, blocks=(16, 16))),
    Probe("causal, as many keys as queries", "causal", over(40, 40, True, blocks=(16, 16))),
    Probe("causal, more keys than queries", "causal", over(21, 70, True, size=32),
        "The last query sees every key."),
    Probe("causal, more queries than keys", "causal", over(45, 20, True, blocks=(16, 16)),
        "The first queries see nothing. What is minus infinity minus itself?"),
    Probe("scores that grow by hundreds on the way", "large scores",
        levels([0, 40, 110], False), "The exponential of 100 does not fit into float32."),
    Probe("scores that shrink by hundreds on the way", "large scores",
        levels([110, 40, 0], False), "A largest score never falls."),
    Probe("all scores far below zero", "large scores", below),
    Probe("far larger scores behind the mask", "large scores",
        levels([0, 110], True, n_q=32),
        "Which scores may the largest be taken of?"),
    Probe("float16, full", "half precision", over(20, 70, False, half=True)),
    Probe("float16, causal", "half precision", over(40, 50, True, half=True, size=32)),
    Probe("float16, large values", "half precision", beyond_half,
        "Above 65,504 a number in float16 is infinite."),
    Probe("float16, large products", "half precision", fine_scores,
        "How far apart are neighbours near 8,500 in float16?"),
)  # fmt: skip
