"""The sentence player in Python: its state, its fallback, and what lies beside a page."""

import base64
import json
import re

import numpy as np
import pytest

from attention_course.data.packed import TRANSLATORS, pack_translator, quantise_rows
from attention_course.site.assets import write_models
from attention_course.widgets import SentencePlayer
from attention_course.widgets.sentence_player.translate import LONGEST, load
from attention_course.widgets.sentence_player.widget import SENTENCES, words_of


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("sentence", "  ", "French text of 1 to 60 words"),
        ("sentence", "et " * 61, "French text of 1 to 60 words"),
        ("sentence", "a" * 301, "at most 300 characters"),
        ("model", "fixed", "'attention', 'transformer'"),
        ("moves", [[1]], "a list of pairs"),
        ("forbidden", [60], "a list of numbers from 0 to 59"),
        ("silent", [8], "a list of numbers from 0 to 7"),
        ("head", 5, "a whole number from 0 to 4"),
        ("backward", 1, "True or False"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"SentencePlayer: {trait} must be .*{expected}"):
        SentencePlayer(**{trait: bad})


def test_there_are_ten_sentences_that_it_takes_and_some_word_is_unknown():
    french = load("attention").french
    words = [words_of(text) for text, _ in SENTENCES]
    assert len(words) == 10
    assert all(1 <= len(each) <= LONGEST for each in words)
    assert [w for each in words for w in each if w not in french] != []


@pytest.mark.parametrize("model", ["attention", "transformer"])
def test_the_fallback_has_the_sentence_both_translations_and_the_weights(model):
    player = SentencePlayer(model=model)
    for word in player.translation()[:-1]:
        assert word in player.fallback
    assert "fixed vector" in player.fallback
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", player.fallback)
    assert len(rows) == len(player.translation())
    for row in rows:
        assert sum(map(float, re.findall(r"<td>(.*?)</td>", row))) == pytest.approx(1, abs=0.03)


def test_a_sentence_is_no_markup():
    assert "<b>" not in SentencePlayer(sentence="<b>dieu</b>").fallback


def test_eight_bits_are_off_by_half_a_step_at_most():
    W = np.random.RandomState(3).standard_normal((5, 7)) * np.arange(5)[:, None]
    rounded, scale = quantise_rows(W)
    step = scale.astype(float)[:, None]
    assert rounded.dtype == np.int8
    assert (np.abs(rounded * step - W) <= step * 0.57).all()  # the scale is rounded as well
    assert not (np.abs(np.trunc(W / np.where(step, step, 1)) * step - W) <= step * 0.57).all()


def test_the_script_beside_the_page_holds_the_same_bytes(tmp_path):
    write_models(tmp_path, {n: pack_translator(n) for n in TRANSLATORS})
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "attention.js",
        "fixed.js",
        "transformer.js",
    ]
    text = (tmp_path / "fixed.js").read_text("utf-8")
    found = re.fullmatch(r"\(globalThis\.acModels \?\?= \{\}\)\.fixed = (\".*\");\n", text)
    assert base64.b64decode(json.loads(found[1])) == pack_translator("fixed")
