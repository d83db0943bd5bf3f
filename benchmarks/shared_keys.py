"""From eight heads of keys and values to two or one: pool, then train a little further.

A small language model of characters is trained with eight heads. Then its heads of keys and
values are made fewer, by their mean, by keeping the first of each group, or by new random ones,
and training goes on for a tenth of the steps, at the rate where it stopped. Beside it: the
model left as it was and trained on, and models that had two heads of keys from the beginning
and the same steps in all.

    python benchmarks/shared_keys.py           # about 6 CPU minutes
    python benchmarks/shared_keys.py --quick   # a smoke test that records nothing
"""

import copy
import time

import numpy as np
import torch
from shared import command_line, learn, store

from attention_course.data.characters import CharacterText, character_text
from attention_course.layers.transformer.multi_head import share_keys_values
from attention_course.models.experiments.next_symbol import next_symbol_loss
from attention_course.models.language import LanguageModel
from attention_course.training import warm_up

SEEDS, WAYS, LEFT = (0, 1, 2), ("mean", "first", "random"), (2, 1)
SETTING = {"heads": 8, "steps": 1500, "peak": 5e-3, "rise": 100, "length": 48, "checks": 10}


def with_fewer(model: LanguageModel, left: int, how: str, seed: int) -> LanguageModel:
    """Return a copy whose blocks have so many heads of keys and values."""
    model = copy.deepcopy(model)
    generator = torch.Generator().manual_seed(seed)
    for block in model.blocks:
        share_keys_values(block.attention, left, how, generator)
    return model


@torch.no_grad()
def tested(model: LanguageModel, text: CharacterText, length: int) -> float:
    """Return nats a character on held-out text."""
    rows = text.held_out(len(text.test) // (length + 1), length + 1)
    return round(float(next_symbol_loss(model, rows)), 4)


def train(model, text, seed: int, before: int, steps: int, setting: dict, every: int) -> dict:
    """Train for some steps, the first of which is step ``before`` + 1 of the schedule."""
    rate, length = warm_up(setting["peak"], setting["rise"]), setting["length"]
    at_first = tested(model, text, length)
    history, taken = learn(
        model,
        lambda rng: text.draw(rng, length=length + 1),
        next_symbol_loss,
        np.random.RandomState(1000 + seed + before),
        {"steps": steps, "lr": lambda step: rate(before + step)},
        validate=lambda trained: tested(trained, text, length),
        every=every,
    )
    path = [[0, at_first], *([step, round(loss, 4)] for step, loss in history.validation)]
    return {"path": path, **taken}


def main() -> None:
    """Train, share, train further, record."""
    quick = command_line(__doc__).parse_args().quick
    setting = SETTING | ({"steps": 20, "checks": 2} if quick else {})
    steps = setting["steps"]
    more = steps // 10
    text, runs = character_text(), []

    def note(seed: int, left: int, how: str, run: dict) -> None:
        runs.append({"seed": seed, "kv_heads": left, "how": how, **run})
        print(seed, left, how, run["path"][0], run["path"][-1], run["cpu_seconds"], flush=True)

    started = time.process_time()
    for seed in SEEDS[:1] if quick else SEEDS:
        new = LanguageModel(
            len(text.symbols), np.random.RandomState(seed), n_heads=setting["heads"]
        )
        whole = copy.deepcopy(new)
        run = train(whole, text, seed, 0, steps, setting, more)
        note(seed, setting["heads"], "trained", run)
        own = copy.deepcopy(whole)
        every = max(1, more // setting["checks"])
        run = train(own, text, seed, steps, more, setting, every)
        note(seed, setting["heads"], "as it was", run)
        for left in LEFT:
            for how in WAYS:
                model = with_fewer(whole, left, how, seed)
                note(seed, left, how, train(model, text, seed, steps, more, setting, every))
        few = with_fewer(new, LEFT[0], "first", seed)
        run = train(few, text, seed, 0, steps + more, setting, more)
        note(seed, LEFT[0], "from the beginning", run)
    print(f"{time.process_time() - started:.0f} CPU seconds")
    if not quick:
        store(__file__, runs, seeds=list(SEEDS), settings=setting)


if __name__ == "__main__":
    main()
