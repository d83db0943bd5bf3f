"""A trained Vision Transformer and a picture that the reader chooses, covers or draws."""

from attention_course.widgets.image_looker.widget import ImageLooker

__all__ = ["ImageLooker"]
