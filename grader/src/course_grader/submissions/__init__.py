"""What is asked, what was handed in, and whose it is."""
