"""Self-attention on a sentence of the reader's own, from draws that JavaScript repeats."""

from typing import Any

import numpy as np

from attention_course._shapes import Float
from attention_course.reference._check import Call, one_of, text, whole
from attention_course.reference._checked import checked
from attention_course.reference.masks import causal_mask
from attention_course.reference.positions import sinusoidal_positions
from attention_course.reference.scores import dot_scores
from attention_course.reference.softmax import softmax

D_MODEL, MAX_WIDTH, MAX_WORDS = 8, 8, 8
MASKS = ("none", "causal", "others")
_DROPPED = ' \t\n\u00a0.,;:!?"()[]{}\u2026\u201c\u201d\u201e\u00ab\u00bb'


def _words(text: str) -> list[str]:
    words = text.translate(dict.fromkeys(map(ord, _DROPPED), " ")).split(" ")
    return [word for word in words if word]


def _some_words(call: Call, argument: str, text: Any) -> str:
    if not isinstance(text, str) or not _words(text):
        raise call.fail(argument, "text with at least one word", repr(text))
    return text


@checked(text=_some_words)
def split_words(text: str) -> list[str]:
    """Cut a sentence at blanks and punctuation; at most eight words are kept.

    Args:
        text: the sentence. Capital letters are kept: *The* and *the* are two words.

    Returns:
        One to eight words.

    Raises:
        ValueError: if ``text`` is no text, or holds no word.

    Source:
        As in Raschka (2023), who drops the comma and splits at blanks.

    >>> split_words("Life is short, eat dessert first")
    ['Life', 'is', 'short', 'eat', 'dessert', 'first']
    """
    return _words(text)[:MAX_WORDS]


@checked(name=text, n=whole(1))
def named_draws(name: str, n: int) -> Float[np.ndarray, " n"]:
    r"""Draw standard normals from a generator that a name seeds.

    .. math:: h \leftarrow (h \oplus b) \cdot 16777619 \bmod 2^{32}
       \quad \text{for every byte } b \text{ of the name}

    Args:
        name: any text; the same name gives the same numbers.
        n: how many.

    Returns:
        The first ``n`` draws of ``RandomState(h)``.

    Raises:
        ValueError: if ``name`` is no text or ``n`` not a positive whole number.

    Source:
        The hash is FNV-1a (Fowler, Noll and Vo) with 32 bits.

    >>> bool((named_draws("bank", 2) == named_draws("bank", 3)[:2]).all())
    True
    """
    h = 2166136261
    for byte in name.encode():
        h = (h ^ byte) * 16777619 % 2**32
    return np.random.RandomState(h).standard_normal(n)


@checked(
    text=_some_words,
    d_k=whole(1, MAX_WIDTH),
    d_v=whole(1, MAX_WIDTH),
    seed=whole(0),
    mask=one_of(*MASKS),
)
def sentence_attention(
    text: str,
    d_k: int = 4,
    d_v: int = 4,
    seed: int = 0,
    mask: str = "none",
    positions: bool = False,
) -> dict[str, Any]:
    r"""Self-attention on a sentence, with every stage on the way.

    .. math:: C = \operatorname{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}} + M\right) V,
       \qquad Q = XW_q,\ K = XW_k,\ V = XW_v

    A word's embedding depends on the word and the seed alone. A wider d_k adds columns to
    the matrices and keeps those that were there.

    Args:
        text: one to eight words.
        d_k: width of queries and keys, 1 to 8.
        d_v: width of values, 1 to 8.
        seed: of embeddings and matrices.
        mask: "none"; "causal", no word sees a later one; "others", no word sees itself.
        positions: add sinusoidal positions to the embeddings.

    Returns:
        ``words``, and the arrays ``x``, ``W_q``, ``W_k``, ``W_v``, ``q``, ``k``, ``v``,
        ``scores``, ``scaled``, ``masked`` (minus infinity where nothing may be seen),
        ``weights`` and ``context``.

    Raises:
        ValueError: if a value is outside its range.

    Source:
        Vaswani et al. (2017), equation 1.

    >>> sentence_attention("Life is short")["weights"].shape
    (3, 3)
    """
    words = split_words(text)
    n = len(words)
    x = np.stack([named_draws(f"{seed} word {word}", D_MODEL) for word in words])
    if positions:
        x = x + sinusoidal_positions(n, D_MODEL)
    widths = {"q": d_k, "k": d_k, "v": d_v}
    W_q, W_k, W_v = (_matrix(f"{seed} matrix {w}", width) for w, width in widths.items())
    q, k, v = x @ W_q, x @ W_k, x @ W_v
    scores = dot_scores(q, k)
    scaled = scores / np.sqrt(d_k)
    seen = {
        "none": np.ones((n, n), bool),
        "causal": causal_mask(n),
        "others": ~np.eye(n, dtype=bool),
    }
    weights = softmax(scaled, mask=seen[mask])
    stages = {
        "words": words,
        "x": x,
        "W_q": W_q,
        "W_k": W_k,
        "W_v": W_v,
        "q": q,
        "k": k,
        "v": v,
    }
    masked = np.where(seen[mask], scaled, -np.inf)
    return stages | {
        "scores": scores,
        "scaled": scaled,
        "masked": masked,
        "weights": weights,
        "context": weights @ v,
    }


def _matrix(name: str, width: int) -> np.ndarray:
    """Columns one after the other, so that a wider matrix begins with a narrower one."""
    columns = named_draws(name, MAX_WIDTH * D_MODEL).reshape(MAX_WIDTH, D_MODEL)
    return columns[:width].T / np.sqrt(D_MODEL)
