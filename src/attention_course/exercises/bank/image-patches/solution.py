import numpy as np


def image_patches(images, side):
    """Return patches (n, patches, side * side * channels)."""
    n, height, width, channels = images.shape
    rows, columns = height // side, width // side
    cut = images.reshape(n, rows, side, columns, side, channels)
    together = np.swapaxes(cut, 2, 3)
    patches = together.reshape(n, rows * columns, side * side * channels)
    return patches.copy()
