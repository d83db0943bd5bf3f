"""The parallel corpus, its division, and the file format of trained weights."""

import gzip
import hashlib
from importlib import resources

import numpy as np
import pytest

from attention_course.data.parallel import (
    UNKNOWN,
    known,
    length_bins,
    load_parallel,
    split_words,
    translation_task,
)
from attention_course.data.tensors import load_checkpoint, read_tensors, write_tensors
from attention_course.data.vocabulary import Vocabulary

FOLDER = resources.files("attention_course") / "data" / "corpora" / "parallel"


@pytest.fixture(scope="module")
def task():
    return translation_task(np.random.RandomState(0))


@pytest.fixture(scope="module")
def verses():
    return load_parallel()


def test_the_file_is_the_one_whose_origin_is_stated():
    content = gzip.decompress((FOLDER / "verses.tsv.gz").read_bytes())
    assert hashlib.sha256(content).hexdigest() in (FOLDER / "PROVENANCE.md").read_text()


def test_every_verse_is_there_once(verses):
    assert len(verses) == len({verse.place for verse in verses}) == 31_102


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("L'homme, c'est-à-dire: lui.", "french", "l' homme , c' est - à - dire : lui ."),
        ("God's Spirit didn't.", "english", "god 's spirit didn 't ."),
        ("He said, 'Go'", "english", "he said , ' go '"),
    ],
)
def test_words_are_cut_where_the_language_cuts_them(text, language, words):
    assert " ".join(split_words(text, language)) == words


def test_no_letter_is_lost(verses):
    for verse, line in zip(verses[:200], _lines(), strict=False):
        _, english, french = line.split("\t")
        assert "".join(verse.english) == english.lower().replace(" ", "")
        assert "".join(verse.french) == french.lower().replace(" ", "")


def test_no_held_out_sentence_was_learned(task):
    learned = {verse.french for verse in task.train}
    assert not [verse for verse in task.test if verse.french in learned]
    assert not {v.place for v in task.train} & {v.place for v in task.test}
    assert 1400 < len(task.test) <= 1500


def test_the_division_depends_on_the_generator_alone(task):
    again = translation_task(np.random.RandomState(0))
    other = translation_task(np.random.RandomState(1))
    assert again.test == task.test
    assert other.test != task.test
    assert again.french.symbols == task.french.symbols


def test_rare_words_become_the_unknown_mark(task):
    assert known(["dieu", "zzz"], task.french) == ["dieu", UNKNOWN]
    numbers = task.source(task.test[0])
    assert len(numbers) == len(task.test[0].french)
    assert min(numbers) >= 3


def test_bins_take_every_sentence_once():
    lengths = np.random.RandomState(0).randint(3, 61, 400).tolist()
    bins = length_bins(lengths)
    assert sorted(i for chosen in bins.values() for i in chosen) == list(range(400))
    for label, chosen in bins.items():
        low, high = map(int, label.split("-"))
        assert all(low <= lengths[i] <= high for i in chosen)


ARRAYS = {"a.weight": np.arange(6.0).reshape(2, 3), "b": np.ones(5, np.float16)}


def test_what_is_written_is_read_back_bit_for_bit(tmp_path):
    path = write_tensors(tmp_path / "x.safetensors", ARRAYS, seed="0")
    arrays, about = read_tensors(path.read_bytes())
    assert about == {"seed": "0"}
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        assert np.array_equal(arrays[name], array)


def test_the_safetensors_package_reads_ours_and_we_read_theirs(tmp_path):
    theirs = pytest.importorskip("safetensors.numpy")
    path = write_tensors(tmp_path / "x.safetensors", ARRAYS)
    for name, array in theirs.load_file(path).items():
        assert np.array_equal(array, ARRAYS[name])
    arrays, _ = read_tensors(theirs.save(ARRAYS))
    assert all(np.array_equal(arrays[name], array) for name, array in ARRAYS.items())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: split_words("a", "latin"), "split_words: language must be one of"),
        (lambda: length_bins([61]), "length_bins: lengths must be at most 60, got 61"),
        (lambda: load_checkpoint("none"), "load_checkpoint: name must be one of"),
        (lambda: read_tensors(b"12345678{}"), "read_tensors: content must start"),
        (lambda: write_tensors("x", {"a": np.ones(1, bool)}), "arrays must have a dtype"),
        (lambda: translation_task(np.random.RandomState(0), 40_000), "held_out must be from 1"),
        (lambda: Vocabulary([]), "Vocabulary: symbols"),
    ],
)
def test_what_cannot_be_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def _lines():
    return gzip.decompress((FOLDER / "verses.tsv.gz").read_bytes()).decode().splitlines()
