"""Set prediction: which predicted box answers for which object."""

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.reference._check import Call, all_finite
from attention_course.reference._checked import checked


def _known_names(call: Call) -> None:
    names = call.given["names"]
    if names.min() < 0 or names.max() >= call["classes"]:
        expected = f"numbers from 0 to {call['classes'] - 1}"
        raise call.fail("names", expected, f"{names.min()} to {names.max()}")


@checked(_known_names, non_empty_axes="queries classes objects")
def matching_cost(
    probabilities: Float[np.ndarray, "queries classes"],
    boxes: Float[np.ndarray, "queries 4"],
    names: Int[np.ndarray, " objects"],
    true_boxes: Float[np.ndarray, "objects 4"],
) -> Float[np.ndarray, "objects queries"]:
    r"""What it would cost to let each prediction answer for each object.

    .. math:: c_{ij} = 5 \sum_{k} |b_{jk} - \hat b_{ik}| - p_j(\text{name}_i)

    Args:
        probabilities: of every class, by each query.
        boxes: predicted, as centre, width and height.
        names: the class of each object.
        true_boxes: of the objects.

    Returns:
        The cost of each pair; less is better.

    Source:
        Carion et al. (2020), section 3.1, without the generalised IoU.

    >>> sure = np.array([[0.25, 0.75]])
    >>> matching_cost(sure, np.zeros((1, 4)), np.array([1]), np.full((1, 4), 0.25)).tolist()
    [[4.25]]
    """
    apart = np.abs(true_boxes[:, None] - boxes).sum(axis=-1)
    return 5 * apart - probabilities[:, names].T


def _enough_queries(call: Call) -> None:
    if call["objects"] > call["queries"]:
        raise call.fail("cost", "an array with at least as many queries as objects")


@checked(_enough_queries, non_empty_axes="objects", cost=all_finite)
def match(cost: Float[np.ndarray, "objects queries"]) -> Int[np.ndarray, " objects"]:
    r"""Give each object a query of its own, so that the costs add up to the least.

    .. math:: \hat\sigma = \arg\min_\sigma \sum_i c_{i \sigma(i)}

    One object after the other comes in. It takes the query that is cheapest after prices u
    and v; where that one is taken, its object moves on, along the cheapest way to a free one.

    Args:
        cost: of each object with each query.

    Returns:
        The query of each object.

    Source:
        Kuhn (1955), the Hungarian method, as one shortest way for each object.

    >>> match(np.array([[1.0, 2.0, 9.0], [1.0, 5.0, 9.0]])).tolist()
    [1, 0]
    """
    objects, queries = cost.shape
    u, v = np.zeros(objects), np.zeros(queries)
    owner = np.full(queries, -1)
    for new in range(objects):
        least, back = np.full(queries, np.inf), np.full(queries, -1)
        done = np.zeros(queries, dtype=bool)
        at, here, far = new, -1, 0.0
        while at >= 0:
            way = far + cost[at] - u[at] - v
            back[~done & (way < least)] = here
            least = np.where(done, least, np.minimum(least, way))
            here = int(np.where(done, np.inf, least).argmin())
            done[here], far, at = True, least[here], owner[here]
        u[owner[done & (owner >= 0)]] += far - least[done & (owner >= 0)]
        u[new] += far
        v[done] += least[done] - far
        while here >= 0:
            owner[here] = owner[back[here]] if back[here] >= 0 else new
            here = back[here]
    queried = np.flatnonzero(owner >= 0)
    return queried[owner[queried].argsort()]
