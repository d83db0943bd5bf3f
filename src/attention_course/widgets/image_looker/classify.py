"""The Vision Transformer of the image looker, in NumPy: what the page computes."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from attention_course.data.packed import pack_image_model, unpack_translator
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.multi_head import multi_head_attention
from attention_course.reference.transformer.transformer_block import feed_forward, layer_norm
from attention_course.reference.vision.vision_transformer import patchify

PATCHES, HEADS, LAYERS = 49, 4, 2


@cache
def load() -> dict[str, np.ndarray]:
    """Return the weights that travel to a page, at their sizes, and ten pictures."""
    arrays, _ = unpack_translator(pack_image_model())
    return {name: array.astype(float) for name, array in arrays.items()}


def picture(number: int, drawn: Sequence[int]) -> np.ndarray:
    """Return one of the ten pictures, or what the reader has drawn.

    Args:
        number: from 0; 10 for the drawing.
        drawn: pixels of the drawing that are full of ink, row by row.

    Returns:
        Pixels from 0 to 1.

    Source:
        Written for this course.

    >>> picture(10, [0, 29])[:2, :2].tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if number < 10:
        return load()["pictures"][number].reshape(28, 28) / 127
    pixels = np.zeros(784)
    pixels[list(drawn)] = 1
    return pixels.reshape(28, 28)


def classify(
    pixels: np.ndarray,
    covered: Sequence[int] = (),
    swapped: Sequence[int] = (),
    silent: Sequence[int] = (),
    weights_of: Mapping[str, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of a picture, and every attention weight, with the cuts as they are.

    Args:
        pixels: of the picture.
        covered: patches whose pixels are set to 0.
        swapped: none, or two patches that change places.
        silent: heads that bring nothing back, from 0, layer after layer.
        weights_of: the model's parameters by name; those of the page unless given.

    Returns:
        Logits and weights.

    Source:
        Dosovitskiy et al. (2021), section 3.1.

    >>> logits, weights = classify(picture(8, []))
    >>> int(logits.argmax()), weights.shape
    (8, (2, 4, 50, 50))
    """
    p = load() if weights_of is None else weights_of
    patches = patchify(pixels[None], round(p["E.weight"].shape[1] ** 0.5))[0].copy()
    patches[list(covered)] = 0
    if swapped:
        patches[list(swapped)] = patches[list(swapped)[::-1]]
    x = np.concatenate([p["cls"][None], patches @ p["E.weight"].T + p["E.bias"]]) + p["P"]
    seen = []
    for layer in range(LAYERS):

        def part(name: str, layer: int = layer) -> np.ndarray:
            return p[f"blocks.{layer}.{name}"]

        z = layer_norm(x, part("norms.0.weight"), part("norms.0.bias"))
        # Biases of q, k and v: one more input that is always 1.
        wide = np.concatenate([z, np.ones((len(z), 1))], axis=1)
        W_q, W_k, W_v = (
            np.concatenate(
                [
                    part(f"attention.{name}.weight").T,
                    part(f"attention.{name}.bias")[None],
                ]
            )
            for name in ("W_q", "W_k", "W_v")
        )
        keep = np.array([layer * HEADS + h not in silent for h in range(HEADS)])
        W_o = part("attention.W_o.weight").T
        found, weights = multi_head_attention(wide, wide, W_q, W_k, W_v, W_o, HEADS, keep=keep)
        x = x + found + part("attention.W_o.bias")
        z = layer_norm(x, part("norms.1.weight"), part("norms.1.bias"))
        W_1, W_2 = (part(f"feed_forward.{name}.weight").T for name in ("W_1", "W_2"))
        b_1, b_2 = (part(f"feed_forward.{name}.bias") for name in ("W_1", "W_2"))
        x = x + feed_forward(z, W_1, b_1, W_2, b_2)
        seen.append(weights)
    end = layer_norm(x[:1], p["end.weight"], p["end.bias"])[0]
    return end @ p["out.weight"].T + p["out.bias"], np.stack(seen)


def chances(logits: np.ndarray) -> np.ndarray:
    """Return the probabilities of the classes.

    Args:
        logits: of one picture.

    Returns:
        Their softmax.

    Source:
        Common practice.

    >>> chances(np.zeros(2)).tolist()
    [0.5, 0.5]
    """
    return softmax(logits)
