import math

import numpy as np
import pytest

from attention_course.reference import (
    entropy,
    lab_draws,
    query_gradient,
    round_to,
    saturation,
    scale_factor,
    scaled_dot_scores,
    softmax,
    softmax_in_format,
    softmax_jacobian,
)
from attention_course.reference.number_formats import FORMATS


def test_the_draws_are_numpys_and_cannot_be_written_into():
    q, k, g = lab_draws(5)
    stream = np.random.RandomState(5).standard_normal(256 * 4096 + 32 * 4096 + 256 * 32)

    assert np.array_equal(np.concatenate([q.ravel(), k.ravel(), g.ravel()]), stream)
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 1.0


@pytest.mark.parametrize("d_k", [3, 64, 300])
@pytest.mark.parametrize("scale", ["none", "sqrt_d_k", "d_k", "custom"])
def test_in_float32_the_numbers_are_those_of_plain_attention(d_k, scale):
    q, k, g = (x.copy() for x in lab_draws(1))
    q, k, g = q[:, :d_k], k[:7, :d_k], g[:, :7]
    factor = scale_factor(scale, d_k, 0.3)
    weights = softmax(scaled_dot_scores(2.0 * q, k, factor))
    gradient = np.linalg.norm(query_gradient(2.0 * q, k, g, factor), axis=-1)
    norm = np.linalg.norm(softmax_jacobian(weights), axis=(-2, -1))
    got = saturation(
        d_k=d_k, n_keys=7, scale=scale, scale_value=0.3, spread=2.0, seed=1, query=9
    )

    assert got["shown"]["weights"] == pytest.approx(weights[9], abs=2e-5)
    assert got["shown"]["entropy"] == pytest.approx(entropy(weights)[9], abs=2e-4)
    assert got["batch"]["top_weight_median"] == pytest.approx(
        np.median(weights.max(-1)), abs=1e-5
    )
    assert got["batch"]["top_weight_mean"] == pytest.approx(weights.max(-1).mean(), abs=1e-5)
    assert got["batch"]["jacobian_norm_median"] == pytest.approx(np.median(norm), abs=1e-5)
    assert got["batch"]["gradient_norm_median"] == pytest.approx(np.median(gradient), abs=1e-4)
    assert got["batch"]["gradient_norm_mean"] == pytest.approx(gradient.mean(), abs=1e-3)
    assert got["batch"]["gradient_norm_p99"] == pytest.approx(
        np.quantile(gradient, 0.99), abs=1e-2
    )
    assert got["batch"]["dead"] == pytest.approx(np.mean(norm < 1e-3), abs=1 / 256)


@pytest.mark.parametrize("number_format", FORMATS)
def test_weights_are_what_torch_computes_in_the_format(number_format):
    torch = pytest.importorskip("torch")
    dtype = getattr(torch, number_format)
    scores = round_to(np.random.RandomState(0).standard_normal((64, 16)) * 6, number_format)
    there = torch.softmax(torch.from_numpy(scores).to(dtype), dim=-1).to(torch.float64).numpy()
    ours = softmax_in_format(scores, number_format)
    # torch keeps float32 inside and rounds once at the end; we round every step.
    unit = {"float32": 2.0**-22, "bfloat16": 2.0**-6, "float16": 2.0**-9}[number_format]

    assert np.abs(ours - there).max() <= unit


def test_float16_overflow_is_shown_and_left_out_of_the_other_figures():
    some = saturation(d_k=4096, spread=500.0, number_format="float16")["batch"]
    all_ = saturation(d_k=4096, n_keys=32, spread=1e6, number_format="float16", query=3)

    assert 0 < some["overflow"] < 1
    assert some["top_weight_median"] == 1.0
    assert some["dead"] + some["overflow"] == pytest.approx(1.0)
    assert all_["batch"]["overflow"] == 1.0
    assert math.isnan(all_["batch"]["top_weight_median"])
    assert np.isnan(all_["shown"]["weights"]).all()


def test_the_histograms_hold_every_score_and_every_query():
    got = saturation(d_k=300, n_keys=5)

    assert got["scores"]["counts"].sum() == 256 * 5
    assert got["gradients"]["counts"].sum() + got["gradients"]["below"] == 256
    assert saturation(d_k=4096, number_format="float16")["gradients"]["below"] > 0


def test_the_dead_are_told_from_the_others_in_every_count():
    got = saturation(d_k=512)
    dead = round(256 * got["batch"]["dead"])
    gradients = got["gradients"]

    assert got["queries"]["dead"].sum() == gradients["dead"].sum() + gradients["dead_below"]
    assert dead == got["queries"]["dead"].sum()
    assert (gradients["dead"] <= gradients["counts"]).all()
    median = np.median(got["queries"]["gradient_norm"])
    assert median == pytest.approx(got["batch"]["gradient_norm_median"])


@pytest.mark.parametrize("setting", [{"d_k": 64}, {"d_k": 4096}, {"d_k": 300, "n_keys": 5}])
def test_the_typical_query_is_the_median_one(setting):
    shown = saturation(**setting)["shown"]
    top = [saturation(**setting, query=i)["shown"]["top_weight"] for i in range(256)]

    assert shown["top_weight"] == sorted(top)[127]
    assert top[shown["query"]] == shown["top_weight"]
    # Where several share it, one of those is taken, always the same.
    assert saturation(**setting)["shown"]["query"] == shown["query"]


def test_offsets_move_the_shown_query_and_no_other():
    still, moved = saturation(query=4), saturation(query=4, offsets=[0.0, 3.5])

    assert moved["shown"]["scores"][1] == pytest.approx(still["shown"]["scores"][1] + 3.5)
    assert moved["shown"]["scores"][0] == still["shown"]["scores"][0]
    assert moved["batch"] == still["batch"]
