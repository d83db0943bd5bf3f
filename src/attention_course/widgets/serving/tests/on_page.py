"""What the server says on a page."""

SAID = [
    (r"first token within (.+?) s", "first"),
    (r"99 of 100 within (.+?) s", "slow"),
    (r"inside an answer is (.+?) ms", "stall"),
    (r"written after (.+?) s", "end"),
]
