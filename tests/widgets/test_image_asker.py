"""The image asker in Python: torch's logits and looks, what a question may be, its fallback."""

import numpy as np
import pytest
import torch

from attention_course.data.asked import (
    ANSWERS,
    ask_pictures,
    garments,
    in_words,
    read_question,
)
from attention_course.data.packed import pack_asker
from attention_course.models.experiments.asking import Asker, asked_tensors, load_asker
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets import ImageAsker
from attention_course.widgets.image_asker.ask import ask, lay_out, load, right_answer
from attention_course.widgets.image_asker.widget import LAID_OUT, QUESTIONS

DRAWN = ask_pictures(np.random.RandomState(0), 300, garments("test"))


def cells_of(pictures):
    cells = pictures.reshape(-1, 3, 14, 3, 14).swapaxes(2, 3)
    return cells.reshape(-1, 9, 196).astype(float)


@pytest.fixture(scope="module")
def packed():
    """Torch's model with the weights that travel."""
    model = Asker("two looks", np.random.RandomState(0)).double()
    arrays = {k: torch.from_numpy(v) for k, v in load().items() if k != "garments"}
    model.load_state_dict(arrays)
    return model.eval()


@torch.no_grad()
@pytest.mark.parametrize("forced", [(0, 0), (3, 0), (0, 9), (5, 1)])
def test_logits_and_looks_are_torchs(packed, forced):
    pictures, questions, _ = asked_tensors(DRAWN)
    look_at = {
        t: torch.eye(9, dtype=torch.float64)[[place - 1]].expand(len(pictures), -1)
        for t, place in enumerate(forced)
        if place
    }
    done = packed(pictures.double(), questions, look_at)
    for i, cells in enumerate(cells_of(DRAWN.pictures)[:40]):
        logits, looks = ask(cells, DRAWN.questions[i], forced)
        np.testing.assert_allclose(logits, done.logits[i], rtol=0, atol=1e-8)
        np.testing.assert_allclose(looks, done.weights[i], rtol=0, atol=1e-8)
    plain = packed(pictures.double(), questions)
    moved = (plain.logits - done.logits).abs().amax(1)
    assert bool((moved[:40] > 1e-4).float().mean() > 0.5) == any(forced)


@torch.no_grad()
def test_eight_bits_change_few_answers(packed):
    pictures, questions, _ = asked_tensors(DRAWN)
    whole = load_asker()[0](pictures, questions).logits.argmax(1)
    eight = packed(pictures.double(), questions).logits.argmax(1)
    assert (whole == eight).double().mean() > 0.98
    assert len(pack_asker()) < 100_000


def test_what_is_right_is_what_was_drawn():
    for n, numbers in enumerate(DRAWN.questions):
        wanted = ANSWERS[DRAWN.answers[n]]
        assert right_answer(DRAWN.contents[n].tolist(), numbers) == wanted
    left_of_bag = read_question("What is left of the bag?")
    for contents in ([8] * 9, [6, *[8] * 8], [6, 6, *[0] * 7], [1, 8, 6, *[8] * 6]):
        assert right_answer(contents, left_of_bag) == ""


def test_every_question_is_read_back():
    for numbers in DRAWN.questions:
        assert read_question(in_words(numbers)).tolist() == numbers.tolist()


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("What is left of the hat?", "'hat'"),
        ("", "must ask"),
        ("left of the bag", "must ask"),
        ("Is there a top left?", "must ask"),
        ("What is left of left of the bag?", "must ask"),
    ],
)
def test_what_is_no_question_is_refused(sentence, said):
    with pytest.raises(ValueError, match=said):
        read_question(sentence)


def test_nothing_is_said_before_it_is_asked_for_or_of_what_cannot_be_answered():
    assert ImageAsker().readouts() == {}
    assert ImageAsker(loaded=True, contents=[8] * 9).readouts() == {}
    assert ImageAsker(loaded=True, question="What is left of the hat?").readouts() == {}
    numbers = ImageAsker(loaded=True, first=6).readouts()
    assert sum(numbers[f"chance-{i}"] for i in range(10)) == pytest.approx(1)
    assert [numbers[f"look-1-{i}"] for i in range(9)] == [0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_a_forced_first_look_is_answered_and_not_what_lies_beside_it():
    """What the page's example shows: the bag's place is asked for, the trousers are said."""
    left_of_bag = read_question(QUESTIONS[0])
    said = {}
    for first in (0, 6):
        logits, looks = ask(lay_out(LAID_OUT, 4), left_of_bag, (first, 0))
        said[first] = ANSWERS[logits.argmax()], int(looks[1].argmax())
    assert said == {0: ("trainer", 3), 6: ("trousers", 4)}


@pytest.mark.parametrize(
    ("trait", "bad"),
    [
        ("contents", [8] * 8),
        ("contents", [9] * 9),
        ("photograph", 0),
        ("question", 7),
        ("question", "w" * 61),
        ("first", 10),
        ("second", -1),
        ("brush", 9),
        ("loaded", 1),
    ],
)
def test_a_bad_value_is_refused(trait, bad):
    with pytest.raises(ValueError, match=trait):
        ImageAsker(**{trait: bad})


def test_the_fallback_has_questions_answers_and_a_forced_look():
    text = ImageAsker().fallback
    assert all(part in text for part in (*QUESTIONS[:4], "trousers</td>", "(forced)"))


def test_python_answers_with_the_weights_that_the_site_writes(tmp_path):
    widget, sent = ImageAsker(), []
    widget.send = lambda content, buffers: sent.append((content, len(buffers[0])))
    widget._answer(widget, {"model": "asker"}, [])
    ((content, size),) = sent
    assert content == {"model": "asker"}
    write_models(tmp_path, MODELS["image-asker"])
    (script,) = tmp_path.iterdir()
    assert script.name == "asker.js"
    assert size * 4 / 3 < script.stat().st_size < 100_000
