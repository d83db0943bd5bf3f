"""What the clocks say on a page."""

SAID = [(r"Their score is (.+?)\. Move", "score")]
