"""Runs an answer where it can touch nothing, and reads what comes out."""
