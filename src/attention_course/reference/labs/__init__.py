"""What only a widget shows: its numbers, computed as JavaScript computes them."""
