"""How wrong a sequence is, and how good a translation."""
