"""The translators of the small world: JavaScript writes what torch does, and the same truth."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attention_course.data.packed import (
    IN_THE_WORLD,
    pack_of_the_world,
    quantise_rows,
    unpack_translator,
)
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import (
    Pair,
    deciders,
    for_the_page,
    vocabulary,
    write,
)
from attention_course.widgets import WorldPlayer
from attention_course.widgets.world_player.translate import OTHER, UNCUT, translate
from attention_course.widgets.world_player.truth import nearest
from attention_course.widgets.world_player.widget import SENTENCES

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="needs Node"),
    pytest.mark.inputs("src/attention_course/widgets"),
]
HERE = Path(__file__).parent
LONGEST = 40


def in_node(script, asked):
    run = subprocess.run(
        ["node", HERE / script],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(run.stdout)


@pytest.fixture(scope="module")
def pairs():
    """Sentences as the grammar draws them, short and long."""
    rng = random.Random(5)
    return [Pair(write(rng)) for _ in range(120)]


def of_torch(name):
    from small_world import new_model

    model = new_model(IN_THE_WORLD[name], "english", np.random.RandomState(0)).eval()
    arrays = unpack_translator(pack_of_the_world(name))[0]
    own = {k: a.astype("f4") for k, a in arrays.items() if not k.startswith("means.")}
    model.load_state_dict({k: torch.from_numpy(a) for k, a in own.items()})
    return model


def by_page(name, sentences, folder, cuts=()):
    (folder / "model").write_bytes(pack_of_the_world(name))
    rows = [{"tokens": tokens, "cuts": dict(cuts)} for tokens in sentences]
    other = Vocabulary(vocabulary("english")).encode(OTHER.split())
    asked = {"file": str(folder / "model"), "sentences": rows, "longest": LONGEST}
    asked |= {"other": other}
    return in_node("translate.mjs", asked)["written"]


@pytest.mark.parametrize("name", IN_THE_WORLD)
def test_whole_sentences_are_torchs(name, pairs, tmp_path):
    model, english = of_torch(name), Vocabulary(vocabulary("english"))
    sentences = [english.encode(pair.english) for pair in pairs]
    assert len(sentences) == 120
    for tokens, steps in zip(sentences, by_page(name, sentences, tmp_path), strict=True):
        source, lengths = torch.tensor([tokens]), torch.tensor([len(tokens)])
        written = model.generate(source, lengths, LONGEST)
        assert [step["symbol"] for step in steps] == written[0].tolist()
        given = torch.cat([torch.tensor([[1]]), written[:, :-1]], 1)
        with torch.no_grad():
            logits, weights = model.follow(source, lengths, given)
        seen = np.array([step["logits"] for step in steps])
        np.testing.assert_allclose(seen, logits[0].numpy(), rtol=0, atol=1e-4)
        if name != "world_fixed":
            looked = np.array([step["weights"] for step in steps]).swapaxes(0, 1)
            heads = weights[0].numpy().reshape(looked.shape)
            np.testing.assert_allclose(looked, heads, rtol=0, atol=1e-5)


CUTS = [
    ("world_attention", {"backward": False}),
    ("world_attention", {"backward": False, "blade": "mean"}),
    ("world_attention", {"backward": False, "blade": "other"}),
    ("world_attention", {"moves": [[2, 0]]}),
    ("world_transformer", {"silent": [0], "blade": "mean"}),
    ("world_transformer_2", {"silent": [0, 4, 6], "blade": "mean"}),
    ("world_transformer_2", {"silent": [1, 5], "blade": "other"}),
    ("world_transformer", {"silent": [1, 2]}),
    ("world_transformer", {"positions": False}),
    ("world_transformer", {"uniform": True}),
    ("world_luong", {"moves": [[2, 0]]}),
    ("world_luong_dot", {"forbidden": [1]}),
    ("world_luong_concat", {"moves": [[2, 0]]}),
    ("world_luong_location", {"forbidden": [1]}),
    ("world_local_m", {"moves": [[2, 0]]}),
    ("world_local_p", {"moves": [[2, 0]]}),
    ("world_local_p", {"uniform": True}),
    ("world_gnmt", {"moves": [[2, 0]]}),
]


@pytest.mark.parametrize(("name", "cut"), CUTS, ids=str)
def test_the_page_cuts_as_numpy_does(name, cut, pairs, tmp_path):
    english = Vocabulary(vocabulary("english"))
    sentences = [english.encode(pair.english) for pair in pairs[:10]]
    changed = 0
    for pair, steps in zip(pairs, by_page(name, sentences, tmp_path, cut), strict=False):
        written, looked = translate(name, [*pair.english], LONGEST, UNCUT | cut)
        assert [step["symbol"] for step in steps] == written
        seen = np.array([step["weights"] for step in steps])
        np.testing.assert_allclose(seen, looked, rtol=0, atol=1e-7)
        changed += written != translate(name, [*pair.english], LONGEST, UNCUT)[0]
    assert changed


def test_the_page_knows_what_is_true(pairs):
    """Right translations, where their words come from, and what decides them."""
    some = [pair for pair in pairs[:40] if len(pair.english) < 12][:8]
    wrong = [[*pair.french[1:], "rouge"] for pair in some]  # a word is missing, one too many
    asked = {
        "grammar": json.dumps(for_the_page()),
        "rows": [
            {"words": pair.english, "from": [sorted(own) for own in pair.alignment("english")],
             "written": text}
            for pair, text in zip(some, wrong, strict=True)
        ],
    }  # fmt: skip
    for pair, text, row in zip(some, wrong, in_node("true.mjs", asked), strict=True):
        assert row["deciders"] == [sorted(one) for one in deciders(pair, "english")]
        assert [*pair.french] in row["right"]
        found = nearest(text, pair.english)
        assert row["from"] == [None if own is None else sorted(own) for own in found]
        assert None in found


def test_every_french_word_has_a_gloss():
    asked = {"grammar": json.dumps(for_the_page()), "glosses": vocabulary("french")}
    found = dict(zip(vocabulary("french"), in_node("true.mjs", asked), strict=True))
    assert [word for word, gloss in found.items() if not gloss] == [".", "?"]
    assert found["rive"] != found["banque"]
    assert (found["fatigué"], found["fatiguée"]) == ("tired m", "tired f")


@pytest.mark.parametrize("sentence", [sentence for sentence, _ in SENTENCES])
def test_a_button_has_a_sentence_that_is_translated_rightly(sentence):
    player = WorldPlayer(sentence=sentence, step=LONGEST, truth=True)
    assert player.readouts()["wrong"] == 0
    assert 0.4 < player.readouts()["on-source"] < 1


@pytest.mark.parametrize("model", ["transformer", "transformer_2"])
def test_for_a_transformer_it_is_the_animal_in_both_sentences_as_the_pages_say(model):
    for sentence, _ in SENTENCES[:2]:
        assert WorldPlayer(sentence=sentence, model=model).translation()[10] == "il"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1 to 60 words"),
        ("the " * 200, "1 to 60 words"),
        ("the zebra eats", "'zebra'"),
        ("the man the man", "could follow: did, .*, got 'the'"),
    ],
)
def test_a_sentence_that_cannot_be_read_is_refused_in_words(text, said):
    with pytest.raises(ValueError, match=said):
        WorldPlayer(sentence=text)


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
