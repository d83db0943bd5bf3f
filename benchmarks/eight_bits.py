"""How many held-out verses are translated otherwise with eight bits than with sixteen.

    python benchmarks/eight_bits.py           # the whole test set: minutes
    python benchmarks/eight_bits.py --quick   # 20 verses, nothing recorded

A page gets the translators in eight bits (``attention_course.data.packed``).
"""

import numpy as np
import torch
from shared import command_line, store

from attention_course.data.packed import TRANSLATORS, pack_translator, unpack_translator
from attention_course.data.parallel import translation_task
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.trained import load_translator

LONGEST = 60


def main() -> None:
    """Print and record, for each translator, the verses that change, and from which word on."""
    quick = command_line(__doc__, quick="20 verses").parse_args().quick
    task = translation_task(np.random.RandomState(0))
    verses = [task.source(verse) for verse in task.test[: 20 if quick else None]]
    result = {}
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
        result[name] = {"verses": len(verses), "changed": len(places), "first": places}
    if not quick:
        store(__file__, result, longest=LONGEST)


if __name__ == "__main__":
    main()
