"""Paint a mask."""

from attention_course.widgets.mask_painter.widget import MaskPainter

__all__ = ["MaskPainter"]
