"""What a chapter's cell stores of what it prints, and whether a fresh run prints the same."""

from compare_outputs import sanitise, text_difference


def stored(cell):
    """Return what a cell stores of what it prints, and returns."""
    texts = []
    for output in cell.outputs:
        plain = output.get("data", {}).get("text/plain", "")
        if output.output_type == "stream":
            texts.append(output.text)
        elif output.output_type == "execute_result" and {*output.data} == {"text/plain"}:
            texts.append(plain + "\n")
    return "".join(texts)


def differs(cell, fresh):
    """Say how a cell's fresh text differs from what it stores, numbers within its tolerance."""
    pair = sanitise(stored(cell)), sanitise(fresh)
    return text_difference(*pair, measured=cell.metadata.get("measured"))
