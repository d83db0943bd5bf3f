"""What the asker refuses on a page."""

BAD = [("contents", [9]), ("question", 7)]
