"""The Vision Transformer of the image looker, in NumPy: what the page computes."""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from attention_course.data.packed import pack_image_model, unpack_translator
from attention_course.reference.softmax import softmax
from attention_course.reference.transformer.multi_head import split_heads
from attention_course.reference.transformer.transformer_block import layer_norm
from attention_course.reference.vision.vision_transformer import patchify

PATCHES, HEADS, LAYERS = 49, 4, 2
BLADES = ("zero", "mean", "other")


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
    blade: str = "zero",
    other: np.ndarray | None = None,
    weights_of: Mapping[str, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of a picture, and every attention weight, with the cuts as they are.

    Args:
        pixels: of the picture.
        covered: patches in whose place something else is put.
        swapped: none, or two patches that change places.
        silent: heads in place of whose context something else is put, from 0, layer after
            layer.
        blade: what is put there: nothing ("zero"), the mean over the training pictures, or
            what another picture has at the same place.
        other: pixels of that other picture.
        weights_of: the model's parameters by name; those of the page unless given.

    Returns:
        Logits and weights.

    Source:
        Dosovitskiy et al. (2021), section 3.1.

    >>> logits, weights = classify(picture(8, []))
    >>> int(logits.argmax()), weights.shape
    (8, (2, 4, 50, 50))
    """
    logits, weights, _ = _read(pixels, covered, swapped, silent, blade, other, weights_of)
    return logits, weights


def _read(
    pixels: np.ndarray,
    covered: Sequence[int] = (),
    swapped: Sequence[int] = (),
    silent: Sequence[int] = (),
    blade: str = "zero",
    other: np.ndarray | None = None,
    weights_of: Mapping[str, np.ndarray] | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return logits, weights, and the contexts of the heads: layers, tokens, width."""
    p = load() if weights_of is None else weights_of
    side = round(p["E.weight"].shape[1] ** 0.5)
    patches = patchify(pixels[None], side)[0].copy()
    put, contexts = np.zeros((28, 28)), np.zeros((LAYERS, 1, 1))
    if blade == "mean":
        put = p["means.picture"].reshape(28, 28)
        contexts = p["means.context"].reshape(LAYERS, -1, p["means.context"].shape[1])
    elif blade == "other" and other is not None:
        put, contexts = other, _read(other, weights_of=p)[2]
    patches[list(covered)] = patchify(put[None], side)[0][list(covered)]
    if swapped:
        patches[list(swapped)] = patches[list(swapped)[::-1]]
    x = np.concatenate([p["cls"][None], patches @ p["E.weight"].T + p["E.bias"]]) + p["P"]
    seen, given = [], []
    for layer in range(LAYERS):

        def linear(z: np.ndarray, name: str, layer: int = layer) -> np.ndarray:
            name = f"blocks.{layer}.{name}"
            return z @ p[f"{name}.weight"].T + p[f"{name}.bias"]

        z = _norm(p, f"blocks.{layer}.norms.0", x)
        q, k, v = (
            split_heads(linear(z, f"attention.W_{name}"), HEADS) for name in ("q", "k", "v")
        )
        weights = softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]))
        context = (weights @ v).swapaxes(0, 1).reshape(len(z), -1)
        given.append(context)
        cut = np.isin(layer * HEADS + np.arange(HEADS), silent).repeat(v.shape[-1])
        context = np.where(cut, contexts[layer], context)
        x = x + linear(context, "attention.W_o")
        z = _norm(p, f"blocks.{layer}.norms.1", x)
        hidden = np.maximum(linear(z, "feed_forward.W_1"), 0)
        x = x + linear(hidden, "feed_forward.W_2")
        seen.append(weights)
    logits = _norm(p, "end", x[:1])[0] @ p["out.weight"].T + p["out.bias"]
    return logits, np.stack(seen), np.stack(given)


def _norm(p: Mapping[str, np.ndarray], name: str, x: np.ndarray) -> np.ndarray:
    return layer_norm(x, p[f"{name}.weight"], p[f"{name}.bias"])


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
