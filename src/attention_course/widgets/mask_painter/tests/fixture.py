"""Masks under every rule, with what the reference says of each."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.reference.transformer.mask_errors import (
    RULES,
    input_reach,
    moved_outputs,
    weights_by_rule,
)
from attention_course.widgets.mask_painter.widget import D_K, D_MODEL, PRESETS, N


def shown(mask: Any, rule: str, token: int, output: int, seed: int) -> dict[str, float]:
    """Return the read-outs of a setting; what is not a number has none."""
    draw = np.random.RandomState(seed).standard_normal
    x = draw((N, D_MODEL))
    W_q, W_k, W_v = (draw((D_MODEL, D_K)) / 2 for _ in range(3))
    seen = np.array(mask, dtype=bool)
    scores = (x @ W_q) @ (x @ W_k).T / np.sqrt(D_K)
    layer = x, W_q, W_k, W_v, seen
    found = {
        "moved": moved_outputs(*layer, token - 1, rule),
        "reach": input_reach(*layer, rule)[output - 1],
    }
    weights = enumerate(weights_by_rule(scores, seen, rule))
    found |= {f"weight-{i}": row for i, row in weights}
    numbers = {f"{name}-{i}": x for name, row in found.items() for i, x in enumerate(row)}
    return {name: float(x) for name, x in numbers.items() if not np.isnan(x)}


def mask_painter() -> list[dict[str, Any]]:
    """Return masks, by name and painted, under every rule, with all that is shown."""
    draw = np.random.RandomState(10)
    rows = []
    for rule in RULES:
        painted = [(draw.random_sample((6, 6)) < share).astype(int) for share in (0.3, 0.7)]
        painted[0][2] = 0
        for mask in [*PRESETS.values(), *(p.tolist() for p in painted)]:
            state = {
                "mask": mask,
                "rule": rule,
                "token": int(draw.randint(1, 7)),
                "output": int(draw.randint(1, 7)),
                "seed": int(draw.randint(0, 100)),
            }
            rows.append({"setting": state, "numbers": as_json(shown(**state))})
    return rows


FIXTURES = {"mask_painter": mask_painter}
