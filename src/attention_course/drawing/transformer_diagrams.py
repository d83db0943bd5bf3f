"""The Transformer as of 2017, drawn in blocks."""

from attention_course.drawing.diagrams import Diagram, diagram


def transformer_network() -> Diagram:
    """Draw an encoder block and a decoder block with their residuals, as of 2017.

    Returns:
        The drawing.

    >>> transformer_network().alt.split(":")[0]
    'Two columns, read from below'
    """
    return diagram("encoder-decoder")
