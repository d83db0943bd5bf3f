"""What the roofline refuses on a page."""

BAD = [("group", 3)]
