"""A Transformer in plain NumPy: what ``reference`` lacks of its parts, and what joins them.

A part calls another by its name alone, so that a reader's part can stand under that name. The
matrices W_q, W_k and W_v have the biases in their last row, and the vectors that enter them end
in a 1; so a function without biases fits.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from attention_course._shapes import Bool, Float, Int
from attention_course.reference.attention import scaled_dot_product_attention
from attention_course.reference.masks import causal_mask, padding_mask
from attention_course.reference.positions import sinusoidal_positions
from attention_course.reference.transformer.multi_head import (
    merge_heads,
    multi_head_attention,
    split_heads,
)
from attention_course.reference.transformer.transformer_block import feed_forward, layer_norm

PAD, START, END = 0, 1, 2
# Padding behind every source, so that a wrong mask shows in a single sentence.
ROOM = 2
LONGEST = 60

Weights = Mapping[str, Any]
NextLogits = Callable[[Sequence[int]], np.ndarray]


def mask_of_a_batch(
    lengths: Int[np.ndarray, " batch"], n_q: int, n_k: int
) -> Bool[np.ndarray, "batch 1 n_q n_k"]:
    """Let the last ``n_q`` positions see the real ones up to themselves."""
    return padding_mask(lengths, n_k)[:, None, None] & causal_mask(n_q, n_k)


def sinusoidal_table(n: int, d_model: int, offset: int = 0) -> Float[np.ndarray, "n d_model"]:
    """Return the vectors of n positions from ``offset`` on."""
    return sinusoidal_positions(offset + n, d_model)[offset:]


def cross_attention(
    x: Float[np.ndarray, "batch q d_model"],
    memory: Float[np.ndarray, "batch k d_memory"],
    W_q: Float[np.ndarray, "d_model queries"],
    W_k: Float[np.ndarray, "d_memory keys"],
    W_v: Float[np.ndarray, "d_memory values"],
    W_o: Float[np.ndarray, "values d_out"],
    n_heads: int,
    mask: Bool[np.ndarray, "..."] | None = None,
) -> tuple[Float[np.ndarray, "batch q d_out"], Float[np.ndarray, "batch heads q k"]]:
    """Let the vectors of one sequence look at those of another."""
    W = W_q, W_k, W_v, W_o
    return multi_head_attention(x, memory, *W, n_heads, mask=mask)


class KeyValueCache:
    """Keep keys and values, and let new queries attend to all of them."""

    def __init__(self) -> None:
        self.k: Any = None
        self.v: Any = None

    @property
    def length(self) -> int:
        """How many positions are kept."""
        return 0 if self.k is None else self.k.shape[-2]

    def append(
        self, k: Float[np.ndarray, "*batch m d_k"], v: Float[np.ndarray, "*batch m d_v"]
    ) -> None:
        """Keep the keys and values of m positions."""
        first = self.k is None
        self.k = k.copy() if first else np.concatenate([self.k, k], axis=-2)
        self.v = v.copy() if first else np.concatenate([self.v, v], axis=-2)

    def step(
        self,
        q: Float[np.ndarray, "*batch m d_k"],
        k: Float[np.ndarray, "*batch m d_k"],
        v: Float[np.ndarray, "*batch m d_v"],
    ) -> tuple[Float[np.ndarray, "*batch m n"], Float[np.ndarray, "*batch m d_v"]]:
        """Keep keys and values; return the weights and the context of the new queries."""
        self.append(k, v)
        mask = causal_mask(q.shape[-2], self.length)
        found = scaled_dot_product_attention(q, self.k, self.v, mask)
        return found[1], found[0]


def with_one(x: Float[np.ndarray, "batch n d"]) -> Float[np.ndarray, "batch n d_and_1"]:
    """Write a 1 behind each vector."""
    return np.concatenate([x, np.ones((*x.shape[:-1], 1))], axis=-1)


def look_at(
    attention: Callable[..., Any], x: np.ndarray, seen: np.ndarray, p: Weights, mask: np.ndarray
) -> Float[np.ndarray, "batch n d_model"]:
    """Return what the vectors ``x`` find in ``seen``."""
    asks = with_one(x)
    seen = asks if seen is x else with_one(seen)
    W = p["W_q"], p["W_k"], p["W_v"], p["W_o"]
    return attention(asks, seen, *W, p["n_heads"], mask=mask)[0] + p["b_o"]


def look_back(
    x: np.ndarray, p: Weights, cache: KeyValueCache
) -> Float[np.ndarray, "batch n d_model"]:
    """Return what new vectors find in what the cache keeps, and let it keep them too."""
    x = with_one(x)
    n, W = p["n_heads"], ("W_q", "W_k", "W_v")
    q, k, v = (split_heads(x @ p[name], n) for name in W)
    return merge_heads(cache.step(q, k, v)[1]) @ p["W_o"] + p["b_o"]


def encoder_block(
    x: Float[np.ndarray, "batch n d_model"], p: Weights, mask: Bool[np.ndarray, "..."]
) -> Float[np.ndarray, "batch n d_model"]:
    """Attend to the own sequence, then feed forward; normalise each sum."""
    found = look_at(multi_head_attention, x, x, p, mask)
    x = layer_norm(x + found, p["gain_1"], p["shift_1"])
    further = feed_forward(x, p["W_1"], p["b_1"], p["W_2"], p["b_2"])
    return layer_norm(x + further, p["gain_2"], p["shift_2"])


def decoder_block(
    y: Float[np.ndarray, "batch n d_model"],
    p: Weights,
    attend: Callable[[np.ndarray], np.ndarray],
    memory: Float[np.ndarray, "batch source d_model"],
    mask: Bool[np.ndarray, "..."],
) -> Float[np.ndarray, "batch n d_model"]:
    """Attend to what is written, with ``attend``, and to ``memory``, then feed forward."""
    y = layer_norm(y + attend(y), p["gain_1"], p["shift_1"])
    found = look_at(cross_attention, y, memory, p["cross"], mask)
    y = layer_norm(y + found, p["gain_2"], p["shift_2"])
    further = feed_forward(y, p["W_1"], p["b_1"], p["W_2"], p["b_2"])
    return layer_norm(y + further, p["gain_3"], p["shift_3"])


def greedy(next_logits: NextLogits, start: int, end: int, longest: int) -> list[int]:
    """Take the likeliest word until it is the end mark, at most ``longest`` of them."""
    written: list[int] = []
    while len(written) < longest and written[-1:] != [end]:
        written.append(int(next_logits([start, *written]).argmax()))
    return written


def beam(next_logits: NextLogits, start: int, end: int, longest: int, width: int) -> list[int]:
    """Keep the ``width`` likeliest beginnings, a word longer each time; return the best."""
    kept = [(0.0, [start])]
    for at in range(longest):
        further = [row for row in kept if at and row[1][-1] == end]
        for total, written in [row for row in kept if row not in further]:
            logits = next_logits(written)
            logs = logits - logits.max()
            logs = logs - np.log(np.exp(logs).sum())
            for word in np.argsort(-logs, kind="stable")[:width]:
                row = total + float(logs[word]), [*written, int(word)]
                further.append(row)
        kept = sorted(further, key=lambda row: -row[0])[:width]
        if all(written[-1] == end for _, written in kept):
            break
    return kept[0][1][1:]


def weights_from(arrays: Mapping[str, np.ndarray], n_heads: int) -> dict[str, Any]:
    """Name a translator's arrays as the parts do, in double precision, right of rows."""

    def pair(name: str) -> tuple[np.ndarray, np.ndarray]:
        both = arrays[f"{name}.weight"], arrays[f"{name}.bias"]
        return both[0].astype(float).T, both[1].astype(float)

    def attention(at: str) -> dict[str, Any]:
        p: dict[str, Any] = {"n_heads": n_heads}
        for x in "qkv":
            p[f"W_{x}"] = np.vstack(pair(f"{at}.W_{x}"))
        p["W_o"], p["b_o"] = pair(f"{at}.W_o")
        return p

    def block(stack: str, i: int) -> dict[str, Any]:
        at = f"core.{stack}.{i}"
        p = attention(f"{at}.attention")
        p["name"] = f"{stack} block {i + 1}"
        if stack == "decoder":
            p["cross"] = attention(f"{at}.cross")
        for j in (1, 2):
            p[f"W_{j}"], p[f"b_{j}"] = pair(f"{at}.feed_forward.W_{j}")
        for j in range(3 if stack == "decoder" else 2):
            norm = pair(f"{at}.norms.{j}")
            p[f"gain_{j + 1}"], p[f"shift_{j + 1}"] = norm
        return p

    n = sum(name.endswith("norms.2.bias") for name in arrays)
    p = {s: [block(s, i) for i in range(n)] for s in ("encoder", "decoder")}
    E = {E: arrays[f"{E}.weight"].astype(float) for E in ("E_x", "E_y")}
    return E | p | {"b": arrays["b"].astype(float)}


def enter(
    E: Float[np.ndarray, "words d_model"], symbols: Sequence[int], offset: int = 0
) -> Float[np.ndarray, "1 n d_model"]:
    """Return the vectors of some words, with their positions from ``offset`` on."""
    x = E[list(symbols)] * E.shape[1] ** 0.5
    return (x + sinusoidal_table(len(symbols), E.shape[1], offset))[None]


def encode(p: Weights, source: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Read a sentence; return its vectors and which of them are no padding."""
    padded = [*source, *[PAD] * ROOM]
    # The last query of a causal mask sees all keys that are real.
    mask = mask_of_a_batch(np.array([len(source)]), 1, len(padded))
    x = enter(p["E_x"], padded)
    for block in p["encoder"]:
        x = encoder_block(x, block, mask)
    return x, mask


def follow(
    p: Weights, source: Sequence[int], target: Sequence[int]
) -> Float[np.ndarray, "n words"]:
    """Return the logits after each word of a given target, all at once."""
    memory, mask = encode(p, source)
    n = len(target)
    before = mask_of_a_batch(np.array([n]), n, n)
    y = enter(p["E_y"], target)
    for block in p["decoder"]:

        def attend(x: np.ndarray, block: Weights = block) -> np.ndarray:
            return look_at(multi_head_attention, x, x, block, before)

        y = decoder_block(y, block, attend, memory, mask)
    return (y @ p["E_y"].T + p["b"])[0]


def writer(p: Weights, source: Sequence[int]) -> NextLogits:
    """Return a function from what is written so far to the logits of the next word."""
    memory, mask = encode(p, source)
    known: list[int] = []
    caches: list[KeyValueCache] = []

    def next_logits(written: Sequence[int]) -> Float[np.ndarray, " words"]:
        written = list(written)
        n = len(known)
        if not n or written[:n] != known or len(written) == n:
            known.clear()
            caches[:] = [KeyValueCache() for _ in p["decoder"]]
        y = enter(p["E_y"], written[len(known) :], len(known))
        for block, cache in zip(p["decoder"], caches, strict=True):
            attend = partial(look_back, p=block, cache=cache)
            y = decoder_block(y, block, attend, memory, mask)
        known[:] = written
        return (y @ p["E_y"].T + p["b"])[0, -1]

    return next_logits


def after_each(advance: Callable[..., Any], first: Any) -> NextLogits:
    """Return ``next_logits`` of a model that goes on from state to state, word by word."""
    states: dict[tuple[int, ...], Any] = {(): first}

    def next_logits(written: Sequence[int]) -> Float[np.ndarray, " words"]:
        words = tuple(written)
        known = max(n for n in range(len(words)) if words[:n] in states)
        for n in range(known, len(words)):
            state, logits = advance(states[words[:n]], words[n])
            states[words[: n + 1]] = state
        return logits

    return next_logits


def translated(p: Weights, source: Sequence[int], width: int = 1) -> list[int]:
    """Translate the numbers of a sentence's words, greedily or with several beams."""
    next_logits = writer(p, source)
    if width == 1:
        return greedy(next_logits, START, END, LONGEST)
    return beam(next_logits, START, END, LONGEST, width)
