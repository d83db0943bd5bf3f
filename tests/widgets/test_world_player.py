"""The player in Python: its state, its fallback, and what lies beside a page."""

import base64
import json
import re

import numpy as np
import pytest

from attention_course.data.packed import pack_of_the_world, quantise_rows
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets import WorldPlayer


@pytest.mark.parametrize(
    ("trait", "bad", "expected"),
    [
        ("sentence", "  ", "English text of 1 to 60 words"),
        ("sentence", "and " * 61, "English text of 1 to 60 words"),
        ("sentence", "a" * 301, "at most 300 characters"),
        ("model", "google", "'attention', 'transformer', 'transformer_2'"),
        ("models", [], "a list of models"),
        ("moves", [[1]], "a list of pairs"),
        ("forbidden", [60], "a list of numbers from 0 to 59"),
        ("silent", [8], "a list of numbers from 0 to 7"),
        ("head", 5, "a whole number from 0 to 4"),
        ("backward", 1, "True or False"),
        ("blade", "silent", "'zero', 'mean', 'other'"),
    ],
)
def test_a_bad_value_is_refused_with_what_is_expected(trait, bad, expected):
    with pytest.raises(ValueError, match=f"WorldPlayer: {trait} must be .*{expected}"):
        WorldPlayer(**{trait: bad})


@pytest.mark.parametrize("model", ["attention", "transformer_2"])
def test_the_fallback_has_the_sentence_both_translations_and_the_weights(model):
    player = WorldPlayer(model=model, models=["fixed", model])
    for word in player.translation()[:-1]:
        assert word in player.fallback
    assert "fixed vector" in player.fallback
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", player.fallback)
    assert len(rows) == len(player.translation())
    for row in rows:
        assert sum(map(float, re.findall(r"<td>(.*?)</td>", row))) == pytest.approx(1, abs=0.04)


def test_eight_bits_are_off_by_half_a_step_at_most():
    W = np.random.RandomState(3).standard_normal((5, 7)) * np.arange(5)[:, None]
    rounded, scale = quantise_rows(W)
    step = scale.astype(float)[:, None]
    assert rounded.dtype == np.int8
    assert (np.abs(rounded * step - W) <= step * 0.57).all()  # the scale is rounded as well
    assert not (np.abs(np.trunc(W / np.where(step, step, 1)) * step - W) <= step * 0.57).all()


def test_the_script_beside_the_page_holds_the_same_bytes(tmp_path):
    write_models(tmp_path, MODELS["world-player"])
    assert {p.stem for p in tmp_path.iterdir()} == {*MODELS["world-player"]}
    text = (tmp_path / "world_fixed.js").read_text("utf-8")
    found = re.fullmatch(
        r"\(globalThis\.acModels \?\?= \{\}\)\.world_fixed = (\".*\");\n", text
    )
    assert base64.b64decode(json.loads(found[1])) == pack_of_the_world("world_fixed")
