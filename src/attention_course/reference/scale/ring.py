"""What devices that share a sequence send and compute, counted."""

import math

import numpy as np

from attention_course._shapes import Int
from attention_course.reference._check import (
    Call,
    multiple_of,
    one_of,
    positive_number,
    whole,
)
from attention_course.reference._checked import checked

ORDERS = ("blocks", "striped", "zigzag")


def _halved(call: Call) -> None:
    if call["order"] == "zigzag" and call["n"] % (2 * call["devices"]):
        raise call.fail(
            "n", "a multiple of twice the devices, for halves that go zigzag", call["n"]
        )


@checked(_halved, devices=whole(1), n=(whole(1), multiple_of("devices")), order=one_of(*ORDERS))
def ring_positions(n: int, devices: int, order: str = "blocks") -> Int[np.ndarray, "devices c"]:
    r"""Say which places of a sequence each device holds.

    Args:
        n: length of the sequence, a multiple of ``devices``.
        devices: how many share it.
        order: "blocks"; "striped", dealt out one by one, like cards; or "zigzag", two blocks
            each, one from the front and one from the back, for which ``2 * devices`` divides n.

    Returns:
        One row for each device.

    Source:
        Liu et al. (2023), section 3, in blocks; Brandon et al. (2023), striped; Grattafiori
        et al. (2024), section 3.3.2, zigzag.

    >>> ring_positions(8, 2, "striped"), ring_positions(8, 2, "zigzag")
    (array([[0, 2, 4, 6],
           [1, 3, 5, 7]]), array([[0, 1, 6, 7],
           [2, 3, 4, 5]]))
    """
    places = np.arange(n)
    if order == "striped":
        return np.ascontiguousarray(places.reshape(-1, devices).T)
    if order == "zigzag":
        halves = places.reshape(2 * devices, -1)
        return np.concatenate([halves[:devices], halves[: devices - 1 : -1]], axis=1)
    return places.reshape(devices, -1)


@checked(_halved, devices=whole(1), n=(whole(1), multiple_of("devices")), order=one_of(*ORDERS))
def ring_work(n: int, devices: int, order: str = "blocks") -> Int[np.ndarray, "steps devices"]:
    r"""Count the scores that each device needs at each step of a causal ring.

    At step s, device r has the keys that device r - s holds.

    Args:
        n: length of the sequence, a multiple of ``devices``.
        devices: how many share it.
        order: who holds which places, as in :func:`ring_positions`.

    Returns:
        Scores under the causal mask, a row for each step.

    Source:
        Brandon et al. (2023), who found the imbalance and the remedy.

    >>> ring_work(6, 2), ring_work(6, 2, "striped")
    (array([[6, 6],
           [0, 9]]), array([[6, 6],
           [3, 6]]))
    """
    places = ring_positions(n, devices, order)
    return np.array(
        [
            [
                int(np.searchsorted(places[rank - step], places[rank], "right").sum())
                for rank in range(devices)
            ]
            for step in range(devices)
        ]
    )


@checked(
    devices=whole(1),
    n=(whole(1), multiple_of("devices")),
    kv_heads=whole(1),
    d_head=whole(1),
    number=whole(1),
)
def ring_bytes(
    n: int, devices: int, kv_heads: int, d_head: int, number: int = 2, backward: bool = False
) -> int:
    r"""Predict how many bytes each device sends.

    .. math:: \text{forward} = 2\,(P - 1)\, \frac nP\, h\, d\, b, \qquad
       \text{backward} = \bigl(2\,(P - 1) + 2 P\bigr)\, \frac nP\, h\, d\, b

    Keys and values make P - 1 steps. Backwards their gradients travel with them, and make one
    more step, home.

    Args:
        n: length of the sequence, a multiple of ``devices``.
        devices: P.
        kv_heads: h, heads with keys and values of their own, of the batch together.
        d_head: d, width of a key, and of a value.
        number: b, bytes of a number.
        backward: whether to count the backward pass, alone.

    Returns:
        Bytes.

    Source:
        Follows from Liu et al. (2023), algorithm 1.

    >>> ring_bytes(6, 2, kv_heads=1, d_head=4)
    48
    """
    one = n // devices * kv_heads * d_head * number
    return 2 * (devices - 1) * one + (2 * devices * one if backward else 0)


@checked(
    way=one_of("ring", "gather", "ulysses"),
    devices=whole(1),
    n=(whole(1), multiple_of("devices")),
    kv_heads=whole(1),
    heads=(whole(1), multiple_of("kv_heads")),
    d_head=whole(1),
    number=whole(1),
)
def parallel_bytes(
    way: str,
    n: int,
    devices: int,
    heads: int,
    kv_heads: int,
    d_head: int,
    number: int = 2,
    backward: bool = False,
) -> int:
    r"""Predict how many bytes each device sends, by way of sharing.

    .. math:: \text{gather} = 2\,(P - 1)\,\frac nP\, h_k\, d\, b, \qquad
       \text{Ulysses} = \frac{P - 1}{P}\,\frac nP\,
       \bigl(2 h + 2 \max(h_k, P)\bigr)\, d\, b

    Ulysses sends queries, keys and values, and brings contexts back; backwards it sends as
    much. Fewer heads of keys than devices are repeated. A gather sends keys and values to all
    others; backwards it does so again, and sends their gradients home. Forwards a ring sends as
    much as a gather.

    Args:
        way: "ring", "gather" or "ulysses".
        n: length of the sequence, a multiple of ``devices``.
        devices: P; for Ulysses it divides h, and is a multiple or a divisor of h_k.
        heads: h, of queries, of one sequence; a batch sends as many times as much.
        kv_heads: h_k, with keys and values of their own; divides h.
        d_head: d, width of a key, and of a value.
        number: b, bytes of a number.
        backward: whether to count the backward pass, alone.

    Returns:
        Bytes.

    Source:
        Jacobs et al. (2023), section 3.2; Grattafiori et al. (2024), section 3.3.2.

    >>> parallel_bytes("gather", 6, 2, 4, 1, d_head=4), parallel_bytes("ulysses", 6, 2, 4, 1, 4)
    (48, 144)
    """
    if way == "ring":
        return ring_bytes(n, devices, kv_heads, d_head, number, backward)
    one = n // devices * d_head * number
    if way == "gather":
        return (4 if backward else 2) * (devices - 1) * kv_heads * one
    return (devices - 1) * (2 * heads + 2 * max(kv_heads, devices)) * one // devices


@checked(operations=positive_number, link=positive_number, number=whole(1), group=whole(1))
def block_that_hides(
    operations: float, link: float, number: int = 2, group: int = 1, backward: bool = False
) -> int:
    r"""Return how many tokens each device must hold for sending to hide behind computing.

    .. math:: \frac{4 c^2 g d}{F} \ge \frac{2 c d b}{B} \quad\Leftrightarrow\quad
       c \ge \frac{b F}{2 g B}

    At each step a device multiplies its c queries with c keys and their weights with c values,
    4 c c d operations for each query head, and sends c keys and c values. Backwards it is five
    products for two, and four arrays for two.

    Args:
        operations: F, a second.
        link: B, bytes a second from a device to the next.
        number: b, bytes of a number.
        group: g, query heads for each head of keys and values.
        backward: whether it is the backward pass.

    Returns:
        c, rounded up.

    Source:
        Liu et al. (2023), section 3.1, where b = 2 and g = 1.

    >>> block_that_hides(312e12, 300e9)
    1040
    """
    sent, computed = (4, 10) if backward else (2, 4)
    return math.ceil(sent * number * operations / (computed * group * link))
