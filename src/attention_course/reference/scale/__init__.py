"""Attention over long sequences, and what it costs."""
