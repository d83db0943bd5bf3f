"""What notebooks, pages, source and files must be like, and what reads them for that."""
