"""What was measured: results with their provenance, and what a computation saves."""

from attention_course.measure.records import provenance, record, recorded

__all__ = ["provenance", "record", "recorded"]
