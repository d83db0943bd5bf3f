"""The numbers of each example, from the reference; ``maths.js`` computes them in the page."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from attention_course.drawing._stacks import grid_steps
from attention_course.reference import (
    align_by_loops,
    causal_mask,
    dot_scores,
    gated_step,
    multi_head_attention,
    scaled_dot_product_attention,
    scaled_dot_scores,
    self_attention,
    softmax,
    split_heads,
)
from attention_course.reference.recurrent.fixed_vector import gru_step
from attention_course.reference.recurrent.lstm import lstm_step
from attention_course.reference.recurrent.lstmn import LSTMNWeights, lstmn_look, lstmn_step
from attention_course.reference.recurrent.luong import attentional_vector, scores_by_loops
from attention_course.widgets.stepper.examples import Example

Arrays = dict[str, Any]


def compute(example: Example, word: int, scale: str) -> dict[str, Any]:
    """Return every number that the example shows, by name, in lists.

    Args:
        example: what is played.
        word: who asks, from 0.
        scale: "none", or "sqrt_d_k" for 1 / √d_k.
    """
    given = {k: np.array(x) if isinstance(x, list) else x for k, x in example.inputs.items()}
    numbers = _KINDS[example.kind](given, word, scale)
    plain = {name: getattr(x, "tolist", lambda x=x: x)() for name, x in numbers.items()}
    return plain | {"words": list(example.words), "word": word}


def _attention(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    q, k = given["q"], given["k"]
    v = given.get("v", k)
    factor = 1.0 if scale == "none" else None
    context, weights = scaled_dot_product_attention(q, k, v, scale=factor)
    return {
        "k": k,
        "v": v,
        "query": q[word],
        "factor": "× 1" if scale == "none" else f"÷ √{q.shape[-1]}",
        "scores": dot_scores(q, k)[word],
        "scaled": scaled_dot_scores(q, k, factor)[word],
        "weights": weights[word],
        "shares": weights[word][:, None] * v,
        "context": context[word],
        "top": int(weights[word].argmax()),
    }


def _self(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    x, W_q, W_k, W_v = torch_draws(**given)
    projected = {"q": x @ W_q, "k": x @ W_k, "v": x @ W_v}
    shown = _attention(projected, word, scale)
    if scale != "none":  # another way to the same
        shown["context"] = self_attention(x, W_q, W_k, W_v)[0][word]
    return shown | {"x": x, "asking": x[word]}


def torch_draws(
    seed: int, order: Any, d_model: int, d_k: int, d_v: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what torch draws for the six words, without torch.

    After ``torch.manual_seed(seed)``, ``torch.nn.Embedding`` draws its rows by Box and Muller,
    eight pairs at a time; after the same seed again, ``torch.rand`` draws W_q, W_k and W_v,
    each with its outputs first. Both use the generator of NumPy's RandomState.

    Args:
        seed: of both.
        order: for each word its row of the embedding.
        d_model: width of the embedding, a multiple of 16.
        d_k: width of queries and keys.
        d_v: width of values.

    Returns:
        The words' vectors and the three matrices, inputs first.
    """
    pairs = _uniform(seed, len(order) * d_model).reshape(-1, 2, 8)
    radius, angle = np.sqrt(-2 * np.log(1 - pairs[:, 0])), 2 * np.pi * pairs[:, 1]
    rows = np.concatenate([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
    table = rows.reshape(len(order), d_model)
    ends = np.cumsum([d_k * d_model, d_k * d_model, d_v * d_model])
    parts = np.split(_uniform(seed, int(ends[-1])), ends[:-1])
    W_q, W_k, W_v = (part.reshape(-1, d_model).T for part in parts)
    return table[order], W_q, W_k, W_v


def _uniform(seed: int, n: int) -> np.ndarray:
    bits = np.random.RandomState(seed).randint(0, 2**32, n, dtype=np.uint32)
    return (bits & 0xFFFFFF) / 2**24


def _causal(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    q, k, v = given["q"], given["k"], given["v"]
    contexts, weights = scaled_dot_product_attention(q, k, v, causal_mask(len(q)))
    matrix = scaled_dot_scores(q, k)
    return {"q": q, "k": k, "v": v, "matrix": matrix, "weights": weights, "contexts": contexts}


def _heads(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    x, n_heads = given["x"], given["n_heads"]
    q, k, v = (split_heads(x @ given[f"W_{name}"], n_heads) for name in "qkv")
    context, weights = scaled_dot_product_attention(q, k, v)
    W_q, W_k, W_v, W_o = (given[f"W_{name}"] for name in "qkvo")
    output, _ = multi_head_attention(x, x, W_q, W_k, W_v, W_o, n_heads)
    first, second = weights[:, word].argmax(axis=-1)
    return {
        "asking": x[word],
        "q": q[:, word],
        "k": k,
        "v": v,
        "scores": scaled_dot_scores(q, k)[:, word],
        "weights": weights[:, word],
        "context": context[:, word],
        "joined": context[:, word].reshape(-1),
        "output": output[word],
        "first": int(first),
        "second": int(second),
    }


def _bahdanau(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    s, h, v_a = given["s"], given["h"], given["v_a"]
    context, weights = align_by_loops(s, h, given["W_a"], given["U_a"], v_a)
    drive = given["W"] @ given["y"] + given["C"] @ context + given["b"]
    return {
        "query": s,
        "k": h,
        "y": given["y"],
        "scores": np.tanh(s @ given["W_a"].T + h @ given["U_a"].T) @ v_a,
        "weights": weights,
        "context": context,
        "state": gated_step(drive, s, given["U"]),
        "top": int(weights.argmax()),
    }


def _luong(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    b = given["b"]
    state, _ = lstm_step(
        given["x"], given["h"], given["m"], given["W_x"], given["W_h"], b, np.zeros_like(b)
    )
    k = given["k"]
    scores = scores_by_loops(state, k, "dot")
    weights = softmax(scores)
    context = weights @ k
    return {
        "before": given["h"],
        "y": given["x"],
        "query": state,
        "k": k,
        "scores": scores,
        "weights": weights,
        "context": context,
        "state": attentional_vector(context, state, given["W_c"]),
        "top": int(weights.argmax()),
    }


def _tape(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    x, h, c = given["x"], given["h"], given["c"]
    tapes = [*h], [*c]
    looks = (given["W_h"], given["W_x"], given["W_s"], given["v"])
    learned = LSTMNWeights(*looks, given["W"], given["b"])
    summary, cell, weights = lstmn_look(x, given["summary"], *tapes, learned)
    state, memory, _, _ = lstmn_step(x, given["summary"], *tapes, learned)
    asked = learned.W_x @ x + learned.W_summary @ given["summary"]
    return {
        "x": x,
        "summary": given["summary"],
        "k": h,
        "cells": c,
        "scores": np.tanh(h @ learned.W_h.T + asked) @ learned.v,
        "weights": weights,
        "context": summary,
        "cell": cell,
        "state": state,
        "memory": memory,
        "top": int(weights.argmax()),
    }


def _fixed(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    learned = given["W_x"], given["W_h"], given["b_x"], given["b_h"]

    def states(words: list[np.ndarray]) -> np.ndarray:
        found = [np.zeros(given["W_h"].shape[1])]
        for x in words:
            found.append(gru_step(x, found[-1], *learned))
        return np.stack(found[1:])

    h = states([*given["x"]])
    changed = states([given["other"], *given["x"][1:]])
    return {"h": h, "c": h[-1], "gaps": np.linalg.norm(h - changed, axis=1)}


def _grid(given: Mapping[str, Any], word: int, scale: str) -> Arrays:
    words, layers = given["words"], given["layers"]
    return {"bottom": grid_steps(words, layers, 1), "top": grid_steps(words, layers, layers)}


_KINDS = {
    "attention": _attention,
    "self": _self,
    "causal": _causal,
    "heads": _heads,
    "bahdanau": _bahdanau,
    "luong": _luong,
    "tape": _tape,
    "fixed": _fixed,
    "grid": _grid,
}
