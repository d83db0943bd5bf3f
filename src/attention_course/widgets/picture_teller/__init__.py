"""A captioner of two garments that writes word by word; each of its looks can be turned."""

from attention_course.widgets.picture_teller.widget import PictureTeller

__all__ = ["PictureTeller"]
