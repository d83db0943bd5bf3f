"""The corpora are what their provenance says."""

import gzip
import hashlib
from importlib import resources

import pytest

from attention_course.data import load_cmudict, load_verses

CORPORA = resources.files("attention_course") / "data" / "corpora"


@pytest.fixture(scope="module")
def pairs():
    return load_cmudict()


@pytest.mark.parametrize("name", ["cmudict", "fashion", "verses"])
def test_every_corpus_states_its_origin_and_its_licence(name):
    provenance = (CORPORA / name / "PROVENANCE.md").read_text(encoding="utf-8")
    assert len(provenance) > 300
    assert "2026" in provenance
    assert len((CORPORA / name / "LICENSE").read_text(encoding="utf-8")) > 100


def test_the_dictionary_is_the_unchanged_file():
    packed = (CORPORA / "cmudict" / "cmudict.dict.gz").read_bytes()
    digest = hashlib.sha256(gzip.decompress(packed)).hexdigest()
    assert digest in (CORPORA / "cmudict" / "PROVENANCE.md").read_text(encoding="utf-8")
    assert len(packed) < 1_300_000


def test_words_have_plain_letters_and_39_phonemes_in_all(pairs):
    assert len(pairs) == 117_493
    assert {letter for word, _ in pairs for letter in word} == set("abcdefghijklmnopqrstuvwxyz")
    assert len({p for _, spoken in pairs for p in spoken}) == 39


def test_the_first_pronunciation_is_taken_and_comments_are_dropped(pairs):
    spoken = {"".join(word): " ".join(sounds) for word, sounds in pairs}
    assert spoken["read"] == "R EH D"  # the second one is R IY D
    assert spoken["aalto"] == "AA L T OW"  # has a comment behind it


def test_stress_is_kept_on_request():
    assert (
        " ".join(dict(load_cmudict(stress=True))[tuple("attention")]) == "AH0 T EH1 N SH AH0 N"
    )


def test_every_verse_has_four_languages():
    verses = load_verses()
    assert len(verses) == 37
    for texts in verses.values():
        assert list(texts) == ["english", "french", "german", "spanish"]
        assert all(len(text) > 5 for text in texts.values())


@pytest.mark.parametrize(
    ("verse", "language", "text"),
    [
        ("Genesis 1:3", "german", "Und Gott sprach: Es werde Licht! und es ward Licht."),
        ("John 11:35", "french", "Jésus pleura."),
        ("Acts 20:33", "english", "I coveted no one's silver, or gold, or clothing."),
    ],
)
def test_verses_are_written_as_in_their_edition(verse, language, text):
    assert load_verses()[verse][language] == text
