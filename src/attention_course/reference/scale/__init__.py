"""Long sequences: attention in parts, what it costs, and what a device makes of it."""
