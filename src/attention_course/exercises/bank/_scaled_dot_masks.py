"""Wrong answers to scaled dot-product attention: masks of every kind, put on wrongly."""

from attention_course.exercises.bank._families import changing
from attention_course.exercises.source import Wrong

HAS_MASK = "if mask is not None:"
TAKE = "may = may & mask"
IF_CAUSAL = "if causal:"
DIAGONAL = "k=n_k - n_q"
TRI = f"may = may & np.tri(n_q, n_k, {DIAGONAL}, dtype=bool)"
FILL = "scores = np.where(may, scores, -np.inf)"
SHIFT = "np.where(top > -np.inf, top, 0.0)"
WEIGHTS = "weights = exps / np.where(total > 0, total, 1.0)"
CONTEXT = "context = weights @ v"
LATE = "The forbidden scores are in the sum by then."
EMPTY = "Look at the row of a query that sees nothing."
SHARE = "How much weight does a forbidden key get, compared with the others?"
CORNER = "Draw the table for 3 queries and 7 keys: the last query sees all seven."
KEYS_AXIS = "Padding hides keys. Which axis of the scores is theirs?"
BOTH = "A key is seen if the mask and the causal rule both allow it."
EVERY = "Each sequence, each head, each query and each key has its own part of the mask."

FILLING = (
    *changing(
        FILL,
        "filling",
        ("forbidden scores are set to 0", "scores = np.where(may, scores, 0.0)", SHARE),
        ("the mask is added to the scores as 0 and 1", "scores = scores + may", SHARE),
        (
            "forbidden scores are set to -10",
            "scores = np.where(may, scores, -10.0)",
            SHARE,
        ),
        (
            "forbidden scores are set to a large negative number",
            "scores = np.where(may, scores, -1e9)",
            EMPTY,
        ),
        (
            "forbidden scores are set to plus infinity",
            "scores = np.where(may, scores, np.inf)",
            "What is the exponential of infinity?",
        ),
        (
            "the mask is multiplied by minus infinity",
            "scores = scores + ~may * -np.inf",
            "What is 0 times infinity?",
        ),
        (
            "the allowed scores are filled, the forbidden ones kept",
            "scores = np.where(may, -np.inf, scores)",
            "np.where(condition, a, b): which of the two stands where the condition is True?",
        ),
    ),
    *changing(SHIFT, "filling", ("queries that see nothing come out as NaN", "top", EMPTY)),
    *changing(
        CONTEXT,
        "filling",
        (
            "the context is freed of NaN, the weights are not",
            f"{CONTEXT}\n    empty = ~may.any(axis=-1, keepdims=True)\n    "
            "weights = np.where(empty, np.nan, weights)",
            EMPTY,
        ),
        (
            "a query that sees nothing gets the mean of all values",
            f"empty = ~may.any(axis=-1, keepdims=True)\n    "
            f"{CONTEXT} + empty * v.mean(axis=-2, keepdims=True)",
            EMPTY,
        ),
        (
            "weights are uniform, and only the context zero, where nothing is seen",
            f"{CONTEXT}\n    empty = ~may.any(axis=-1, keepdims=True)\n    "
            "weights = np.where(empty, 1 / n_k, weights)",
            EMPTY,
        ),
    ),
    Wrong(
        "forbidden weights are set to zero after the softmax",
        "filling",
        LATE,
        ((FILL, "scores = scores + 0.0"), (WEIGHTS, f"{WEIGHTS} * may")),
    ),
    Wrong(
        "forbidden weights are set to zero after the softmax, and the rest divided again",
        "filling",
        "Say a forbidden score is the largest by far. How much is left to divide?",
        (
            (FILL, "scores = scores + 0.0"),
            (
                WEIGHTS,
                "weights = exps / total * may\n    total = weights.sum(axis=-1, keepdims=True)"
                "\n    weights = weights / np.where(total > 0, total, 1.0)",
            ),
        ),
    ),
    Wrong(
        "the mask is laid on after the softmax, only the causal one before",
        "filling",
        LATE,
        (
            (TAKE, "pass"),
            (WEIGHTS, f"{WEIGHTS}\n    {HAS_MASK}\n        weights = weights * mask"),
        ),
    ),
    Wrong(
        "the causal mask is laid on after the softmax, only the given one before",
        "filling",
        LATE,
        (
            (TRI, "pass"),
            (
                WEIGHTS,
                f"{WEIGHTS}\n    {IF_CAUSAL}\n        "
                f"weights = weights * np.tri(n_q, n_k, {DIAGONAL})",
            ),
        ),
    ),
    Wrong(
        "the mask hides values, but their weights stay",
        "filling",
        "Where does the weight of a hidden key go?",
        (
            (
                TAKE,
                "seen = np.broadcast_to(mask, scores.shape).any(axis=-2)\n        "
                "v = v * seen[..., None]",
            ),
        ),
    ),
)

GIVEN = (
    *changing(
        TAKE,
        "mask",
        ("the mask is turned over", "may = may & ~mask", "What does True mean here?"),
        ("the mask is ignored", "pass", "Is the argument used anywhere?"),
        (
            "the mask is transposed where it fits",
            "fits = n_q == n_k and mask.ndim > 1\n        "
            "may = may & (np.swapaxes(mask, -1, -2) if fits else mask)",
            KEYS_AXIS,
        ),
        (
            "padding hides the queries as well",
            "fits = n_q == n_k and mask.ndim > 1\n        "
            "may = may & mask & (np.swapaxes(mask, -1, -2) if fits else mask)",
            KEYS_AXIS,
        ),
        (
            "the mask is reshaped to the scores, not broadcast",
            "may = may & mask.reshape(scores.shape)",
            "A mask may be smaller than the scores and serve several rows at once.",
        ),
        (
            "the mask of the first query serves all",
            "may = may & (mask[..., :1, :] if mask.ndim > 1 else mask)",
            EVERY,
        ),
        (
            "the mask of the first sequence serves all",
            "may = may & (mask[:1] if mask.ndim > 2 else mask)",
            EVERY,
        ),
        (
            "the mask of the last key serves all",
            "may = may & mask[..., -1:]",
            EVERY,
        ),
        (
            "an axis for the heads is put into every mask of a batch",
            "may = may & (mask[:, None] if mask.ndim == 3 else mask)",
            "The contract says how a mask broadcasts; whoever calls has put in the axes.",
        ),
        (
            "keys that some query may not see are hidden from all",
            "may = may & mask.all(axis=-2, keepdims=True) if mask.ndim > 1 else may & mask",
            EVERY,
        ),
    ),
    *changing(
        HAS_MASK,
        "mask",
        (
            "the whole mask is asked whether it is true",
            "if mask:",
            "What is the truth of an array?",
        ),
        (
            "a mask of fewer than two axes is ignored",
            "if mask is not None and mask.ndim > 1:",
            "A mask of shape (n_k,) is a mask too.",
        ),
    ),
    Wrong(
        "the given mask is overwritten",
        "mask",
        "Whose array is that? `&` makes a new one, `&=` does not.",
        ((TAKE, "may = mask"), (TRI, TRI.replace("may = may &", "may &="))),
    ),
)

CAUSAL = (
    *changing(
        DIAGONAL,
        "causal",
        ("a query does not see its own key", "k=n_k - n_q - 1", "May a query see itself?"),
        (
            "a query sees one key too many",
            "k=n_k - n_q + 1",
            "A model that sees the next word has nothing to learn.",
        ),
        ("the table is aligned at the top left", "k=0", CORNER),
        ("the diagonal is moved the wrong way", "k=n_q - n_k", CORNER),
        (
            "the diagonal is never moved to the left",
            "k=max(n_k - n_q, 0)",
            "With 7 queries and 3 keys: which key stands beside the last query, and what does "
            "the first one see?",
        ),
    ),
    *changing(
        TRI,
        "causal",
        ("causal is ignored", "pass", "Is the argument used anywhere?"),
        (
            "a query sees what comes later",
            f"may = may & np.triu(np.ones((n_q, n_k), dtype=bool), {DIAGONAL})",
            "Rows are queries. Is the past of a row to its left or to its right?",
        ),
        (
            "the causal mask is turned over",
            f"may = may & ~np.tri(n_q, n_k, {DIAGONAL}, dtype=bool)",
            "What does True mean here?",
        ),
        (
            "the causal mask is square",
            "may = may & np.tri(n_q, dtype=bool)",
            "There may be more keys than queries, and fewer.",
        ),
        (
            "the causal mask is made for the first two axes",
            "n_q, n_k = scores.shape[:2]\n        " + TRI,
            "Count the axes from the end: those in front may be there or not.",
        ),
        (
            "causal replaces the given mask",
            TRI.replace("may = may & ", "may = "),
            BOTH,
        ),
        (
            "one of the two masks is enough for a key to be seen",
            "tri = np.tri(n_q, n_k, k=n_k - n_q, dtype=bool)\n        "
            "may = tri if mask is None else may | tri",
            BOTH,
        ),
        (
            "keys older than the first query are forgotten",
            f"{TRI} & (np.arange(n_k) >= n_k - n_q)",
            "Keys from before the first query are its past too.",
        ),
        (
            "every query sees at least the first key",
            f"{TRI}\n        may = may | (np.arange(n_k) == 0)",
            "The contract says what a query gets that sees nothing.",
        ),
        (
            "only the first head is causal",
            f"{TRI}\n        may = np.broadcast_to(may, scores.shape).copy()\n        "
            "may[..., 1:, :, :] |= may.ndim > 3",
            EVERY,
        ),
    ),
    *changing(
        IF_CAUSAL,
        "causal",
        ("a given mask replaces causal", "if causal and mask is None:", BOTH),
        (
            "causal works for as many queries as keys only",
            "if causal and n_q == n_k:",
            CORNER,
        ),
        ("causal is always on", "if True:", "What is the argument for?"),
    ),
)

ABOUT_MASKS = FILLING + GIVEN + CAUSAL
