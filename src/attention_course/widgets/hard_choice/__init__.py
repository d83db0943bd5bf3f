"""Hard choices by the hundred."""

from attention_course.widgets.hard_choice.widget import HardChoice

__all__ = ["HardChoice"]
