"""A kernel's cut, what the compiler made of it, and how many fit a multiprocessor."""

from attention_course.widgets.kernel_lab.widget import KernelLab

__all__ = ["KernelLab"]
