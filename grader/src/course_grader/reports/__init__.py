"""What students and teachers read."""
