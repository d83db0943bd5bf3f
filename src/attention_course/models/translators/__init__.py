"""Everything that reads one sequence and writes another."""
