"""Luong's translator in plain NumPy, with one layer on either side: its parts.

A part calls another by its name alone, as in ``parts``. Matrices act on columns, as in the
paper; one sentence is read at a time. ``reference.recurrent.luong`` has the same as loops.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.assembled.parts import NextLogits, Weights, after_each
from attention_course.reference.recurrent.luong import attentional_vector
from attention_course.reference.softmax import softmax


def luong_scores(
    h_t: Float[np.ndarray, "batch d_t"],
    states: Float[np.ndarray, "batch source d_s"],
    score: str,
    W_a: Any = None,
    v_a: Any = None,
) -> Float[np.ndarray, "batch source"]:
    """Score source states by dot, general, concat or location."""
    n = states.shape[1]
    if score == "location":
        scores = np.full(states.shape[:2], -np.inf)
        scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n]
        return scores
    if score == "concat":
        asked = np.repeat(h_t[:, None], n, axis=1)
        both = np.concatenate([asked, states], axis=-1)
        return np.tanh(both @ W_a.T) @ v_a
    asked = h_t @ W_a if score == "general" else h_t
    return (states @ asked[..., None])[..., 0]


def lstm(
    x: Float[np.ndarray, " inputs"],
    h: Float[np.ndarray, " d"],
    c: Float[np.ndarray, " d"],
    W_x: Float[np.ndarray, "d4 inputs"],
    W_h: Float[np.ndarray, "d4 d"],
    b_x: Float[np.ndarray, " d4"],
    b_h: Float[np.ndarray, " d4"],
) -> tuple[Float[np.ndarray, " d"], Float[np.ndarray, " d"]]:
    """Return output and cell after one step."""
    drive = W_x @ x + b_x + W_h @ h + b_h
    i, f, _, o = np.split(1 / (1 + np.exp(-drive)), 4)
    c = f * c + i * np.tanh(np.split(drive, 4)[2])
    return o * np.tanh(c), c


def luong_encoder(
    x: Float[np.ndarray, "n inputs"],
    W_x: Float[np.ndarray, "d4 inputs"],
    W_h: Float[np.ndarray, "d4 d"],
    b_x: Float[np.ndarray, " d4"],
    b_h: Float[np.ndarray, " d4"],
) -> tuple[Float[np.ndarray, "n d"], Float[np.ndarray, " d"]]:
    """Read from left to right; return the output at each word, and the last cell."""
    h = c = np.zeros(W_h.shape[1])
    states = []
    for one in x:
        h, c = lstm(one, h, c, W_x, W_h, b_x, b_h)
        states.append(h)
    return np.array(states), c


def luong_step(
    y: Float[np.ndarray, " d_y"],
    fed: Float[np.ndarray, " d"],
    h: Float[np.ndarray, " d"],
    c: Float[np.ndarray, " d"],
    states: Float[np.ndarray, "source d"],
    p: Weights,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Go on, then look; return attentional vector, output, cell and weights."""
    h, c = lstm(np.concatenate([y, fed]), h, c, *p["lstm"])
    learned = p["W_a"], p["v_a"]
    scores = luong_scores(h[None], states[None], p["score"], *learned)
    weights = softmax(scores)[0]
    return attentional_vector(weights @ states, h, p["W_c"]), h, c, weights


def weights_from(arrays: Mapping[str, np.ndarray], score: str) -> dict[str, Any]:
    """Name a translator's arrays as the parts do, in double precision."""

    def found(name: str) -> np.ndarray | None:
        return arrays[name].astype(float) if name in arrays else None

    def layer(side: str) -> list[np.ndarray | None]:
        kinds = "weight_ih", "weight_hh", "bias_ih", "bias_hh"
        return [found(f"{side}.{kind}_l0") for kind in kinds]

    W_a = found("attention.score.W")
    decoder = {
        "name": "the decoder",
        "lstm": layer("decoder"),
        "score": score,
        "W_a": W_a if W_a is None or score == "general" else W_a.T,
        "v_a": found("attention.score.w_v"),
        "W_c": found("W_c.weight"),
    }
    p = {name: found(f"{name}.weight") for name in ("E_x", "E_y", "W_s")}
    return p | {"encoder": layer("encoder"), "decoder": decoder}


def encode(p: Weights, source: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Read a sentence; return the output at each word, and the last cell."""
    return luong_encoder(p["E_x"][list(source)], *p["encoder"])


def advance(
    p: Weights, states: np.ndarray, before: Sequence[np.ndarray], word: int
) -> tuple[tuple[np.ndarray, ...], Float[np.ndarray, " symbols"]]:
    """Take in a word; return what the next step needs and the logits of the next word."""
    y, (fed, h, c) = p["E_y"][word], before
    fed, h, c, _ = luong_step(y, fed, h, c, states, p["decoder"])
    return (fed, h, c), p["W_s"] @ fed


def writer(p: Weights, source: Sequence[int]) -> NextLogits:
    """Return a function from what is written so far to the logits of the next word."""
    states, c = encode(p, source)
    return after_each(partial(advance, p, states), (0 * c, states[-1], c))
