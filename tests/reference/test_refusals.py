"""Bad input: every public function says its name, what it expects and what came."""

import inspect
import math
import re
import subprocess
import sys

import bad_calls
import numpy as np
import pytest
import torch

from attention_course import reference as r

pytestmark = pytest.mark.usefixtures("untyped")


@pytest.fixture(scope="module")
def table() -> str:
    return bad_calls.TABLE.read_text(encoding="utf-8")


def test_the_table_of_bad_calls_holds(table):
    with np.errstate(all="ignore"):
        assert "\n".join(bad_calls.refusals()) + "\n" == table
    assert table.count("\n") >= 1960


def test_it_holds_without_jaxtyping(table):
    command = [sys.executable, bad_calls.__file__, "--untyped"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == table


# What an example of a single call, spoiled in one place, does not show.
Q, K, V = np.ones((2, 5, 4)), np.ones((2, 3, 4)), np.ones((2, 3, 6))
Q7, WORDS = np.ones((2, 7, 4)), np.zeros((1, 2), int)
UNIT = r.GatedUnit(np.zeros((6, 1)), np.zeros((6, 2)), np.ones(6))
LAYER = np.zeros((8, 1)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)
LUONG, GNMT, LSTMN, BAHDANAU = (
    sys.modules[function.__module__]._example()
    for function in (r.luong_by_loops, r.gnmt_by_loops, r.lstmn_by_loops, r.bahdanau_by_loops)
)
HEADS = [np.ones(shape) for shape in ((5, 6), (7, 10), (4, 6, 3), (2, 10, 3), (2, 10, 11))]
WIDE = [np.ones(shape) for shape in ((5, 6), (7, 10), (6, 12), (10, 12), (10, 40), (40, 13))]
ONE_LOOK = {"x": np.ones(3), "summary": np.ones(2), "weights": LSTMN}
TILED = r.attention_work("tiled", 8, 8)
T4 = r.device_sheets()["T4"]
SUM = "weights must be weights that sum to 1 in each row"
TEXT = "a text of at least one symbol"
CALLS = [
    (lambda: r.alignment_error_rate([], [], []), "sure must be a part of possible"),
    (lambda: r.alignment_error_rate([], [(0, 0)], []), "1 of them not possible"),
    (
        lambda: r.annotate_by_loops([], np.ones((1, 1)), UNIT, UNIT),
        "one or more numbers below 1",
    ),
    (
        lambda: r.attention_only_by_loops([], [1], None),
        "source and target_in must be sequences",
    ),
    (lambda: r.attention_work("tiled", 8, 8, heads=6, kv_heads=4), "a divisor of heads = 6"),
    (lambda: r.attention_work("tiled", 8, 8, dtype="fp8"), "dtype must be one of float16, bfl"),
    (lambda: r.attention_work("tiled", 8, 8, causal=1), "causal must be True or False"),
    (lambda: r.bahdanau_by_loops([3], [], BAHDANAU), "target_in must be one or more numbers"),
    (lambda: r.bahdanau_by_loops([6], [1], BAHDANAU), "annotate_by_loops: tokens must be one"),
    (lambda: r.bleu([], []), "written must be as many as wanted"),
    (
        lambda: r.block_sparse_attention(Q, K, V, np.ones((3, 2), bool), 2, True),
        "causal must be F",
    ),
    (lambda: r.causal_mask(2, 1), "n_keys must be at least n_queries = 2, got 1"),
    (
        lambda: r.choose(np.ones((2, 1)), np.ones(3)),
        "uniforms must be of a shape that ends in (2,)",
    ),
    (lambda: r.choose(np.ones((2, 1)), np.ones(2)), "uniforms must be numbers from 0 to 1"),
    (lambda: r.cosine_scores(Q, K, np.zeros((2, 5))), "beta must be a positive finite number"),
    (lambda: r.decoder_step(np.ones(5), [1.0], np.ones((3, 6)), BAHDANAU), "y must be a NumPy"),
    (lambda: r.dot_scores(Q, K[:1]), "q and k must agree in their batch axes"),
    (lambda: r.entropy(np.array([0.5, math.nan])), "between 0 and 1, got range nan to nan"),
    (lambda: r.gnmt_encode_by_loops([3], GNMT), "tokens must be one or more numbers below 3"),
    (lambda: r.gnmt_by_loops([0], [4], GNMT), "target_in must be one or more numbers below 4"),
    (
        lambda: r.gnmt_step(np.ones(2), [], np.ones((2, 2)), GNMT),
        "states must be 3 pairs, got 0",
    ),
    (lambda: r.gumbel_noise((2,), 0), "rng must be a numpy RandomState"),
    (lambda: r.hardest_links(np.ones((1, 1)), [1]), "rows must be below 1"),
    (lambda: r.lab_draws(2**32), "seed must be a whole number from 0 to 4294967295"),
    (lambda: r.linear_attention(Q7, Q, Q, causal=True), "as many keys as queries, 7"),
    (
        lambda: r.lstmn_look(**ONE_LOOK, hidden_tape=[np.ones(2)], memory_tape=[]),
        "equally long",
    ),
    (lambda: r.lstmn_by_loops([], LSTMN), "inputs must be one or more"),
    (lambda: r.luong_by_loops([3], [], LUONG), "target_in must be one or more numbers"),
    (
        lambda: r.luong_by_loops([3], [1], LUONG._replace(scope="near")),
        "scope must be one of glo",
    ),
    (
        lambda: r.luong_by_loops([3], [1], LUONG._replace(query="s_t")),
        "query must be one of this",
    ),
    (lambda: r.luong_encode_by_loops([], np.ones((1, 1)), [LAYER]), "numbers below 1, got []"),
    (lambda: r.moving_baselines(np.ones(2), 2.0), "decay must be a number from 0 to 1"),
    (lambda: r.multi_head_attention(*WIDE, 5), "W_q must be an array with queries = 10"),
    (
        lambda: r.multi_head_attention(*WIDE, 4, 3),
        "n_kv_heads must be a divisor of n_heads = 4",
    ),
    (lambda: r.multi_head_attention(*WIDE, 4, x_v=np.ones((7, 9))), "W_v and x_v must agree"),
    (lambda: r.multi_head_by_loops(*HEADS, np.ones((11, 13))), "array with joined = 44"),
    (
        lambda: r.multi_head_by_loops(
            *HEADS[:3], np.ones((3, 10, 3)), np.ones((3, 10, 2)), np.ones((8, 4))
        ),
        "W_k must be projections for a divisor of 4 heads",
    ),
    (lambda: r.padding_mask(np.array([0, 4]), 3), "between 0 and n_keys = 3, got [0, 4]"),
    (lambda: r.query_gradient(Q, K, np.ones((2, 3, 5))), "agree in the number of queries"),
    (lambda: r.reinforce_gradients(np.ones(2), np.array([0]), np.ones(1)), SUM),
    (
        lambda: r.relaxed_choice(np.ones(2), np.ones(2), 0.0),
        "temperature must be positive, got 0",
    ),
    (lambda: r.ring_work(7, 2), "n must be a multiple of devices = 2, got 7"),
    (lambda: r.serve([], None), "requests must be requests in the order in which they came"),
    (lambda: r.tokens_per_pass("half", 2), "kept must be a finite number, got 'half'"),
    (lambda: r.roofline("tiled", T4), "work must be what attention_work returns, got str"),
    (lambda: r.roofline(TILED, "T4"), "device must be one of device_sheets()"),
    (
        lambda: r.roofline(TILED, T4),
        "float16 or float32 on a T4, got bfloat16: a T4 has no bfl",
    ),
    (lambda: r.saturation(d_k=4097), "d_k must be a whole number from 1 to 4096, got 4097"),
    (lambda: r.saturation(offsets=[math.nan]), "offsets must be at most 32 finite numbers"),
    (lambda: r.saturation(scale="sqrt"), "scale must be one of none, sqrt_d_k"),
    (
        lambda: r.scaled_dot_product_attention(Q, K, V[0]),
        "q, k and v must agree in their batch",
    ),
    (lambda: r.scaled_dot_product_attention(Q, K[:, :0], V[:, :0]), "with at least one key"),
    (lambda: r.scaled_dot_scores(Q[..., :0], K[..., :0]), "q must be an array with d_k of at"),
    (lambda: r.scores_by_loops(np.ones(2), np.ones((3, 2)), "general"), "W_a must be an array"),
    (lambda: r.sliding_window_attention(Q, K, V, 2), "as many keys as queries, 5"),
    (lambda: r.split_words(" ,."), "text must be text with at least one word"),
    (lambda: r.softmax(np.ones((2, 0))), "x must be an array with at least one entry along"),
    (lambda: r.softmax(torch.ones(2)), "x must be a NumPy array of floats, got Tensor"),
    (lambda: r.softmax(np.float64(1)), "x must be a NumPy array of floats, got float64"),
    (
        lambda: r.write_by_loops(
            np.ones(2),
            np.ones((4, 1)),
            [*map(np.ones, ((6, 1), (6, 2), 6, 6))],
            np.ones((4, 2)),
            np.ones(4),
            end=4,
        ),
        "end must be below symbols = 4",
    ),
    (lambda: r.write_freely(str, "", 2), "first must be " + TEXT),
    (lambda: r.write_with_teacher(str, ""), f"target must be {TEXT}, got ''"),
    *(
        (
            lambda axis=axis: r.softmax(V, axis),
            f"axis must be an axis of an array with shape (2, 3, 6), got {axis!r}",
        )
        for axis in (3, -4, 0.5, None, (0, 1))
    ),
    *(
        (
            lambda f=f, scale=scale: f(
                Q, K, V[..., :5].mT if f is r.query_gradient else V, scale=scale
            ),
            f"scale must be a finite number, got {scale!r}",
        )
        for f in (r.scaled_dot_product_attention, r.query_gradient)
        for scale in (math.nan, -math.inf, "sqrt", True, np.ones(2), 1j)
    ),
    *(
        (lambda mask=mask: r.scaled_dot_product_attention(Q, K, V, mask), message)
        for mask, message in (
            (
                np.ones((5, 3), int),
                "mask must be a boolean NumPy array (True = may attend), got dtype",
            ),
            (
                [True, True, False],
                "mask must be a boolean NumPy array (True = may attend), got list",
            ),
            (np.ones(9, bool), "broadcastable to the scores' shape (2, 5, 3), got shape (9,)"),
            (np.ones((1, 2, 5, 3), bool), "broadcastable to the scores' shape (2, 5, 3), got"),
        )
    ),
]


@pytest.mark.parametrize(("call", "message"), CALLS)
def test_bad_input_is_refused_by_name(call, message):
    with pytest.raises(ValueError, match=re.escape(message)) as raised:
        call()
    assert re.match(r"\w+: .*, got ", str(raised.value), re.DOTALL)
    # The traceback ends at the call, not within the steps of the check.
    assert raised.traceback[-1].name in ("checked_call", str(raised.value).partition(":")[0])


def test_python_itself_says_which_arguments_there_are():
    for call in (
        lambda: r.softmax(),
        lambda: r.softmax(Q, -1, None, 4),
        lambda: r.softmax(Q, x=Q),
        lambda: r.softmax(Q, width=3),
    ):
        with pytest.raises(TypeError, match=r"softmax\(\) "):
            call()


# What its signature checks, and what checks by itself.
REFUSING = [
    name
    for name in r.__all__
    if inspect.isfunction(function := getattr(r, name))
    and ("@checked" in inspect.getsource(function) or "Raises:" in function.__doc__)
    and name != "encoder_decoder_by_loops"  # block_by_loops does, of which it is made
]


def test_every_public_function_is_seen_refusing(table):
    by_hand = inspect.getsource(sys.modules[__name__])
    assert len(REFUSING) >= 140
    unseen = [n for n in REFUSING if f"{n}, " not in table and f"r.{n}(" not in by_hand]
    assert unseen == []
