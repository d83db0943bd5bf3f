"""The roofline: what attention asks of a device, and what holds it up."""

from attention_course.widgets.roofline.widget import Roofline

__all__ = ["Roofline"]
