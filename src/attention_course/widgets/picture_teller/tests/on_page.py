"""What the teller refuses on a page."""

BAD = [("left", "big pink coat"), ("turned", [99]), ("task", "tell"), ("question", "w" * 61)]
