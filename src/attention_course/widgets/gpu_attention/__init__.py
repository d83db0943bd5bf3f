"""Attention on the reader's own GPU."""

from attention_course.widgets.gpu_attention.widget import GpuAttention

__all__ = ["GpuAttention"]
