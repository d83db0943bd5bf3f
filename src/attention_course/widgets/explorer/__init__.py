"""``explore``: the controls of any figure, on a page that has no kernel."""

from attention_course.widgets.explorer.interface import explore

__all__ = ["explore"]
