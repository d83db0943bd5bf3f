"""The pictures of clothes are what their provenance says."""

import hashlib
import lzma
from importlib import resources

import numpy as np
import pytest

from attention_course.data import CLOTHES, load_images

FOLDER = resources.files("attention_course") / "data" / "corpora" / "fashion"


def test_the_file_is_the_one_described_and_small():
    packed = (FOLDER / "fashion.npz.xz").read_bytes()
    digest = hashlib.sha256(lzma.decompress(packed)).hexdigest()
    assert digest in (FOLDER / "PROVENANCE.md").read_text(encoding="utf-8")
    assert len(packed) < 2_000_000


@pytest.mark.parametrize(("part", "size"), [("train", 4000), ("test", 1000)])
def test_every_class_is_there_as_often_and_in_turns(part, size):
    pixels, labels = load_images(part)
    assert pixels.shape == (size, 28, 28)
    assert pixels.dtype == np.float32
    assert (pixels.min(), pixels.max()) == (0, 1)
    assert np.array_equal(labels, np.arange(size) % len(CLOTHES))


def test_fewer_pictures_are_the_first_ones():
    few, all_of_them = load_images("train", 70), load_images("train")
    assert np.array_equal(few.pixels, all_of_them.pixels[:70])
    assert np.array_equal(few.labels, all_of_them.labels[:70])


def test_no_picture_is_there_twice():
    rows = np.concatenate([load_images(part).pixels for part in ("train", "test")])
    assert len(np.unique(rows.reshape(len(rows), -1), axis=0)) == len(rows)


@pytest.mark.parametrize("class_of_two", [(1, 3), (9, 5)])
def test_the_labels_fit_the_pictures(class_of_two):
    """Nearest class mean tells apart trousers from dresses, boots from sandals."""
    pixels, labels = load_images("train")
    test, wanted = load_images("test")
    means = np.stack([pixels[labels == c].mean(0) for c in class_of_two])
    chosen = np.isin(wanted, class_of_two)
    far = ((test[chosen][:, None] - means) ** 2).sum((2, 3))
    right = np.array(class_of_two)[far.argmin(1)] == wanted[chosen]
    assert right.mean() > 0.85


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("validation",), 'part must be "train" or "test"'),
        (("train", 0), "size must be a whole number from 1 to 4000"),
        (("test", 1001), "size must be a whole number from 1 to 1000"),
        (("test", True), "size must be a whole number"),
        (("test", 2.0), "size must be a whole number"),
    ],
)
def test_what_is_not_there_is_refused(arguments, message):
    with pytest.raises(ValueError, match=f"load_images: {message}"):
        load_images(*arguments)
