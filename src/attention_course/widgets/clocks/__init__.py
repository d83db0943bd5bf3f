"""Positions as clock hands, as rotations, and as a distance."""

from attention_course.widgets.clocks.widget import PositionClocks

__all__ = ["PositionClocks"]
