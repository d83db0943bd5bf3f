"""A window on the source."""

from attention_course.widgets.local_window.widget import LocalWindow

__all__ = ["LocalWindow"]
