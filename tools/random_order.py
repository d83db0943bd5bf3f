"""Other orders of the tests: ``make flakes``."""

import random


def shuffled(items, order):
    """Return the tests in a random order of files and inside each, but not of a notebook."""
    files, draw = {}, random.Random(order)
    for item in items:
        files.setdefault(item.path, []).append(item)
    for path, inside in files.items():
        if path.suffix != ".ipynb":
            draw.shuffle(inside)
    return [item for path in draw.sample(list(files), len(files)) for item in files[path]]
