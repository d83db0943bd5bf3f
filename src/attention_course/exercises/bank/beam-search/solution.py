import numpy as np


def search_beams(next_logits, start, end, longest, width):
    """Return the words of the best beam, at most longest of them."""
    kept = [(0.0, [start])]
    for _ in range(longest):
        further = []
        for score, words in kept:
            if words[-1] == end:
                further.append((score, words))
                continue
            logits = np.asarray(next_logits(words))
            logs = logits - logits.max()
            logs = logs - np.log(np.exp(logs).sum())
            for word in np.argsort(-logs)[:width]:
                further.append((score + logs[word], [*words, int(word)]))
        kept = sorted(further, key=lambda beam: -beam[0])[:width]
    return kept[0][1][1:]
