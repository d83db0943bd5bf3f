"""What a training in the page must get to: what torch gets to."""

import math
from functools import cache

# Rounding grows from step to step.
CLOSE = 1e-3


@cache
def _trained(model: str, seed: int, steps: int) -> dict[str, float]:
    """What torch gets to: the mean loss of ten steps, and what is exact where it is tested."""
    import live_training as script

    losses: list[float] = []
    setting = script.SETTING | {"steps": steps}
    exact = script.run(model, setting, seed, losses=losses)["exact"]
    found = {f"loss-{model}": math.fsum(losses[-10:]) / len(losses[-10:])}
    return found | ({f"exact-{model}": exact[-1]} if exact else {})


def numbers(state: dict) -> dict[str, float]:
    if not state["step"]:
        return {}
    at = (state["seed"], state["step"])
    return _trained("attention", *at) | _trained("fixed", *at)
