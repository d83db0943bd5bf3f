"""A trained model answers questions about a picture that the reader lays out, in two looks."""

from attention_course.widgets.image_asker.widget import ImageAsker

__all__ = ["ImageAsker"]
