"""What the pipeline says on a page."""

SAID = [(r"(\d+) % of the tensor cores' peak", "share")]
