"""A question that is answered by a guess before the page answers it."""

from attention_course.widgets.prediction.widget import Prediction

__all__ = ["Prediction"]
