"""What the server says on a page."""

SAID = [
    (r"first token within (.+?) s", "first"),
    (r"99 of 100 within (.+?) s", "slow"),
    (r"at most (.+?) ms a token", "token"),
    (r"longest pause is (.+?) ms", "stall"),
    (r"kept by (.+?) %", "kept"),
    (r"were lost (.+?) times", "lost"),
]
