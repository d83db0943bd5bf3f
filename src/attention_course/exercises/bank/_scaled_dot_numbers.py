"""Wrong answers to scaled dot-product attention: scale, softmax, operands, batches, manners."""

from attention_course.exercises.bank._families import changing
from attention_course.exercises.source import Wrong

SCALE = "/ np.sqrt(q.shape[-1])"
PRODUCT = "q @ np.swapaxes(k, -1, -2)"
SCORES = f"scores = {PRODUCT} {SCALE}"
TOP = "top = scores.max(axis=-1, keepdims=True)"
SHIFT = "np.where(top > -np.inf, top, 0.0)"
EXPS = f"exps = np.exp(scores - {SHIFT})"
TOTAL = "total = exps.sum(axis=-1, keepdims=True)"
WEIGHTS = "weights = exps / np.where(total > 0, total, 1.0)"
CONTEXT = "context = weights @ v"
RETURN = "return context, weights"
DEF = "def scaled_dot_product_attention("
WIDTH = "How many products does one score add up?"
SIGNED = "A sum of weights should be 1, and no weight below 0. Are yours?"
SHIFTED = "Which exponents are then still large?"
RATIO = "A softmax turns a difference of scores into a ratio of weights. Does yours?"
LAST_AXIS = "One row of weights belongs to one query. Along which axis do its keys lie?"
IN_3D = "Count the axes from the end: those in front may be there or not."
DIRECTION = "Each context is a sum over keys. Which axes must meet in the product?"

SCALES = changing(
    SCALE,
    "scale",
    ("nothing divides the scores", "", "Read the contract's first sentence again."),
    ("the scores are divided by d_k", "/ q.shape[-1]", "A root is missing."),
    (
        "the scores are multiplied by the square root of d_k",
        "* np.sqrt(q.shape[-1])",
        "Dot products of wide vectors are large. Should they become larger still?",
    ),
    (
        "the square root is taken twice",
        "/ q.shape[-1] ** 0.25",
        "Is it both queries and keys that are divided, or their product?",
    ),
    ("the width of the values is under the root", "/ np.sqrt(v.shape[-1])", WIDTH),
    ("the number of keys is under the root", "/ np.sqrt(k.shape[-2])", WIDTH),
    ("the number of queries is under the root", "/ np.sqrt(q.shape[-2])", WIDTH),
    ("len(q) is under the root", "/ np.sqrt(len(q))", "Along which axis does len count?"),
    ("the length of axis 1 is under the root", "/ np.sqrt(q.shape[1])", IN_3D),
    (
        "a constant divides the scores",
        "/ 8.0",
        "The 8 of the paper is the root of the paper's own d_k.",
    ),
)

AXES = (
    Wrong(
        "the softmax runs over the queries",
        "axis",
        LAST_AXIS,
        (
            (TOP, "top = scores.max(axis=-2, keepdims=True)"),
            (TOTAL, "total = exps.sum(axis=-2, keepdims=True)"),
        ),
    ),
    Wrong(
        "the softmax runs over axis 1, which is right for two axes only",
        "axis",
        IN_3D,
        (
            (TOP, "top = scores.max(axis=1, keepdims=True)"),
            (TOTAL, "total = exps.sum(axis=1, keepdims=True)"),
        ),
    ),
    Wrong(
        "the softmax runs over axis 2, which is right for three axes only",
        "axis",
        IN_3D,
        (
            (TOP, "axis = min(2, scores.ndim - 1)\n    top = scores.max(axis, keepdims=True)"),
            (TOTAL, "total = exps.sum(axis, keepdims=True)"),
        ),
    ),
    Wrong(
        "the softmax runs over the first axis",
        "axis",
        LAST_AXIS,
        (
            (TOP, "top = scores.max(axis=0, keepdims=True)"),
            (TOTAL, "total = exps.sum(axis=0, keepdims=True)"),
        ),
    ),
    Wrong(
        "one softmax runs over the whole table",
        "axis",
        "How many sums should be 1: one, or one for each query?",
        (
            (TOP, "top = scores.max()"),
            (TOTAL, "total = exps.sum()"),
        ),
    ),
    Wrong(
        "the exponentials are summed over the queries",
        "axis",
        LAST_AXIS,
        ((TOTAL, "total = exps.sum(axis=-2, keepdims=True)"),),
    ),
)

SOFTMAX = (
    *changing(
        SHIFT,
        "softmax",
        ("nothing is subtracted before the exponential", "0.0", "What is np.exp(2000)?"),
        (
            "the smallest score is subtracted",
            "np.where(may, scores, np.inf).min(axis=-1, keepdims=True)",
            SHIFTED,
        ),
        (
            "the mean of the row is subtracted",
            "scores.mean(axis=-1, keepdims=True, where=may)",
            SHIFTED,
        ),
        (
            "the largest score of the whole array is subtracted",
            "scores.max()",
            "Each row has a largest score of its own. What if it lies far below the others?",
        ),
        (
            "the largest absolute score is subtracted",
            "np.abs(np.where(may, scores, 0.0)).max(axis=-1, keepdims=True)",
            "Think of a row whose scores are all far below zero.",
        ),
    ),
    *changing(
        EXPS,
        "softmax",
        (
            "scores are clipped",
            "exps = np.exp(np.clip(scores, -30, 30)) * may",
            "Of two scores, 1000 and 2000: what is left of their difference?",
        ),
        (
            "powers of two stand for exponentials",
            f"exps = 2.0 ** (scores - {SHIFT})",
            "Which number does the exponential raise to a power?",
        ),
        ("a sigmoid stands for the exponential", "exps = 1 / (1 + np.exp(-scores))", RATIO),
        (
            "the scores are divided by their sum, without an exponential",
            "exps = np.where(may, np.abs(scores), 0.0)",
            RATIO,
        ),
        (
            "all the weight goes to the best key",
            "exps = ((scores == top) & may).astype(float)",
            "A softmax gives every key that is seen a share.",
        ),
    ),
    *changing(
        WEIGHTS,
        "softmax",
        ("the exponentials are not divided by their sum", "weights = exps", SIGNED),
        (
            "the weights have length 1, not sum 1",
            "total = np.sqrt((exps**2).sum(axis=-1, keepdims=True))\n    "
            "weights = exps / np.where(total > 0, total, 1.0)",
            SIGNED,
        ),
        (
            "a thousandth is added to every sum",
            "weights = exps / (total + 1e-3)",
            "What does a row with a single key come to?",
        ),
        (
            "the weights are divided by the square root of d_k",
            f"{WEIGHTS} / np.sqrt(q.shape[-1])",
            SIGNED,
        ),
        (
            "a second softmax follows the first",
            f"{WEIGHTS}\n    again = np.exp(weights) * may\n    "
            "total = again.sum(axis=-1, keepdims=True)\n    "
            "weights = again / np.where(total > 0, total, 1.0)",
            "One softmax makes weights of scores. What would another one make of weights?",
        ),
        (
            "the weights are rounded",
            "weights = (exps / np.where(total > 0, total, 1.0)).round(3)",
            "Round what you print, not what you return.",
        ),
        (
            "all is computed in half precision",
            f"{WEIGHTS}\n    weights = weights.astype(np.float16).astype(float)",
            "How many digits does float16 keep?",
        ),
        (
            "a tenth of the weights is dropped",
            f"{WEIGHTS}\n    keep = np.random.default_rng(0).random(weights.shape) > 0.1\n    "
            "weights = weights * keep / 0.9",
            "Dropout belongs to training, and nobody asked for it here.",
        ),
        (
            "every key gets the same weight",
            "weights = may / np.maximum(may.sum(axis=-1, keepdims=True), 1)\n    "
            "weights = np.broadcast_to(weights, exps.shape)",
            "Then queries and keys play no part at all.",
        ),
    ),
)

OPERANDS = (
    *changing(
        PRODUCT,
        "operands",
        ("queries and keys change places", "k @ np.swapaxes(q, -1, -2)", DIRECTION),
        (
            "the keys are reshaped instead of transposed",
            "q @ k.reshape(*k.shape[:-2], k.shape[-1], k.shape[-2])",
            "Print a small table before and after: reshape keeps the order of the numbers.",
        ),
        ("all axes of the keys are reversed", "q @ k.T", IN_3D),
        ("queries are compared with values", "q @ np.swapaxes(v, -1, -2)", "What is k for?"),
        (
            "the distance stands for the product",
            "-((q[..., :, None, :] - k[..., None, :, :]) ** 2).sum(axis=-1)",
            "Near is one kind of similar. Which kind does the contract name?",
        ),
        (
            "queries and keys are brought to length 1 first",
            "(q / np.linalg.norm(q, axis=-1, keepdims=True)) @ np.swapaxes("
            "k / np.linalg.norm(k, axis=-1, keepdims=True), -1, -2)",
            "That is the cosine. Here a long key may score more than a short one.",
        ),
        (
            "the order in memory is taken for the order of the axes",
            'q.ravel("K").reshape(q.shape) @ '
            'np.swapaxes(k.ravel("K").reshape(k.shape), -1, -2)',
            "An array may lie in memory column by column. Use its axes, not its memory.",
        ),
    ),
    *changing(
        CONTEXT,
        "operands",
        ("the context is summed from the keys", "context = weights @ k", "What is v for?"),
        (
            "the scores are used for the sum",
            "context = np.where(may, scores, 0.0) @ v",
            "Scores stand before the softmax, weights after it.",
        ),
        (
            "the context is a mean over the keys",
            "context = weights @ v / v.shape[-2]",
            "The weights add up to 1 already.",
        ),
        (
            "the weights are transposed where they fit",
            "fits = n_q == n_k\n    "
            "context = (np.swapaxes(weights, -1, -2) if fits else weights) @ v",
            DIRECTION,
        ),
        (
            "only the best value is fetched",
            "best = weights.argmax(axis=-1)[..., None]\n    "
            "context = np.take_along_axis(v, best, axis=-2)",
            "A context is a mixture.",
        ),
    ),
    *changing(
        RETURN,
        "results",
        (
            "the weights come first",
            "return weights, context",
            "In which order does the contract ask for them?",
        ),
        ("the weights are missing", "return context", "Two results are asked for."),
        (
            "the scores are returned for the weights",
            "return context, scores",
            "Scores stand before the softmax, weights after it.",
        ),
        (
            "the exponentials are returned for the weights",
            "return context, exps",
            "What does each row of weights add up to?",
        ),
        (
            "axes of length 1 are dropped",
            "return context.squeeze(), weights.squeeze()",
            "A sentence of one word is still a sentence: keep its axis.",
        ),
        (
            "the head axis is averaged away",
            "return context, weights.mean(axis=1) if weights.ndim > 3 else weights",
            "Every head has weights of its own.",
        ),
        (
            "only the first sequence is returned",
            "return (context[0], weights[0]) if q.ndim > 2 else (context, weights)",
            "What became of the rest of the batch?",
        ),
    ),
)

BATCHES = changing(
    SCORES,
    "batch",
    (
        "more than three axes are refused",
        f'if q.ndim > 3:\n        raise ValueError("q must have at most 3 axes")\n    {SCORES}',
        IN_3D,
    ),
    (
        "two axes are refused",
        f"batch, n, width = q.shape\n    {SCORES}",
        "The batch axes may be missing altogether.",
    ),
    (
        "all sequences of the batch use the first one's keys",
        f"k = k[:1] if k.ndim > 2 else k\n    {SCORES}",
        "Which sequence do the keys of the second one belong to?",
    ),
    (
        "all sequences of the batch use the first one's values",
        f"v = np.broadcast_to(v[:1], v.shape) if v.ndim > 2 else v\n    {SCORES}",
        "Which sequence do the values of the second one belong to?",
    ),
    (
        "the first two of four axes change places in the keys",
        "fits = k.ndim == 4 and len(k) == k.shape[1]\n    "
        f"k = np.swapaxes(k, 0, 1) if fits else k\n    {SCORES}",
        "Sequences and heads: which of the two comes first, in all three arrays?",
    ),
)

MANNERS = (
    *changing(
        SCORES,
        "manners",
        (
            "the queries are scaled in place",
            f"q /= np.sqrt(q.shape[-1])\n    scores = {PRODUCT}",
            "Whose array is that?",
        ),
        (
            "the global random generator is used",
            f"np.random.rand()\n    {SCORES}",
            "Nothing here is drawn; leave other people's generators alone.",
        ),
        (
            "NumPy's warnings are switched off for everybody",
            f'np.seterr(all="ignore")\n    {SCORES}',
            "np.errstate does it for a block only; better is a formula that needs neither.",
        ),
        (
            "the package's own function is called",
            "from attention_course.reference import scaled_dot_product_attention as theirs\n"
            f"    return theirs(q, k, v, mask)\n    {SCORES}",
            "You are asked to build it.",
        ),
    ),
    Wrong(
        "results are kept by the shapes of the inputs",
        "manners",
        "Two inputs of the same shape need not hold the same numbers.",
        (
            (DEF, f"known = {{}}\n\n\n{DEF}"),
            (
                RETURN,
                "return known.setdefault((q.shape, k.shape, v.shape), (context, weights))",
            ),
        ),
    ),
    Wrong(
        "the result is that of one example",
        "manners",
        "Which of your numbers depend on q?",
        ((SCORES, f"q = np.cos(np.arange(q.size)).reshape(q.shape)\n    {SCORES}"),),
    ),
    Wrong(
        "a loop goes through the queries",
        "loops",
        "All rows can be had at once.",
        (
            (
                CONTEXT,
                "context = np.zeros((*q.shape[:-1], v.shape[-1]))\n    for i in range(n_q):\n"
                "        row = weights[..., i : i + 1, :]\n"
                "        context[..., i : i + 1, :] = row @ v",
            ),
        ),
    ),
)

ABOUT_NUMBERS = SCALES + AXES + SOFTMAX + OPERANDS + BATCHES + MANNERS
