"""The saturation lab's numbers: what d_k and its scale do to weights and gradients.

256 queries look at up to 32 keys of up to 4096 components, all standard normal and drawn
once. The lab in the browser is this file in JavaScript; fixtures keep the two equal.
"""

import functools
import math
from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, finite, one_of, positive_number, whole
from attention_course.reference._checked import checked
from attention_course.reference.number_formats import FORMATS, round_to
from attention_course.reference.softmax import entropy, softmax_jacobian

N_QUERIES, MAX_KEYS, MAX_D_K = 256, 32, 4096
SCALES = ("none", "sqrt_d_k", "d_k", "custom")
#: A query is called dead if the norm of its Jacobian is below this.
DEAD = 1e-3
#: Scores are counted in bins of this width around 0; the two outermost are open.
SCORE_STEP, SCORE_BINS = 4, 65
#: Gradient norms are counted from 1e-8 to 100 in thirds of a decade.
GRADIENT_DECADES, GRADIENT_BINS_A_DECADE = (-8, 2), 3
GRADIENT_EDGES = 10.0 ** (
    np.arange(
        GRADIENT_BINS_A_DECADE * GRADIENT_DECADES[0],
        GRADIENT_BINS_A_DECADE * GRADIENT_DECADES[1] + 1,
    )
    / GRADIENT_BINS_A_DECADE
)
#: Stands for the typical query: of all 256, the one whose largest weight is the median.
TYPICAL = -1


@checked(seed=whole(0, 2**32 - 1))
@functools.lru_cache(maxsize=2)
def lab_draws(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""Draw the lab's queries, keys and gradients.

    .. math:: q_{ic},\; k_{jc},\; g_{ij} \sim N(0, 1)

    Args:
        seed: of ``numpy.random.RandomState``, which JavaScript can reproduce.

    Returns:
        Queries (256, 4096), keys (32, 4096) and the gradients that arrive at the weights
        (256, 32). They are shared: do not write into them.

    Source:
        The assumption of Vaswani et al. (2017), footnote 4.

    >>> [x.shape for x in lab_draws(0)]
    [(256, 4096), (32, 4096), (256, 32)]
    """
    draw = np.random.RandomState(seed).standard_normal
    drawn = draw((N_QUERIES, MAX_D_K)), draw((MAX_KEYS, MAX_D_K)), draw((N_QUERIES, MAX_KEYS))
    for x in drawn:
        x.flags.writeable = False
    return drawn


@checked(scale=one_of(*SCALES))
def scale_factor(scale: str, d_k: int, scale_value: float = 1.0) -> float:
    r"""Say what the dot products are multiplied by.

    .. math:: s = 1, \quad 1 / \sqrt{d_k}, \quad 1 / d_k \quad \text{or the value given}

    Args:
        scale: "none", "sqrt_d_k", "d_k" (the last two divide) or "custom".
        d_k: width of queries and keys.
        scale_value: the factor where ``scale`` is "custom".

    Returns:
        The factor.

    Source:
        Vaswani et al. (2017), section 3.2.1.

    >>> scale_factor("sqrt_d_k", 64)
    0.125
    """
    factors = {"none": 1.0, "sqrt_d_k": 1.0 / math.sqrt(d_k), "d_k": 1.0 / d_k}
    return factors.get(scale, scale_value)


@checked(ignore_warnings="invalid over", number_format=one_of(*FORMATS))
def softmax_in_format(
    scores: Float[np.ndarray, "*batch n"], number_format: str
) -> Float[np.ndarray, "*batch n"]:
    r"""Softmax as a machine computes it that stores every step in a short format.

    .. math:: p_i = \mathrm{rd}\!\left(\frac{E_i}{\sum_j E_j}\right), \qquad
       E_i = \mathrm{rd}(\exp(\mathrm{rd}(x_i - \max_j x_j)))

    The sum is kept in float32, as matrix units do. An infinite largest score gives NaN, as
    it would on the machine: infinity minus infinity is nothing.

    Args:
        scores: already rounded to the format.
        number_format: "float32", "bfloat16" or "float16".

    Returns:
        The weights, as float64.

    Source:
        The usual implementation of softmax; rounding as :func:`round_to`.

    >>> softmax_in_format(np.array([0.0, 20.0]), "float16").tolist()
    [0.0, 1.0]
    """
    below = scores - scores.max(axis=-1, keepdims=True)
    exps = round_to(np.exp(round_to(below, number_format)), number_format)
    total = np.zeros(scores.shape[:-1], dtype=np.float32)
    for j in range(scores.shape[-1]):
        total = (total + exps[..., j].astype(np.float32)).astype(np.float32)
    wide = total[..., None].astype(np.float64)
    return round_to(exps / wide, number_format)


def _offsets(call: Call, argument: str, x: Any) -> Any:
    if len(x) > MAX_KEYS or not all(math.isfinite(number) for number in x):
        raise call.fail(argument, f"at most {MAX_KEYS} finite numbers", repr(x))
    return x


@checked(
    d_k=whole(1, MAX_D_K),
    n_keys=whole(2, MAX_KEYS),
    scale=one_of(*SCALES),
    scale_value=finite,
    spread=positive_number,
    number_format=one_of(*FORMATS),
    seed=whole(0, 2**32 - 1),
    query=whole(TYPICAL, N_QUERIES - 1),
    offsets=_offsets,
)
def saturation(
    d_k: int = 64,
    n_keys: int = 16,
    scale: str = "none",
    scale_value: float = 1.0,
    spread: float = 1.0,
    number_format: str = "float32",
    seed: int = 0,
    query: int = TYPICAL,
    offsets: tuple[float, ...] | list[float] = (),
) -> dict[str, Any]:
    r"""Everything that the saturation lab shows for one setting.

    .. math:: e_{ij} = s \sigma \, \mathbf q_i \cdot \mathbf k_j, \qquad
       \alpha_i = \operatorname{softmax}(e_i), \qquad
       \frac{\partial L}{\partial \mathbf q_i} = s K^\top J_i \, \mathbf g_i

    Args:
        d_k: how many components of queries and keys count, 1 to 4096.
        n_keys: how many keys there are, 2 to 32.
        scale: "none", "sqrt_d_k", "d_k" or "custom", see :func:`scale_factor`.
        scale_value: the factor where ``scale`` is "custom".
        spread: standard deviation given to the components of the queries.
        number_format: format in which scores and weights are stored.
        seed: of the draws.
        query: which query is shown singly, 0 to 255; -1 for the typical one, whose largest
            weight is the median of all (the lower of the two in the middle).
        offsets: added to the scores of the shown query; missing ones are 0. The statistics
            over all queries are without them.

    Returns:
        "shown": which query it is, its scores, weights, entropy, top weight, Jacobian norm and
        gradient norm. "batch": over the 256 queries, medians (and means where a mean says
        something else), the share of dead ones, and "overflow", the share whose weights are
        not numbers; those are left out of the other statistics. "scores" and "gradients":
        the two histograms; of the gradients also how many in each bin are dead. "queries":
        gradient norm of each query, and whether it is dead.

    Source:
        Vaswani et al. (2017), section 3.2.1 and footnote 4.

    >>> numbers = saturation(d_k=64)["batch"]
    >>> round(numbers["top_weight_median"], 2), round(numbers["dead"], 2)
    (0.93, 0.13)
    """
    factor = scale_factor(scale, d_k, scale_value)
    q, k, g = _rounded_draws(seed, number_format)
    k, g = k[:n_keys, :d_k], g[:, :n_keys]
    scores = round_to(q[:, :d_k] @ k.T * spread, number_format)
    scores = round_to(scores * factor, number_format)
    weights = softmax_in_format(scores, number_format)
    if query == TYPICAL:
        query = _typical(weights)
    moved = scores[query].copy()
    moved[: len(offsets)] += np.asarray(offsets, dtype=np.float64)[:n_keys]
    moved = round_to(moved, number_format)
    moved_weights = softmax_in_format(moved, number_format)
    one = _per_query(moved_weights[None], g[query][None], k, factor)
    every = _per_query(weights, g, k, factor)
    dead = every["jacobian_norm"] < DEAD
    return {
        "shown": {
            "query": query,
            "scores": moved,
            "weights": moved_weights,
            **{name: float(values[0]) for name, values in one.items()},
        },
        "batch": _statistics(every),
        "scores": _score_histogram(scores),
        "gradients": _gradient_histogram(every["gradient_norm"], dead),
        "queries": {"gradient_norm": every["gradient_norm"], "dead": dead},
    }


@functools.lru_cache(maxsize=3)
def _rounded_draws(seed: int, number_format: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, k, g = lab_draws(seed)
    return round_to(q, number_format), round_to(k, number_format), g


def _per_query(
    weights: np.ndarray, g: np.ndarray, k: np.ndarray, factor: float
) -> dict[str, np.ndarray]:
    """Entropy, top weight, Jacobian norm and gradient norm of each query, NaN if overflown."""
    known = ~np.isnan(weights).any(axis=-1)
    safe = np.where(known[:, None], weights, 0.0)
    jacobian = softmax_jacobian(safe)
    gradient = factor * (np.einsum("bij,bj->bi", jacobian, g) @ k)
    values = {
        "entropy": entropy(safe),
        "top_weight": safe.max(axis=-1),
        # From the entries themselves: the expanded square cancels below 1e-8.
        "jacobian_norm": np.sqrt((jacobian**2).sum(axis=(-2, -1))),
        "gradient_norm": np.sqrt((gradient**2).sum(axis=-1)),
    }
    return {name: np.where(known, x, np.nan) for name, x in values.items()}


def _statistics(every: dict[str, np.ndarray]) -> dict[str, float]:
    known = ~np.isnan(every["top_weight"])
    if not known.any():
        every = {name: np.full(1, np.nan) for name in every}
        known = np.ones(1, dtype=bool)
        overflow = 1.0
    else:
        overflow = 1.0 - float(known.mean())
    kept = {name: x[known] for name, x in every.items()}
    gradient = kept["gradient_norm"]
    return {
        "top_weight_median": float(np.median(kept["top_weight"])),
        "top_weight_mean": float(np.mean(kept["top_weight"])),
        "entropy_median": float(np.median(kept["entropy"])),
        "jacobian_norm_median": float(np.median(kept["jacobian_norm"])),
        "gradient_norm_median": float(np.median(gradient)),
        "gradient_norm_mean": float(np.mean(gradient)),
        "gradient_norm_p99": float(np.quantile(gradient, 0.99)),
        "dead": float(np.mean(kept["jacobian_norm"] < DEAD)) * (1.0 - overflow),
        "overflow": overflow,
    }


def _typical(weights: np.ndarray) -> int:
    """Return the query with the median largest weight; of equal ones the first in order."""
    top = weights.max(axis=-1)
    known = np.flatnonzero(~np.isnan(top))
    if not known.size:
        return 0
    order = known[np.argsort(top[known], kind="stable")]
    return int(order[(known.size - 1) // 2])


def _score_histogram(scores: np.ndarray) -> dict[str, Any]:
    finite = scores[np.isfinite(scores)]
    place = np.floor(finite / SCORE_STEP + SCORE_BINS / 2)
    counts = np.bincount(np.clip(place, 0, SCORE_BINS - 1).astype(int), minlength=SCORE_BINS)
    return {
        "counts": counts,
        "std": float(finite.std()) if finite.size else math.nan,
        "infinite": int(scores.size - finite.size),
    }


def _gradient_histogram(norms: np.ndarray, dead: np.ndarray) -> dict[str, Any]:
    known = ~np.isnan(norms)
    last = len(GRADIENT_EDGES) - 2
    place = np.clip(np.searchsorted(GRADIENT_EDGES, norms[known], side="right"), 0, last + 1)
    # What is below the first edge is in a bin of its own, in front.
    counts, of_these_dead = (
        np.bincount(place[which], minlength=last + 2)
        for which in (np.ones(place.size, dtype=bool), dead[known])
    )
    return {
        "below": int(counts[0]),
        "counts": counts[1:],
        "dead_below": int(of_these_dead[0]),
        "dead": of_these_dead[1:],
    }
