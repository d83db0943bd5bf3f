import numpy as np


def write_greedily(next_logits, start, end, longest):
    """Return the words that are written, at most longest of them."""
    written = []
    while len(written) < longest:
        word = int(np.argmax(next_logits([start, *written])))
        written.append(word)
        if word == end:
            break
    return written
