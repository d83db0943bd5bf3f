"""Bahdanau's translator in plain NumPy: its parts, and what joins them.

A part calls another by its name alone, as in ``parts``. Matrices act on columns, as in the
paper; one sentence is read at a time. ``reference.recurrent.bahdanau`` has the same as loops.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from attention_course._shapes import Bool, Float
from attention_course.assembled.parts import ROOM, NextLogits, Weights, after_each
from attention_course.reference.softmax import softmax


def additive_attention(
    s: Float[np.ndarray, "batch d_s"],
    h: Float[np.ndarray, "batch source d_h"],
    W_a: Float[np.ndarray, "d_a d_s"],
    U_a: Float[np.ndarray, "d_a d_h"],
    v_a: Float[np.ndarray, " d_a"],
    mask: Bool[np.ndarray, "batch source"],
) -> tuple[Float[np.ndarray, "batch d_h"], Float[np.ndarray, "batch source"]]:
    """Score every annotation with a small network; return contexts and weights."""
    scores = np.tanh((s @ W_a.T)[:, None] + h @ U_a.T) @ v_a
    weights = softmax(scores, mask=mask)
    return (weights[:, None] @ h)[:, 0], weights


def gated_unit(
    drive: Float[np.ndarray, " d3"],
    s: Float[np.ndarray, " d"],
    U: Float[np.ndarray, "d3 d"],
) -> Float[np.ndarray, " d"]:
    """Return the state after one step; ``drive`` is what the inputs add."""
    d = len(s)
    z, r = np.split(1 / (1 + np.exp(-(drive[d:] + U[d:] @ s))), 2)
    candidate = np.tanh(drive[:d] + U[:d] @ (r * s))
    return (1 - z) * s + z * candidate


def read_both_ways(
    x: Float[np.ndarray, "n d_x"],
    W_f: Float[np.ndarray, "d3 d_x"],
    U_f: Float[np.ndarray, "d3 d"],
    b_f: Float[np.ndarray, " d3"],
    W_b: Float[np.ndarray, "d3 d_x"],
    U_b: Float[np.ndarray, "d3 d"],
    b_b: Float[np.ndarray, " d3"],
) -> Float[np.ndarray, "n d2"]:
    """Read from left to right and from right to left; return both states of each word."""

    def read(x: np.ndarray, W: np.ndarray, U: np.ndarray, b: np.ndarray) -> np.ndarray:
        states = [np.zeros(U.shape[1])]
        for drive in x @ W.T + b:
            states.append(gated_unit(drive, states[-1], U))
        return np.array(states[1:])

    ahead = read(x, W_f, U_f, b_f)
    back = read(x[::-1], W_b, U_b, b_b)[::-1]
    return np.concatenate([ahead, back], axis=1)


def bahdanau_step(
    s: Float[np.ndarray, " d"],
    y: Float[np.ndarray, " d_y"],
    h: Float[np.ndarray, "source d_h"],
    W_a: Float[np.ndarray, "d_a d"],
    U_a: Float[np.ndarray, "d_a d_h"],
    v_a: Float[np.ndarray, " d_a"],
    W: Float[np.ndarray, "d3 d_y"],
    C: Float[np.ndarray, "d3 d_h"],
    b: Float[np.ndarray, " d3"],
    U: Float[np.ndarray, "d3 d"],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Look with the old state, go on with the context; return state, context, weights."""
    padded = np.concatenate([h, np.ones((ROOM, h.shape[1]))])
    mask = np.arange(len(padded)) < len(h)
    learned = W_a, U_a, v_a
    both = additive_attention(s[None], padded[None], *learned, mask[None])
    context, weights = both[0][0], both[1][0, : len(h)]
    return gated_unit(W @ y + C @ context + b, s, U), context, weights


def deep_output(
    s: Float[np.ndarray, " d"],
    y: Float[np.ndarray, " d_y"],
    context: Float[np.ndarray, " d_h"],
    U_o: Float[np.ndarray, "l2 d"],
    V_o: Float[np.ndarray, "l2 d_y"],
    C_o: Float[np.ndarray, "l2 d_h"],
    b_o: Float[np.ndarray, " l2"],
    W_o: Float[np.ndarray, "symbols l"],
    b_w: Float[np.ndarray, " symbols"],
) -> Float[np.ndarray, " symbols"]:
    """Join state, word and context, keep the larger of every two; return the logits."""
    pairs = U_o @ s + V_o @ y + C_o @ context + b_o
    return W_o @ pairs.reshape(-1, 2).max(axis=1) + b_w


def weights_from(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Name a translator's arrays as the parts do, in double precision."""

    def found(*names: str) -> list[np.ndarray]:
        return [arrays[name].astype(float) for name in names]

    def unit(at: str) -> list[np.ndarray]:
        return found(f"{at}.W.weight", f"{at}.U", f"{at}.W.bias")

    W, U, b = unit("decoder")
    W_a, U_a, v_a = found(*(f"attention.{x}_a.weight" for x in "WUv"))
    [C] = found("C.weight")
    p = {name: found(f"{name}.weight")[0] for name in ("E_x", "E_y", "W_s")}
    output = found("U_o.weight", "V_o.weight", "C_o.weight", "V_o.bias")
    return p | {
        "forward": unit("encoder.forward_unit"),
        "backward": unit("encoder.backward_unit"),
        "b_s": found("W_s.bias")[0],
        "step": [W_a, U_a, v_a[0], W, C, b, U],
        "output": output + found("W_o.weight", "W_o.bias"),
    }


def encode(p: Weights, source: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Read a sentence; return its annotations and the decoder's first state."""
    x = p["E_x"][list(source)]
    h = read_both_ways(x, *p["forward"], *p["backward"])
    first = h[0, h.shape[1] // 2 :]
    return h, np.tanh(p["W_s"] @ first + p["b_s"])


def advance(
    p: Weights, h: np.ndarray, s: np.ndarray, word: int
) -> tuple[np.ndarray, Float[np.ndarray, " symbols"]]:
    """Take in a word; return the state after it and the logits of the next."""
    y = p["E_y"][word]
    new, context, _ = bahdanau_step(s, y, h, *p["step"])
    return new, deep_output(s, y, context, *p["output"])


def writer(p: Weights, source: Sequence[int]) -> NextLogits:
    """Return a function from what is written so far to the logits of the next word."""
    h, s = encode(p, source)
    return after_each(partial(advance, p, h), s)
