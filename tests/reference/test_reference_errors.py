"""Bad input: every public function says its name, what it expects and what came."""

import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from attention_course import reference
from attention_course.reference import (
    additive_scores,
    attention_by_loops,
    causal_mask,
    dot_scores,
    entropy,
    one_query_backward,
    padding_mask,
    query_gradient,
    scaled_dot_product_attention,
    scaled_dot_scores,
    softmax,
    softmax_jacobian,
)

pytestmark = pytest.mark.usefixtures("untyped")

# Good arguments, one set a function; each row of the table below spoils one of them.
Q, K, V = np.ones((2, 5, 4)), np.ones((2, 3, 4)), np.ones((2, 3, 6))
GOOD = {
    softmax: {"x": np.ones((2, 3))},
    softmax_jacobian: {"p": np.full((2, 4), 0.25)},
    entropy: {"p": np.full((2, 4), 0.25)},
    dot_scores: {"q": Q, "k": K},
    scaled_dot_scores: {"q": Q, "k": K},
    additive_scores: {
        "q": Q,
        "k": np.ones((2, 3, 7)),
        "W_q": np.ones((4, 8)),
        "W_k": np.ones((7, 8)),
        "w_v": np.ones(8),
    },
    causal_mask: {"n_queries": 2, "n_keys": 3},
    padding_mask: {"lengths": np.array([1, 2]), "n_keys": 3},
    attention_by_loops: {"q": Q[0], "k": K[0], "v": V[0]},
    scaled_dot_product_attention: {"q": Q, "k": K, "v": V},
    one_query_backward: {"q": Q[0, 0], "k": K[0], "v": V[0], "g": V[0, 0]},
    query_gradient: {"q": Q, "k": K, "weight_gradient": np.ones((2, 5, 3))},
}


def _spoiled() -> list[tuple]:
    """Rows (function, spoiled arguments, expected, got) for every array of every function."""
    rows = []
    for function, good in GOOD.items():
        for argument, x in good.items():
            if not isinstance(x, np.ndarray) or x.dtype != np.float64:
                continue
            a_float = f"{argument} must be a NumPy array of floats"
            rows += [
                (function, {argument: x.tolist()}, a_float, "list"),
                (function, {argument: torch.from_numpy(x)}, a_float, "Tensor"),
                (function, {argument: None}, a_float, "NoneType"),
            ]
            an_array = f"{argument} must be an array of floats"
            rows += [
                (function, {argument: x.astype(int)}, an_array, "dtype int64"),
                (function, {argument: x.astype(bool)}, an_array, "dtype bool"),
                (function, {argument: x.astype(complex)}, an_array, "dtype complex128"),
            ]
            rows.append((function, {argument: x[(0,) * x.ndim]}, "", ""))  # a NumPy scalar
            rows.append((function, {argument: np.array(0.5)}, "an array with", "shape ()"))
    return rows


AXES = [
    (dot_scores, {"q": np.ones(4)}, "q must be an array with at least 2 axes", "shape (4,)"),
    (dot_scores, {"k": np.ones(4)}, "k must be an array with at least 2 axes", "shape (4,)"),
    (
        additive_scores,
        {"w_v": np.ones((8, 1))},
        "w_v must be an array with exactly 1 axis",
        "(8, 1)",
    ),
    (additive_scores, {"W_q": np.ones(4)}, "W_q must be an array with exactly 2 axes", "(4,)"),
    (
        additive_scores,
        {"W_k": np.ones((1, 7, 8))},
        "W_k must be an array with exactly 2",
        "(1, 7, 8)",
    ),
    (attention_by_loops, {"q": Q}, "q must be an array with exactly 2 axes", "(2, 5, 4)"),
    (attention_by_loops, {"v": V}, "v must be an array with exactly 2 axes", "(2, 3, 6)"),
]
WIDTH = "must agree in their last axis, d_k"
BATCH = "must agree in their batch axes"
SHAPES = [
    *(
        (function, {"k": np.ones((2, 3, 9))}, f"q and k {WIDTH}", "k of shape (2, 3, 9)")
        for function in (
            dot_scores,
            scaled_dot_scores,
            scaled_dot_product_attention,
            query_gradient,
        )
    ),
    (attention_by_loops, {"k": np.ones((3, 9))}, f"q and k {WIDTH}", "k of shape (3, 9)"),
    (
        attention_by_loops,
        {"v": np.ones((9, 6))},
        "k and v must agree in the number of keys",
        "(9, 6)",
    ),
    (
        scaled_dot_product_attention,
        {"v": np.ones((2, 9, 6))},
        "k and v must agree in",
        "(2, 9, 6)",
    ),
    *(
        (function, {"k": np.ones((1, 3, 4))}, f"q and k {BATCH}", "k of shape (1, 3, 4)")
        for function in (
            dot_scores,
            scaled_dot_scores,
            scaled_dot_product_attention,
            query_gradient,
        )
    ),
    (dot_scores, {"q": np.ones((5, 4))}, f"q and k {BATCH}", "q of shape (5, 4)"),
    (
        scaled_dot_product_attention,
        {"v": np.ones((3, 6))},
        f"q, k and v {BATCH}",
        "v of shape (3, 6)",
    ),
    (additive_scores, {"k": np.ones((9, 3, 7))}, f"q and k {BATCH}", "k of shape (9, 3, 7)"),
    (
        additive_scores,
        {"q": np.ones((2, 5, 9))},
        "q and W_q must agree in the query width",
        "(2, 5, 9)",
    ),
    (
        additive_scores,
        {"k": np.ones((2, 3, 9))},
        "k and W_k must agree in the key width",
        "(2, 3, 9)",
    ),
    (
        additive_scores,
        {"W_k": np.ones((7, 9))},
        "W_q and W_k must agree in the hidden width",
        "(7, 9)",
    ),
    (
        additive_scores,
        {"w_v": np.ones(9)},
        "W_q and w_v must agree in the hidden width",
        "(9,)",
    ),
    (
        query_gradient,
        {"weight_gradient": np.ones((2, 3, 5))},
        "weight_gradient must be of the scores' shape (2, 5, 3)",
        "shape (2, 3, 5)",
    ),
]
NO_WIDTH = {"q": np.ones((2, 5, 0)), "k": np.ones((2, 3, 0))}
EMPTY = [
    (
        softmax,
        {"x": np.ones((2, 0))},
        "x must be an array with at least one entry",
        "shape (2, 0)",
    ),
    (scaled_dot_scores, NO_WIDTH, "q must be an array with d_k of at least 1", "(2, 5, 0)"),
    (scaled_dot_product_attention, NO_WIDTH, "q must be an array with d_k", "(2, 5, 0)"),
    (query_gradient, NO_WIDTH, "q must be an array with d_k of at least 1", "(2, 5, 0)"),
    (
        scaled_dot_product_attention,
        {"k": np.ones((2, 0, 4)), "v": np.ones((2, 0, 6))},
        "k must be an array with at least one key",
        "shape (2, 0, 4)",
    ),
    (
        attention_by_loops,
        {"k": np.ones((0, 4)), "v": np.ones((0, 6))},
        "k must be an array with at least one key",
        "shape (0, 4)",
    ),
]
BOOLEAN = "mask must be a boolean NumPy array (True = may attend)"
FITS = "mask must be broadcastable to the scores' shape"
MASKS = [
    row
    for function, shape in ((softmax, (2, 3)), (scaled_dot_product_attention, (2, 5, 3)))
    for row in [
        (function, {"mask": np.ones(shape)}, BOOLEAN, "dtype float64"),
        (function, {"mask": np.ones(shape, int)}, BOOLEAN, "dtype int64"),
        (function, {"mask": [True, True, False]}, BOOLEAN, "list"),
        (function, {"mask": torch.ones(shape, dtype=torch.bool)}, BOOLEAN, "Tensor"),
        (function, {"mask": np.ones(9, bool)}, f"{FITS} {shape}", "shape (9,)"),
        (function, {"mask": np.ones((1, *shape), bool)}, f"{FITS} {shape}", str((1, *shape))),
    ]
]
SCALES = [
    (function, {"scale": scale}, "scale must be a finite number", got)
    for function in (scaled_dot_scores, scaled_dot_product_attention, query_gradient)
    for scale, got in [
        (math.nan, "nan"),
        (math.inf, "inf"),
        (-math.inf, "-inf"),
        ("sqrt", "'sqrt'"),
        (True, "True"),
        (np.ones(2), "array([1., 1.])"),
        (1j, "1j"),
    ]
]
NUMBERS = [
    *(
        (softmax, {"axis": axis}, "axis must be an axis of an array with shape (2, 3)", got)
        for axis, got in [
            (2, "2"),
            (-3, "-3"),
            (0.5, "0.5"),
            (None, "None"),
            ((0, 1), "(0, 1)"),
        ]
    ),
    *(
        (function, {argument: n}, f"{argument} must be a positive whole number", repr(n))
        for function, argument in [
            (causal_mask, "n_queries"),
            (causal_mask, "n_keys"),
            (padding_mask, "n_keys"),
        ]
        for n in (0, -1, 2.0, True, "3")
    ),
    (padding_mask, {"n_keys": None}, "n_keys must be a positive whole number", "None"),
    (causal_mask, {"n_keys": 1}, "n_keys must be at least n_queries = 2", "1"),
    (
        padding_mask,
        {"lengths": [1, 2]},
        "lengths must be a NumPy array of whole numbers",
        "list",
    ),
    (
        padding_mask,
        {"lengths": np.ones(2)},
        "lengths must be a NumPy array of whole",
        "float64",
    ),
    (
        padding_mask,
        {"lengths": np.array([True])},
        "lengths must be a NumPy array of",
        "dtype bool",
    ),
    (
        padding_mask,
        {"lengths": np.array([0, 4])},
        "lengths must be between 0 and n_keys = 3",
        "[0, 4]",
    ),
    (padding_mask, {"lengths": np.array([-1, 2])}, "lengths must be between 0 and", "[-1, 2]"),
]
WEIGHTS = [
    (function, {"p": np.array(p)}, "p must be weights between 0 and 1", got)
    for function in (softmax_jacobian, entropy)
    for p, got in [
        ([-0.5, 1.0], "range -0.5 to 1.0"),
        ([0.5, 1.5], "range 0.5 to 1.5"),
        ([0.5, math.nan], "range nan to nan"),
    ]
]
TABLE = [*_spoiled(), *AXES, *SHAPES, *EMPTY, *MASKS, *SCALES, *NUMBERS, *WEIGHTS]


def _name(value: object) -> str:
    return value.__name__ if callable(value) else ""


@pytest.mark.parametrize(("function", "bad", "expected", "got"), TABLE, ids=_name)
def test_bad_input_is_refused_with_name_expectation_and_what_came(function, bad, expected, got):
    message = f"^{function.__name__}: .*{re.escape(expected)}.*, got .*{re.escape(got)}"
    with pytest.raises(ValueError, match=message):
        function(**(GOOD[function] | bad))


@pytest.mark.parametrize("function", GOOD, ids=_name)
def test_the_arguments_are_good_until_one_is_spoiled(function):
    function(**GOOD[function])


# encoder_decoder_by_loops leaves it to block_by_loops, of which it is made.
REFUSING = [
    name
    for name in reference.__all__
    if inspect.isfunction(getattr(reference, name))
    and "Raises:" in getattr(reference, name).__doc__
    and name != "encoder_decoder_by_loops"
]


def test_every_public_function_is_seen_refusing(looked_at):
    """In the table above, or by its name and colon in a test file beside this one."""
    others = [f for f in Path(__file__).parent.rglob("test_*.py") if f != Path(__file__)]
    texts = "\n".join(f.read_text(encoding="utf-8") for f in others)
    in_table = {row[0].__name__ for row in TABLE}
    looked_at("refusals of the reference: functions", len(REFUSING))
    assert [n for n in REFUSING if n not in in_table and f"{n}: " not in texts] == []
