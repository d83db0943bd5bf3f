"""Turn the temperature."""

from attention_course.widgets.temperature.widget import Temperature

__all__ = ["Temperature"]
