"""Words and silent heads, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.data.covered_letters import letter_words
from attention_course.data.tensors import load_checkpoint
from attention_course.widgets import HeadsSideBySide
from attention_course.widgets.heads import pack_heads


def heads() -> list[dict[str, Any]]:
    """Return held-out words, and what the trained heads do with some others."""
    draw = np.random.RandomState(4)
    _, test = letter_words(np.random.RandomState(0))
    models = pack_heads(load_checkpoint("heads/covered_letters")[0])
    rows: list[dict[str, Any]] = [{"words": test[:12]}]
    for i in range(40):
        n_heads = (1, 2, 4, 8)[i % 4]
        word = test[100 + i]
        setting = {
            "word": word,
            "place": int(draw.randint(1, len(word) + 1)),
            "n_heads": n_heads,
            "silent": np.flatnonzero(draw.random_sample(n_heads) < 0.3).tolist(),
            "blade": ("zero", "mean", "other")[i % 3],
        }
        numbers = HeadsSideBySide(models=models, words=test[:12], **setting).readouts()
        rows.append({"setting": setting, "numbers": as_json(numbers)})
    return rows


FIXTURES = {"heads": heads}
