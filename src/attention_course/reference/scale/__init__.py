"""Long sequences and fast hardware: what attention costs, and how the cost is met."""
