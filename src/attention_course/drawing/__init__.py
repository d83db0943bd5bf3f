"""Figures, diagrams and the colours of both; importing this alone loads nothing."""
