"""Losses of twelve models at every stage, with their means and what each part changed."""

from typing import Any

import numpy as np
from fixtures.as_json import as_json

from attention_course.widgets.grow.widget import STAGES, WHOLE


def grown() -> list[dict[str, Any]]:
    """Return two draws of losses at each stage."""
    draw, rows = np.random.RandomState(3), []
    for i in range(2 * len(STAGES)):
        losses = [draw.uniform(4, 5, 1 + j % 3).round(3).tolist() for j in range(len(STAGES))]
        stage, means = i % len(STAGES), [np.mean(runs) for runs in losses]
        # The last three are compared with the largest model.
        changes = {str(j): means[j] - means[min(j - 1, WHOLE)] for j in range(1, stage + 1)}
        numbers = {"mean": means[: stage + 1], "change": changes}
        rows.append(
            {"setting": {"losses": losses, "stage": stage}, "numbers": as_json(numbers)}
        )
    return rows


FIXTURES = {"grow": grown}
