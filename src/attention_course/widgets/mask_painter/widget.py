"""Paint a mask, and see what it lets through: weights, leak test, gradient reach."""

from typing import Any, ClassVar

import numpy as np

from attention_course.reference import causal_mask, padding_mask, window_mask
from attention_course.reference.transformer.mask_errors import RULES
from attention_course.widgets.kit.base import CourseWidget
from attention_course.widgets.kit.traits import Checked, choice, items, whole

N, D_MODEL, D_K = 6, 4, 3


def _presets() -> dict[str, np.ndarray]:
    """Return the masks that the widget offers by name."""
    behind = padding_mask(np.array(4), N)[None]
    causal = causal_mask(N)
    return {
        "none": np.ones((N, N), dtype=bool),
        "causal": causal,
        "padding": np.repeat(behind, N, axis=0),
        "both": causal & behind,
        "front": causal & ~padding_mask(np.array(2), N)[None],
        "window": window_mask(2, N),
    }


LABELS = {
    "none": "no mask",
    "causal": "causal",
    "padding": "padding",
    "both": "causal, padding",
    "front": "causal, pad first",
    "window": "causal, window",
}
RULE_NAMES = (
    "✓ right",
    "✗ after softmax",
    "✗ score 0",
    "✗ −∞, no care",
    "✗ −10⁹",
    "✗ −10⁹, float16",
    "✗ turned over",
)
PRESETS = {name: mask.astype(int).tolist() for name, mask in _presets().items()}


_ROWS = items(
    items(choice((0, 1), 0), N, N, [0] * N, f"{N} numbers 0 or 1"), N, N, PRESETS["causal"], ""
)


def _mask_or_name(value: Any) -> list[list[int]]:
    return _ROWS.convert(PRESETS[value] if isinstance(value, str) else value)


class MaskPainter(CourseWidget, folder="mask_painter"):
    """Self-attention of six tokens under a mask that the reader paints.

    Attributes:
        mask: 6 rows of six 0 or 1; 1 = the query of the row may see the key of the column.
            One of the names in ``PRESETS`` will do as well.
        rule: how the mask is put on, one of ``reference.transformer.mask_errors.RULES``.
        token: which token the leak test changes, 1 to 6.
        output: whose gradient is followed back, 1 to 6.
        seed: of the tokens and the three matrices, 0 to 99.
    """

    _constants: ClassVar[dict[str, Any]] = {
        "D_MODEL": D_MODEL,
        "D_K": D_K,
        "presets": [[name, LABELS[name], mask] for name, mask in PRESETS.items()],
    }

    mask = Checked(
        f"{N} rows of {N} numbers 0 or 1, or one of {', '.join(PRESETS)}",
        _mask_or_name,
        "causal",
        **_ROWS.limits,
    )
    rule = choice(RULES, "right", RULE_NAMES)
    token = whole(1, N, 5)
    output = whole(1, N, 3)
    seed = whole(0, 99, 0, stops=range(10))
