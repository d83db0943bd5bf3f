def image_positions(rows, columns, d_model, trained):
    """Return the table (1 + rows * columns, d_model)."""
    raise NotImplementedError
