"""The recurrent translators side by side: one sentence, and where each looks for one word."""

from attention_course.widgets.family.widget import RecurrentFamily

__all__ = ["RecurrentFamily"]
