"""Write the fused row."""

from attention_course.widgets.fused_row.widget import FusedRow

__all__ = ["FusedRow"]
