import numpy as np


def image_positions(rows, columns, d_model, trained):
    """Return the table (1 + rows * columns, d_model)."""
    m = d_model // 4
    speeds = 10000.0 ** -(np.arange(m) / m)
    y = np.arange(rows) * trained[0] / rows
    x = np.arange(columns) * trained[1] / columns
    down = np.repeat(y, columns)[:, None] * speeds
    across = np.tile(x, rows)[:, None] * speeds
    parts = [np.sin(down), np.cos(down), np.sin(across), np.cos(across)]
    patches = np.concatenate(parts, axis=1)
    nowhere = np.zeros((1, d_model))
    return np.concatenate([nowhere, patches])
