"""``explore``: a figure with sliders, on a page that has no kernel."""

from attention_course.widgets.explorer.widget import explore

__all__ = ["explore"]
