"""What a prediction refuses on a page."""

BAD = [("guess", [1, 2]), ("choices", 7), ("answer", "many"), ("kind", "riddle")]
