"""A server and its readers, played on requests that really came."""

from attention_course.widgets.serving.widget import Serving

__all__ = ["Serving"]
