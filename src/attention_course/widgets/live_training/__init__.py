"""Two small models that learn in the page while their reader watches."""

from attention_course.widgets.live_training.widget import LiveTraining

__all__ = ["LiveTraining"]
