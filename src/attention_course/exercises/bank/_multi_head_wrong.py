"""Wrong answers to multi-head attention."""

from attention_course.exercises.bank._families import changing
from attention_course.exercises.source import Wrong

SPLIT = "return x.view(batch, n, self.n_heads, d_model // self.n_heads).transpose(1, 2)"
SOURCES = "x_kv = x_q if x_kv is None else x_kv"
Q = "q = self.split(self.W_q(x_q))"
K = "k = self.split(self.W_k(x_kv))"
V = "v = self.split(self.W_v(x_kv))"
SCALE = "/ q.shape[-1] ** 0.5"
PRODUCT = "q @ k.transpose(2, 3)"
PLAIN = "weights = scores.softmax(dim=-1)\n        else:"
MASKED = "weights = scores.masked_fill(~mask, least).softmax(dim=-1)"
CLEARED = "weights = weights.masked_fill(~mask, 0.0)"
LEAST = "least = torch.finfo(scores.dtype).min"
IF_NONE = "if mask is None:"
CONTEXT = "context = self.dropout(weights) @ v"
JOIN = "joined = context.transpose(1, 2).flatten(2)"
RETURN = "return self.W_o(joined), weights"
HEADS = "self.n_heads = n_heads"
DROPOUT = "self.dropout = nn.Dropout(dropout)"

OF_OTHERS = "Print one head's first two rows: whose numbers are in them?"
OWN = "Each of the four layers has one job. Follow each letter through."
SOURCE = "Who asks, and who is asked?"
WIDTH = "How many products does one score add up?"
KEYS = "One row of weights belongs to one query of one head; it runs over keys."
LATE = "The forbidden scores are in the sum by then."
SHARE = "How much weight does a forbidden key get, compared with the others?"
EMPTY = "Look at the row of a query that sees nothing, and at the gradients behind it."
AXES = "The mask comes with the axes it needs; the contract says how it broadcasts."
CUT = "Where on the way back does the gradient end?"
NAMES = "Print [name for name, _ in module.named_parameters()]."
WHEN = "When is dropout on, and what goes through it?"


def _both(dim: str) -> tuple[tuple[str, str], ...]:
    """Return edits that put another axis into both softmaxes."""
    return tuple((x, x.replace("dim=-1", f"dim={dim}")) for x in (PLAIN, MASKED))


HEADS_WRONG = (
    *changing(
        SPLIT,
        "heads",
        (
            "heads are cut with one view, without moving an axis",
            "return x.reshape(batch, self.n_heads, n, d_model // self.n_heads)",
            OF_OTHERS,
        ),
        (
            "heads take every n-th number",
            "x = x.view(batch, n, d_model // self.n_heads, self.n_heads)\n        "
            "return x.permute(0, 3, 1, 2)",
            "Which numbers of a vector belong to head 0?",
        ),
        (
            "every head sees the first head's numbers",
            "d_k = d_model // self.n_heads\n        "
            "return x[:, None, :, :d_k].expand(batch, self.n_heads, n, d_k)",
            OF_OTHERS,
        ),
        (
            "the tokens move on by one place when the heads are cut",
            f"{SPLIT}.roll(1, 2)",
            OF_OTHERS,
        ),
    ),
    *changing(
        K,
        "heads",
        (
            "only the keys are cut with one view",
            "k = self.W_k(x_kv)\n        "
            "k = k.view(len(k), self.n_heads, k.shape[1], k.shape[2] // self.n_heads)",
            OF_OTHERS,
        ),
        (
            "the keys' heads come in the opposite order",
            f"{K}.flip(1)",
            "Which keys does head 0 of the queries meet?",
        ),
        ("keys and queries share a layer", K.replace("W_k", "W_q"), OWN),
    ),
    *changing(
        JOIN,
        "heads",
        (
            "heads are joined with one view, without moving an axis back",
            "joined = context.reshape(x_q.shape)",
            OF_OTHERS,
        ),
        (
            "heads are joined number by number",
            "joined = context.permute(0, 2, 3, 1).flatten(2)",
            "Which numbers of the joined vector belong to head 0?",
        ),
        (
            "the heads are joined in the opposite order",
            "joined = context.flip(1).transpose(1, 2).flatten(2)",
            "Which numbers of the joined vector belong to head 0?",
        ),
        (
            "the heads are averaged",
            "joined = context.mean(dim=1).repeat(1, 1, self.n_heads)",
            "What W_o mixes is d_model numbers that all differ.",
        ),
        (
            "the first head is repeated",
            "joined = context[:, 0].repeat(1, 1, self.n_heads)",
            "What W_o mixes is d_model numbers that all differ.",
        ),
    ),
    *changing(
        HEADS,
        "heads",
        ("there is always one head", "self.n_heads = 1", "Is the argument used?"),
        ("there are always two heads", "self.n_heads = 2", "Is the argument used?"),
        (
            "the number of heads is taken for their width",
            "self.n_heads = d_model // n_heads",
            "With d_model = 12 and 3 heads, how wide is one?",
        ),
    ),
)

PROJECTIONS = (
    *changing(
        Q,
        "projections",
        ("queries come from x_kv", Q.replace("x_q", "x_kv"), SOURCE),
        ("the queries are not projected", "q = self.split(x_q)", OWN),
        (
            "the weight of W_q is used untransposed",
            "q = self.split(x_q @ self.W_q.weight)",
            "nn.Linear multiplies by its weight transposed.",
        ),
    ),
    *changing(
        V,
        "projections",
        ("the values are the keys", "v = k", OWN),
        ("the values are not projected", "v = self.split(x_kv)", OWN),
        ("the values come from x_q", V.replace("x_kv", "x_q"), SOURCE),
    ),
    Wrong(
        "W_q and W_k change places",
        "projections",
        OWN,
        ((Q, Q.replace("W_q", "W_k")), (K, K.replace("W_k", "W_q"))),
    ),
    Wrong(
        "W_k and W_v change places",
        "projections",
        OWN,
        ((K, K.replace("W_k", "W_v")), (V, V.replace("W_v", "W_k"))),
    ),
    *changing(SOURCES, "projections", ("x_kv is ignored", "x_kv = x_q", SOURCE)),
    *changing(
        RETURN,
        "projections",
        ("the output is not projected", "return joined, weights", "What is W_o for?"),
        ("the output is projected twice", "return self.W_o(self.W_o(joined)), weights", OWN),
        (
            "the weight of W_o is used untransposed",
            "return joined @ self.W_o.weight, weights",
            "nn.Linear multiplies by its weight transposed.",
        ),
        (
            "the input is added to the output",
            "return x_q + self.W_o(joined), weights",
            "The residual sum belongs to the block around this module.",
        ),
    ),
)

SCORES = (
    *changing(
        SCALE,
        "scale",
        ("nothing divides the scores", "", WIDTH),
        ("the root is of d_model", "/ x_q.shape[-1] ** 0.5", WIDTH),
        ("the scores are divided by d_k", "/ q.shape[-1]", "A root is missing."),
        ("the root is of the number of heads", "/ self.n_heads**0.5", WIDTH),
        ("the root is of the number of keys", "/ k.shape[2] ** 0.5", WIDTH),
    ),
    *changing(
        PRODUCT,
        "operands",
        ("queries and keys change places", "k @ q.transpose(2, 3)", SOURCE),
        (
            "the keys are reshaped instead of transposed",
            "q @ k.reshape(*k.shape[:2], k.shape[3], k.shape[2])",
            OF_OTHERS,
        ),
    ),
    Wrong("the softmax runs over the queries", "softmax", KEYS, _both("-2")),
    Wrong("the softmax runs over the heads", "softmax", KEYS, _both("1")),
    Wrong("the softmax runs over the batch", "softmax", KEYS, _both("0")),
    Wrong(
        "a sigmoid stands for the softmax",
        "softmax",
        "What does each row of weights add up to?",
        (
            (PLAIN, PLAIN.replace("softmax(dim=-1)", "sigmoid()")),
            (MASKED, MASKED.replace("softmax(dim=-1)", "sigmoid()")),
        ),
    ),
)

MASKS = (
    Wrong(
        "queries that see nothing come out as NaN",
        "mask",
        EMPTY,
        ((LEAST, "least = -torch.inf"), (CLEARED, "pass")),
    ),
    *changing(
        IF_NONE,
        "mask",
        ("the mask is ignored", "if True:", "Is the argument used anywhere?"),
        (
            "a mask with four axes is ignored",
            "if mask is None or mask.ndim > 3:",
            AXES,
        ),
        (
            "the mask is turned over",
            "mask = None if mask is None else ~mask\n        if mask is None:",
            "What does True mean here?",
        ),
        (
            "the mask is turned over in place",
            "mask = mask if mask is None else mask.logical_not_().logical_not()\n        "
            "if mask is None:",
            "Whose tensor is that? A name that ends in _ writes into it.",
        ),
        (
            "the mask is transposed where it fits",
            "some = mask is not None and mask.ndim > 1\n        "
            "some = some and mask.shape[-1] == mask.shape[-2]\n        "
            "mask = mask.transpose(-1, -2) if some else mask\n        if mask is None:",
            "Rows are queries, columns are keys.",
        ),
        (
            "every mask of three axes is taken for one of a batch",
            "mask = mask[:, None] if mask is not None and mask.ndim == 3 else mask\n        "
            "if mask is None:",
            AXES,
        ),
        (
            "the first head's mask serves all heads",
            "some = mask is not None and mask.ndim > 2\n        "
            "mask = mask[..., :1, :, :] if some else mask\n        if mask is None:",
            "Each head may have a mask of its own.",
        ),
        (
            "the first sequence's mask serves all sequences",
            "some = mask is not None and mask.ndim > 3\n        "
            "mask = mask[:1] if some else mask\n        if mask is None:",
            "Each sequence may have a mask of its own.",
        ),
        (
            "only the first head is masked",
            "if mask is not None:\n            mask = mask.expand(scores.shape).clone()\n"
            "            mask[:, 1:] = True\n        if mask is None:",
            "A mask broadcasts over the heads.",
        ),
    ),
    *changing(
        LEAST,
        "mask",
        ("forbidden scores are set to 0", "least = 0.0", SHARE),
        ("forbidden scores are set to -10", "least = -10.0", SHARE),
    ),
    *changing(
        CLEARED,
        "mask",
        ("queries that see nothing look everywhere alike", "pass", EMPTY),
    ),
    *changing(
        MASKED,
        "mask",
        (
            "forbidden weights are cleared after the softmax",
            "weights = scores.softmax(-1)",
            LATE,
        ),
        (
            "the mask is added to the scores as 0 and 1",
            "weights = (scores + mask).softmax(dim=-1)",
            SHARE,
        ),
        (
            "NaN is wiped off after the softmax",
            "weights = scores + torch.where(mask, 0.0, -torch.inf)\n            "
            "weights = weights.softmax(dim=-1).nan_to_num()",
            EMPTY,
        ),
    ),
)

GRADIENTS = (
    *changing(
        CONTEXT,
        "gradients",
        ("the weights are detached", "context = self.dropout(weights.detach()) @ v", CUT),
        ("the values are detached", "context = self.dropout(weights) @ v.detach()", CUT),
        (
            "the weights that are returned are detached",
            f"{CONTEXT}\n        weights = weights.detach()",
            CUT,
        ),
        (
            "the context is computed without gradients",
            f"with torch.no_grad():\n            {CONTEXT}",
            CUT,
        ),
    ),
    *changing(
        SOURCES,
        "gradients",
        (
            "keys and values are taken from a detached input",
            f"{SOURCES}\n        x_kv = x_kv.detach()",
            CUT,
        ),
        (
            "the queries' input is detached",
            f"{SOURCES}\n        x_q = x_q.detach()",
            CUT,
        ),
    ),
    *changing(
        RETURN,
        "gradients",
        (
            "the last layer's weight is used as plain data",
            "return joined @ self.W_o.weight.data.T, weights",
            CUT,
        ),
    ),
)

PARAMETERS = (
    *changing(
        DROPOUT,
        "parameters",
        (
            "the last layer has a bias",
            f"self.W_o = nn.Linear(d_model, d_model)\n        {DROPOUT}",
            NAMES,
        ),
        (
            "the layers stand in a list that is not registered",
            "self.layers = [self.W_q, self.W_k, self.W_v, self.W_o]\n        "
            "for name in ('W_q', 'W_k', 'W_v', 'W_o'):\n            "
            f"del self._modules[name]\n        {DROPOUT}",
            NAMES,
        ),
        (
            "queries and keys are one layer under two names",
            f"self.W_k = self.W_q\n        {DROPOUT}",
            NAMES,
        ),
        (
            "the last layer is missing",
            f"self.W_o = nn.Identity()\n        {DROPOUT}",
            NAMES,
        ),
        ("dropout is ignored", "self.dropout = nn.Identity()", WHEN),
        (
            "dropout is on in evaluation too",
            "self.dropout = lambda x: nn.functional.dropout(x, dropout)",
            WHEN,
        ),
    ),
    *changing(
        CONTEXT,
        "dropout",
        (
            "the weights are returned after dropout",
            "weights = self.dropout(weights)\n        context = weights @ v",
            WHEN,
        ),
    ),
    *changing(
        PLAIN,
        "dropout",
        (
            "scores are dropped, not weights",
            "weights = self.dropout(scores).softmax(dim=-1)\n        else:",
            WHEN,
        ),
    ),
)

RESULTS = changing(
    RETURN,
    "results",
    ("the weights are missing", "return self.W_o(joined)", "Two results are asked for."),
    (
        "the weights come first",
        "return weights, self.W_o(joined)",
        "In which order does the contract ask for them?",
    ),
    (
        "the weights are averaged over the heads",
        "return self.W_o(joined), weights.mean(dim=1)",
        "torch's own module does that unless told not to. Ours keeps the heads.",
    ),
    (
        "the scores are returned for the weights",
        "return self.W_o(joined), scores",
        "Scores stand before the softmax, weights after it.",
    ),
    (
        "only the first sequence is returned",
        "return self.W_o(joined)[:1], weights[:1]",
        "What became of the rest of the batch?",
    ),
    (
        "axes of length 1 are dropped",
        "return self.W_o(joined).squeeze(), weights.squeeze()",
        "A batch of one is still a batch, and one head is still a head.",
    ),
    (
        "torch's own function is called",
        "return self.W_o(nn.functional.scaled_dot_product_attention(q, k, v)), weights",
        "You are asked to build it.",
    ),
)

WRONG = HEADS_WRONG + PROJECTIONS + SCORES + MASKS + GRADIENTS + PARAMETERS + RESULTS
