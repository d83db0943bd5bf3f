"""What every widget is made of: the shell and its controls, the checks of its state."""

from attention_course.widgets.kit.base import CourseWidget

__all__ = ["CourseWidget"]
