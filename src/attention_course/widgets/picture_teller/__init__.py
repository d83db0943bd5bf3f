"""A captioner and an asker of two garments; each of their looks can be turned."""

from attention_course.widgets.picture_teller.widget import PictureTeller

__all__ = ["PictureTeller"]
