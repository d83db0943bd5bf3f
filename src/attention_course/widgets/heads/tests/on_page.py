"""What the heads show and say on a page, and what they refuse."""

MORE = ("models", "words")
SAID = [(r"its loss is (.+?) nats a letter", "loss_now")]
BAD = [("n_heads", 3), ("models", {})]
UNNAMED = {"models", "place", "n_heads", "silent", "word"}
