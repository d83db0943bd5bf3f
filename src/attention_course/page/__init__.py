"""What a chapter says with: a claim that is held to, a guess that is asked for, code on show.

``hold`` and ``show`` load neither torch nor a widget; ``predict`` loads its widget when called.
"""

from attention_course.page.hold import HoldFailed, hold
from attention_course.page.predict import predict
from attention_course.page.show import show

__all__ = ["HoldFailed", "hold", "predict", "show"]
