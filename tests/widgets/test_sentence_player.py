"""The sentence player in Python: its state, its fallback, and what lies beside a page."""

import re

import numpy as np
import pytest

from attention_course.data.packed import pack_translator, quantise_rows
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets import SentencePlayer
from attention_course.widgets.sentence_player.translate import load
from attention_course.widgets.sentence_player.widget import SENTENCES, words_of

RIGHT = {  # what each sentence of the list that does not say that it fails may become
    "Il vit une grande lumière dans le ciel, et il eut peur.": {
        "he saw a great light in heaven , and he was afraid ."
    },
    "Je vous aime.": {"i love you ."},
    "Il fut rempli de l'esprit saint.": {"he was filled with the holy spirit ."},
    "Es-tu le roi des juifs ?": {"are you the king of the jews ?"},
    "Pierre lui dit : je ne te connais pas.": {'peter said to him , " i don \'t know you . "'},
    "Sa maison est grande.": {"his house is great ."},
    "Les fils de mes fils sont mes fils.": {"the children of my children are my sons ."},
    "Il monta dans une barque, et ses disciples le suivirent dans le désert.": {
        "he entered into a boat , and his disciples followed him into the wilderness .",
        "he went up into a boat , and his disciples followed him in the wilderness .",
    },
}


@pytest.mark.parametrize("model", ["attention", "transformer"])
@pytest.mark.parametrize(("sentence", "why"), SENTENCES)
def test_a_sentence_of_the_list_is_right_or_says_that_it_fails(sentence, why, model):
    unknown = {*words_of(sentence)} - {*load(model).source}
    assert unknown == ({"pizza"} if "unknown" in why else set())
    player = SentencePlayer(sentence=sentence, model=model)
    written = " ".join(player.translation()[:-1])
    if why.startswith("it fails"):
        assert sentence not in RIGHT
        assert {"dress", "robe", "pizza"}.isdisjoint(written.split())
    else:
        assert written in RIGHT[sentence]


def test_there_are_ten_sentences_and_as_many_words_as_the_field_says():
    assert len(SENTENCES) == 10
    assert round(len(load("attention").source), -2) == 4_500


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
