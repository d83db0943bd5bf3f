"""Attention in the plane."""

from attention_course.widgets.plane.widget import AttentionPlane

__all__ = ["AttentionPlane"]
