"""What a chapter says with: a claim, a guess, a spread, code on show, the origin of a record.

``hold``, ``recorded_by``, ``show`` and ``spread`` load neither torch nor a widget; ``predict``
loads its widget when called.
"""

from attention_course.page.hold import HoldFailed, hold
from attention_course.page.origin import recorded_by
from attention_course.page.predict import predict
from attention_course.page.show import show
from attention_course.page.spread import spread

__all__ = ["HoldFailed", "hold", "predict", "recorded_by", "show", "spread"]
