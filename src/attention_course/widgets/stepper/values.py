"""The numbers of each example, from the reference; ``maths.js`` computes them in the page."""

from typing import Any

import numpy as np

from attention_course.reference import (
    dot_scores,
    scaled_dot_product_attention,
    scaled_dot_scores,
)
from attention_course.widgets.stepper.examples import Example


def compute(example: Example, word: int, scale: str) -> dict[str, Any]:
    """Return every number that the example shows, by name.

    Args:
        example: what is played.
        word: who asks, from 0.
        scale: "none", or "sqrt_d_k" for 1 / √d_k.
    """
    given = {name: np.array(x) for name, x in example.inputs.items() if isinstance(x, list)}
    numbers = _KINDS[example.kind](given, word, scale)
    lists = {
        name: x.tolist() if isinstance(x, np.ndarray) else x for name, x in numbers.items()
    }
    return lists | {"words": list(example.words), "word": word}


def _attention(given: dict[str, np.ndarray], word: int, scale: str) -> dict[str, Any]:
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


_KINDS = {"attention": _attention}
