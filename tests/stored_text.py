"""What a chapter's cell stores of what it prints, and whether a fresh run prints the same."""

import re

from compare_outputs import sanitise, text_difference

QUESTION = re.compile(r"(?s)\APredict: .*?\nanswer: ")
MARGIN = re.compile(r"^(.*?)( \(within [^)]*\))$", re.MULTILINE)


def stored(cell):
    """Return what a cell stores of what it prints, returns and asks."""
    texts = []
    for output in cell.outputs:
        plain = output.get("data", {}).get("text/plain", "")
        if output.output_type == "stream":
            texts.append(output.text)
        elif QUESTION.match(plain):
            texts.append(QUESTION.sub("", plain) + "\n")
        elif output.output_type == "execute_result" and len(output.data) == 1:
            texts.append(plain + "\n")
    return "".join(texts)


def differs(cell, fresh):
    """Say how a cell's fresh text differs from what it stores, numbers within its tolerance."""
    margin = MARGIN.search(stored(cell))
    if margin:  # the answer's line
        at = stored(cell)[: margin.start()].count("\n")
        rows = fresh.split("\n")
        fresh = "\n".join([*rows[:at], rows[at] + margin[2], *rows[at + 1 :]])
    pair = sanitise(stored(cell)), sanitise(fresh)
    return text_difference(*pair, measured=cell.metadata.get("measured"))
