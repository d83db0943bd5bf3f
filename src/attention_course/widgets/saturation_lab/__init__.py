"""The saturation lab."""

from attention_course.widgets.saturation_lab.widget import SaturationLab

__all__ = ["SaturationLab"]
