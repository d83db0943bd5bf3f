"""What the player of trained translators is made of: its script, and the same in NumPy."""
