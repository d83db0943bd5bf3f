"""Grow a language model part by part."""

from attention_course.widgets.grow.widget import Grow

__all__ = ["Grow"]
