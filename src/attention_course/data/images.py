"""Small grey pictures of clothes, a part of Fashion-MNIST."""

import io
import lzma
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from attention_course._shapes import Float, Int

# Fashion-MNIST's classes in its order, as the small world calls them.
CLOTHES = (
    "t-shirt",
    "trousers",
    "pullover",
    "dress",
    "coat",
    "sandal",
    "shirt",
    "sneaker",
    "bag",
    "boot",
)
SIDE = 28


class Images(NamedTuple):
    """Pictures and what they show.

    Attributes:
        pixels: from 0, the background, to 1.
        labels: places in ``CLOTHES``, which names the classes.
    """

    pixels: Float[np.ndarray, "n 28 28"]
    labels: Int[np.ndarray, " n"]


def load_images(part: str = "train", size: int | None = None) -> Images:
    """Read pictures of clothes; as many of each of the ten classes.

    Args:
        part: "train", 4,000 pictures, or "test", 1,000 others.
        size: only the first so many; the classes take turns. All unless given.

    Returns:
        The pictures in single precision, and their classes.

    Raises:
        ValueError: if there is no such part, or it has not so many pictures.

    Source:
        Xiao et al. (2017), Fashion-MNIST; see ``corpora/fashion/PROVENANCE.md``.

    >>> pixels, labels = load_images("train", 50)
    >>> pixels.shape, np.bincount(labels).tolist()
    ((50, 28, 28), [5, 5, 5, 5, 5, 5, 5, 5, 5, 5])
    """
    if part not in ("train", "test"):
        raise ValueError(f'load_images: part must be "train" or "test", got {part!r}')
    images, labels = _arrays()[part]
    size = len(images) if size is None else size
    whole = isinstance(size, int) and not isinstance(size, bool)
    if not whole or not 1 <= size <= len(images):
        raise ValueError(
            f"load_images: size must be a whole number from 1 to {len(images)}, got {size!r}"
        )
    pixels = (images[:size] / 255).astype(np.float32)
    return Images(pixels, labels[:size].astype(np.int64))


@cache
def _arrays() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    folder = resources.files("attention_course") / "data" / "corpora" / "fashion"
    content = lzma.decompress((folder / "fashion.npz.xz").read_bytes())
    with np.load(io.BytesIO(content)) as file:
        return {
            part: (file[f"{part}_images"], file[f"{part}_labels"]) for part in ("train", "test")
        }
