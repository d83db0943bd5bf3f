"""Attention, step by step, on the drawing of each model."""

from attention_course.widgets.stepper.widget import Stepper

__all__ = ["Stepper"]
