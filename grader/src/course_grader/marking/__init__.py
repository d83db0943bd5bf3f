"""Turns what an answer did into points, and keeps them."""
