"""How many held-out verses are translated otherwise with eight bits than with sixteen.

    python benchmarks/eight_bits.py              # the whole test set: minutes
    python benchmarks/eight_bits.py --verses 150

A page gets the translators in eight bits (``attention_course.data.packed``).
"""

import argparse

import numpy as np
import torch

from attention_course.data.packed import TRANSLATORS, pack_translator, unpack_translator
from attention_course.data.parallel import translation_task
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.trained import load_translator

LONGEST = 60


def main() -> None:
    """Print, for each translator, verses and words that change."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--verses", type=int, default=10**9, help="only the first so many")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    task = translation_task(np.random.RandomState(0))
    verses = [task.source(verse) for verse in task.test[: arguments.verses]]
    print("translator   verses  changed          first word that differs, median")
    for name in TRANSLATORS:
        model, _ = load_translator(name, task)
        before = translate(model, verses, task.english, LONGEST)
        arrays, _ = unpack_translator(pack_translator(name))
        model.load_state_dict({key: torch.from_numpy(array) for key, array in arrays.items()})
        after = translate(model, verses, task.english, LONGEST)
        places = [
            next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), len(a)) + 1
            for a, b in zip(before, after, strict=True)
            if a != b
        ]
        share = len(places) / len(verses)
        where = f"{np.median(places):.0f}" if places else "none"
        print(f"{name:12} {len(verses):6}  {len(places):4} ({share:.1%})  {where:>10}")


if __name__ == "__main__":
    main()
