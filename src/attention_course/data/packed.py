"""Trained models as a page carries them: whole numbers of eight bits, words or pictures."""

import json
from collections.abc import Mapping
from functools import cache

import numpy as np

from attention_course._shapes import Float, Int
from attention_course.data.asked import garments
from attention_course.data.images import load_images
from attention_course.data.tensors import load_checkpoint, tensor_bytes
from attention_course.data.tensors import unpack_translator as unpack_translator
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import for_the_page, vocabulary
from attention_course.data.world.pictured import shown_photographs

# The translators of the small world, by the names of their runs.
IN_THE_WORLD = {
    "world_attention": "bahdanau",
    "world_fixed": "fixed",
    "world_transformer": "transformer-1-4",
    "world_luong": "luong",
    "world_luong_dot": "luong-dot",
    "world_luong_concat": "luong-concat",
    "world_luong_location": "luong-location",
    "world_local_m": "local-m",
    "world_local_p": "local-p",
    "world_gnmt": "gnmt",
    "world_transformer_2": "transformer-2-4",
}
CAPTIONERS = ("soft", "hard", "even")  # ways to look of the small world's captioners
PICTURED = (*(f"captions_{way}" for way in CAPTIONERS), "questions_two_looks")
CHOICES = ("score", "scope", "D")  # of Luong's translators; their files say which they have


def quantise_rows(
    W: Float[np.ndarray, "rows columns"],
) -> tuple[Int[np.ndarray, "rows columns"], Float[np.ndarray, " rows"]]:
    r"""Round a matrix to eight bits, with one scale for each row.

    .. math:: s_i = \frac{\max_j |W_{ij}|}{127}, \qquad
       \hat W_{ij} = \operatorname{round}(W_{ij} / s_i)

    Args:
        W: the matrix.

    Returns:
        Whole numbers from -127 to 127, and the scales in half precision.

    Source:
        Common practice.

    >>> quantise_rows(np.array([[1.0, -0.5], [0.0, 0.0]]))[0].tolist()
    [[127, -64], [0, 0]]
    """
    top = np.abs(W).max(axis=1).astype(np.float32)
    scale = (top / 127).astype(np.float16)
    # A row of zeros has the scale 0.
    rounded = np.round(W / np.where(scale > 0, scale, 1).astype(np.float32)[:, None])
    return rounded.clip(-127, 127).astype(np.int8), scale


@cache
def pack_of_the_world(name: str) -> bytes:
    """Return the weights of a translator of the small world, from English to French.

    Args:
        name: one of ``IN_THE_WORLD``.

    Returns:
        A safetensors file: matrices as whole numbers, the scales of ``W`` under ``W.scale``,
        vectors in half precision; the words in the header, one a line. Under ``means.…``
        what the parts that a page silences give on average.
    """
    arrays, about = load_checkpoint(f"small_world/english-{IN_THE_WORLD[name]}")
    words = {
        language: "\n".join(Vocabulary(vocabulary(language)).symbols[3:])
        for language in ("english", "french")
    }
    choices = {name: about[name] for name in CHOICES if name in about}
    return tensor_bytes(arrays, **words, **choices, source="english")


@cache
def pack_world() -> bytes:
    """Return the grammar of the small world as ``kit/world.js`` reads it, in a header."""
    return tensor_bytes({}, grammar=json.dumps(for_the_page(), ensure_ascii=False))


@cache
def pack_words() -> bytes:
    """Return the weights of the small world's language model, with its vocabulary.

    Returns:
        A file like those of :func:`pack_of_the_world`; ``words`` in the header, and under
        ``means.…`` what each part gives on average, in half precision.
    """
    arrays, about = load_checkpoint("small_world/words")
    return tensor_bytes(arrays, **about)


def _in_eight_bits(checkpoint: str) -> dict[str, np.ndarray]:
    return eight_bits(load_checkpoint(checkpoint)[0])


def eight_bits(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return weights as :func:`unpack_translator` reads them.

    Args:
        arrays: of a model, by name.

    Returns:
        Matrices as whole numbers with their scales, all else in half precision.

    >>> sorted(eight_bits({"W": np.eye(2), "b": np.ones(2)}))
    ['W', 'W.scale', 'b']
    """
    packed = {}
    for key, array in arrays.items():
        if array.ndim == 2:
            packed[key], packed[f"{key}.scale"] = quantise_rows(array.astype(np.float32))
        else:
            packed[key] = array.astype(np.float16)
    return packed


@cache
def pack_image_model() -> bytes:
    """Return the weights of the trained Vision Transformer in eight bits, with ten pictures.

    Returns:
        A safetensors file, as :func:`pack_of_the_world` makes it; under ``pictures`` the first
        ten of the test set, one of each class, from 0 to 127; under ``means.…`` the mean
        training picture, and what the heads of both layers give on average, for each token.

    >>> unpack_translator(pack_image_model())[0]["pictures"].shape
    (10, 784)
    """
    pixels = load_images("test", 10).pixels.reshape(10, -1)
    pictures = np.round(127 * pixels).astype(np.int8)
    means, _ = load_checkpoint("vision_transformer_means")
    return tensor_bytes(_in_eight_bits("vision_transformer") | means | {"pictures": pictures})


@cache
def pack_asker() -> bytes:
    """Return the weights of the model that answers questions about pictures, in eight bits.

    Returns:
        A safetensors file, as :func:`pack_of_the_world` makes it; under ``garments`` the first
        four test photographs of each garment, from 0 to 127.

    >>> unpack_translator(pack_asker())[0]["garments"].shape
    (32, 196)
    """
    cells = garments("test")[:, :4].reshape(-1, 196)
    photographs = np.round(127 * cells).astype(np.int8)
    return tensor_bytes(_in_eight_bits("asker_two_looks") | {"garments": photographs})


@cache
def pack_pictured(name: str) -> bytes:
    """Return the weights of a model of pictures of two garments in eight bits.

    Args:
        name: one of ``PICTURED``.

    Returns:
        A safetensors file, as :func:`pack_of_the_world` makes it; under ``garments`` the first
        four test photographs of each kind, from 0 to 127.

    >>> unpack_translator(pack_pictured("captions_soft"))[0]["garments"].shape
    (40, 784)
    """
    task, way = name.split("_", 1)
    arrays, _ = load_checkpoint(f"small_world/{task}-{way}")
    photographs = shown_photographs().reshape(-1, 784)
    return tensor_bytes({**arrays, "garments": photographs})
