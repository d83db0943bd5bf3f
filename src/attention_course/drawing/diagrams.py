"""Line drawings of networks, as HTML that reads its colours from the page."""

from collections.abc import Sequence

from attention_course.drawing._models import DRAWINGS
from attention_course.drawing._networks import aligned, heads, one_vector
from attention_course.drawing._sketch import Sketch, where_trusted


class Diagram:
    """A drawing with the sentence that describes it.

    Attributes:
        alt: what is drawn, in words.
        svg: the drawing.
    """

    def __init__(self, svg: str, alt: str):
        self.svg, self.alt = svg, alt

    def __repr__(self) -> str:
        """Return the description: what a text-only reader gets."""
        return self.alt

    def _repr_html_(self) -> str:
        return (
            # It scrolls on a phone, so the keyboard must be able to reach it.
            '<figure class="ac-diagram" tabindex="0" style="margin:1rem 0;overflow-x:auto">'
            f"{self.svg}</figure>"
        )


class _Named(Diagram):
    def _repr_html_(self) -> str:
        words = f"{self.alt} Run the cell, or trust the notebook, to see the drawing."
        return (
            '<figure class="ac-diagram" style="margin:1rem 0">'
            f"{where_trusted(self.svg, words)}</figure>"
        )


def diagram(name: str) -> Diagram:
    """Draw a model by its name.

    The drawing follows the page's theme, in a notebook as on the site. ``Stepper`` in
    ``attention_course.widgets`` plays the models with numbers, by the same names.

    Args:
        name: "family", the map of the course; "scaled-dot-product", its blocks;
            "positions", where they enter; "block", normalised after and before;
            "residual-stream", what two blocks add to three vectors;
            "encoder-decoder", the Transformer of 2017;
            "ways-to-score", four forms of a score;
            "cross-attention", a rectangle of weights;
            "latents", multi-head latent attention in two ways;
            "memory-and-chip", where a GPU keeps the scores;
            "number-formats", three formats of numbers; "decoder-with-attention", where
            attention is in a translator; or a model with its parts: "four-states",
            "self-attention", "causal-mask", "multi-head", "bahdanau", "luong",
            "ways-to-look", "captioner", "attention-in-convolutions",
            "vision-transformer" or "asker"; or several steps or
            layers: "fixed-vector", "input-feeding", "gnmt", "time-grid" (when each of its
            layers is done), "tape" (LSTMN).

    Returns:
        The drawing.

    Raises:
        ValueError: if there is no drawing of that name.

    >>> diagram("scaled-dot-product").alt.partition(",")[0]
    'Scaled dot-product attention'
    """
    if name not in DRAWINGS:
        names = ", ".join(map(repr, DRAWINGS))
        raise ValueError(f"diagram: name must be one of {names}, got {name!r}")
    return _named(DRAWINGS[name]())


def _named(sketch: Sketch) -> Diagram:
    return _Named(sketch.svg(), sketch.alt)


def aligned_network(source: Sequence[str], target: Sequence[str]) -> Diagram:
    """Draw design (a): one output for every input, at once.

    Args:
        source: the symbols read.
        target: the symbols written, as many.

    Returns:
        The drawing.

    Raises:
        ValueError: if the two differ in number, or are empty.

    >>> aligned_network(["a"], ["x"])
    An answer at every step: 1 step from left to right; step 1 reads a and writes x.
    """
    if len(source) != len(target) or not source:
        raise ValueError(
            "aligned_network: source and target must be as many as each other, "
            f"got {len(source)} and {len(target)}"
        )
    steps = (
        f"step {i} reads {x} and writes {y}"
        for i, (x, y) in enumerate(zip(source, target, strict=True), 1)
    )
    count = "1 step" if len(source) == 1 else f"{len(source)} steps"
    alt = f"An answer at every step: {count} from left to right; {', '.join(steps)}."
    return _named(aligned(source, target, alt))


def fixed_vector_network(source: Sequence[str], target: Sequence[str]) -> Diagram:
    """Draw design (b): read everything, keep one vector, write everything.

    Args:
        source: the symbols read, in the upper row.
        target: the symbols written, in the lower row.

    Returns:
        The drawing.

    Raises:
        ValueError: if one of the two is empty.

    >>> print(fixed_vector_network(["a", "b"], ["x"]).alt.partition("; from")[0])
    Read everything, then write: an encoder reads a, b; its last state is the one vector c
    """
    if not source or not target:
        raise ValueError(
            "fixed_vector_network: source and target must not be empty, "
            f"got {len(source)} and {len(target)}"
        )
    alt = (
        f"Read everything, then write: an encoder reads {', '.join(source)}; its last "
        f"state is the one vector c; from c alone a decoder writes {', '.join(target)}."
    )
    return _named(one_vector(source, target, alt))


def heads_network(n_heads: int, n_kv_heads: int | None = None) -> Diagram:
    """Draw multi-head attention: x, its projections, heads side by side, the join, W_o.

    Args:
        n_heads: how many heads, at most 8.
        n_kv_heads: how many projections to keys and values they share; one each unless given.

    Returns:
        The drawing.

    Raises:
        ValueError: if a number is not from 1 to 8, or the second no divisor of the first.

    >>> heads_network(2).alt.partition("; ")[0]
    '2 heads side by side, each with its own keys and values, all made of x'
    """
    groups = n_heads if n_kv_heads is None else n_kv_heads
    if not 1 <= groups <= n_heads <= 8 or n_heads % groups:
        raise ValueError(
            "heads_network: n_heads must be at most 8 and a multiple of n_kv_heads, "
            f"got {n_heads} and {groups}"
        )
    share = n_heads // groups
    own = {n_heads: "each with its own keys and values", 1: "all with the same keys and values"}
    shared = own.get(groups, f"{share} at a time sharing keys and values")
    alt = f"{n_heads} heads side by side, {shared if n_heads > 1 else own[n_heads]}; "
    alt = alt.removesuffix("; ") + ", all made of x; joined, then mixed by W_o."
    return _named(heads(n_heads, groups, alt))
