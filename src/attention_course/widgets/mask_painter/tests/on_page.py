"""What the painter refuses on a page."""

BAD = [("mask", "all")]
