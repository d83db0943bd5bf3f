"""Numbers as the widgets say them in words."""

import re

_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_NUMBER = re.compile(r"^([-\d.]+)(?: × 10(-?\d+))?$")


def spoken_number(text: str) -> tuple[float, float]:
    """A number as a widget writes it, and how much its last digit leaves open."""
    if text == "more than 0.999":
        return 0.9995, 0.0006
    found = _NUMBER.match(text.translate(_RAISED))
    if not found:
        raise AssertionError(f"{text!r} is not a number as the widgets write them")
    power = 10.0 ** int(found[2] or 0)
    decimals = len(found[1].partition(".")[2])
    return float(found[1]) * power, 0.5001 * 10.0**-decimals * power
