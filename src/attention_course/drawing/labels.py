"""Which labels of a drawing the review hides, and asks for, a few at a time."""

from fnmatch import fnmatchcase

from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._sketch import in_html

# By the drawing's name: the texts of its nodes, in the order in which they are asked; ``h_*``
# is any that begins so. What is not named here, such as an example's words, stays to be read.
ASKED: dict[str, tuple[str, ...]] = {
    "decoder-with-attention": ("encoder", "h_*", "decoder", "query", "keys", "values", "c"),
    "four-states": ("h_?", "q", "scores", "softmax", "weights", "context"),
    "fixed-vector": ("encoder", "h_*", "c", "decoder", "s_*"),
    "bahdanau": ("s_{i−1}", "keys", "values", "query", "softmax", "context", "gated unit"),
    "luong": ("LSTM", "h_t", "keys", "values", "softmax", "context", "tanh W_c", "h̃_t"),
    "input-feeding": ("LSTM", "h_*", "a_*", "c_*", "tanh W_c", "h̃_*"),
    "gnmt": ("query", "keys", "values", "weights", "context", "softmax"),
    "tape": ("tape", "keys", "values", "query", "scores", "weights", "summaries", "LSTM gates"),
    "captioner": (
        *("three convolutions", "98 annotations a_i", "keys", "values", "query", "scores *"),
        *("weights *", "soft: *", "gate β_t", "z_t"),
    ),
    "bare-self-attention": ("scores", "softmax", "weights", "values", "context"),
    "self-attention": (
        "W_q",
        "W_k",
        "W_v",
        "scores",
        "scaled",
        "softmax",
        "weights",
        "context",
    ),
    "multi-head": ("W_q", "W_k", "W_v", "c^1", "c^2", "c^1 c^2", "W_o"),
    "scaled-dot-product": (
        *("Q", "K", "V", "product Q K^⊤", "scale: ÷ √d_k", "mask (optional)"),
        *("softmax, row by row", "product A V"),
    ),
    "cross-attention": ("decoder", "encoder", "W_q", "W_k", "W_v"),
    "positions": (
        *("x + p_?", "sinusoidal, learned", "W_q", "W_k", "W_v", "turn by ?"),
        *("not the value: rotary", "dot product ÷ √d_k", "− m · |i − j|", "ALiBi"),
    ),
    "block": ("attention", "+", "normalise", "feed-forward", "post-norm", "pre-norm"),
    "residual-stream": ("FFN", "attention ? adds", "feed-forward ? adds"),
    "encoder-decoder": (
        *("self-attention", "add, normalise", "feed-forward", "causal self-attention"),
        *("cross-attention", "choose a word"),
    ),
    "vision-transformer": (
        *("the same matrix E*", "class\ntoken", "+ a vector for each position", "query"),
        *("keys and values*", "scores*", "weights*", "context"),
    ),
    "attention-in-convolutions": (
        *("by place", "sigmoid: m_p", "× (1 + m_p)", "by channel", "mean of places"),
        *("sigmoid: s_c", "× s_c", "between places", "softmax: A"),
    ),
    "asker": (
        *("words, added", "query", "nine vectors a_i", "keys", "values", "scores, nine"),
        *("weights*", "context", "answer"),
    ),
    "latents": ("c", "k_r", "W_c", "W_r", "W_k", "W_v", "projections absorbed"),
    "memory-and-chip": ("memory: *", "chip: *", "scores\nn × n", "weights\nn × n", "m, ℓ, a*"),
}


def alt(name: str) -> str:
    """Return what a drawing shows, in words, as its page has it."""
    return DRAWINGS[name]().alt


def hidden(name: str) -> tuple[str, list[str]]:
    """Return a drawing with numbers in the place of its labels, and the labels, as HTML.

    >>> hidden("block")[1][:3]
    ['attention', '+', 'normalise']
    """
    sketch = DRAWINGS[name]()
    texts = [node.text for node in sketch.nodes]
    labels = [
        dict.fromkeys(in_html(text) for text in texts if fnmatchcase(text, form))
        for form in ASKED[name]
    ]
    return sketch.asking(ASKED[name]), [", ".join(each) for each in labels]
