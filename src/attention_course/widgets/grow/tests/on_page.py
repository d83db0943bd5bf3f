"""What the growing model says on a page."""

MORE = ("losses", "samples", "prompt")


def complaints(state: dict, numbers: dict, words: str) -> list[str]:
    mean = numbers[f"mean-{state['stage']}"]
    wanted = f"{mean:.2f} nats a word"
    return [] if wanted in words else [f"says {words!r}, without {wanted!r}"]
