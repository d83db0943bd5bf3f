"""Heads side by side."""

from attention_course.widgets.heads.widget import HeadsSideBySide, pack_heads

__all__ = ["HeadsSideBySide", "pack_heads"]
