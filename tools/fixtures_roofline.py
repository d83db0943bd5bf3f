"""Settings of the roofline with the numbers and the sentence of each."""

from typing import Any

import numpy as np

from attention_course.reference.scale.roofline import BYTES, VARIANTS, device_sheets
from attention_course.widgets import Roofline
from attention_course.widgets.roofline.widget import with_unit

COUNTS = ("matmul", "exponentials", "moved")


def rooflines() -> list[dict[str, Any]]:
    """Return every form on every device, in sizes that fit the tiles and in odd ones."""
    draw = np.random.RandomState(989)
    rows = []
    for device in device_sheets():
        for variant in VARIANTS:
            for i in range(6):
                heads = int(draw.choice([1, 2, 6, 16, 64]))
                setting = {
                    "variant": variant,
                    "device": device,
                    "dtype": str(draw.choice(list(BYTES))),
                    "n": int(2 ** draw.randint(0, 19) + (i % 2) * draw.randint(0, 300)),
                    "d": int(draw.choice([8, 64, 80, 128, 256])),
                    "heads": heads,
                    "group": int(draw.choice([1, heads, 256])),
                    "batch": int(draw.choice([1, 3, 32])),
                    "causal": i % 4 > 1,
                }
                made = Roofline(**setting)
                work, time = made.computed(variant)
                rows.append(
                    {
                        "setting": setting,
                        "numbers": {
                            name: x
                            for name, x in made.readouts().items()
                            if name in COUNTS or name.startswith("time-") or variant in name
                        },
                        "useful": work.useful,
                        "summed": time.summed if time else None,
                        "words": made.sentence(),
                    }
                )
    return rows


def units() -> list[dict[str, Any]]:
    """Return numbers with their three digits and prefix."""
    draw = np.random.RandomState(3)
    some = [*(10 ** draw.uniform(-10, 20, 120)).tolist(), 0.0, 1.0, 999.4, 999.6, 1e3, 2.0**31]
    return [{"x": x, "text": with_unit(x, "s")} for x in some]


FIXTURES = {"roofline": rooflines, "roofline_units": units}
