"""The image asker: the weights that travel, what Node says of a state, its fallback."""

import numpy as np
import pytest
import torch

from attention_course.data.asked import ANSWERS, ask_pictures, garments
from attention_course.data.packed import pack_asker, unpack_translator
from attention_course.models.experiments.asking import Asker, asked_tensors, load_asker
from attention_course.site.assets import MODELS, write_models
from attention_course.widgets import ImageAsker
from attention_course.widgets.image_asker.widget import QUESTIONS


def readouts(**state):
    widget = ImageAsker(loaded=True, **state)
    return widget.described(widget.stored())["readouts"]


@torch.no_grad()
def test_eight_bits_change_few_answers():
    model = Asker("two looks", np.random.RandomState(0))
    arrays, _ = unpack_translator(pack_asker())
    del arrays["garments"]
    model.load_state_dict({name: torch.from_numpy(x) for name, x in arrays.items()})
    drawn = ask_pictures(np.random.RandomState(0), 300, garments("test"))
    pictures, questions, _ = asked_tensors(drawn)
    whole, eight = (m(pictures, questions).logits.argmax(1) for m in (load_asker()[0], model))
    assert (whole == eight).double().mean() > 0.98
    assert len(pack_asker()) < 100_000


def test_nothing_is_said_before_it_is_asked_for_or_of_what_cannot_be_answered():
    assert ImageAsker.described(ImageAsker().stored())["readouts"] == {}
    assert readouts(contents=[8] * 9) == {}
    assert readouts(question="What is left of the hat?") == {}


def test_a_forced_first_look_is_answered_and_not_what_lies_beside_it():
    """What the page's example shows: the bag's place is asked for, the trousers are said."""
    said = {}
    for first in (0, 6):
        numbers = readouts(first=first)
        chances, *looks = (
            [numbers[f"{name}-{i}"] for i in range(n)]
            for name, n in (("chance", 10), ("look-1", 9), ("look-2", 9))
        )
        said[first] = ANSWERS[np.argmax(chances)], int(np.argmax(looks[1]))
        assert sum(chances) == pytest.approx(1)
    assert said == {0: ("sneaker", 3), 6: ("trousers", 4)}
    assert looks[0] == [0, 0, 0, 0, 0, 1, 0, 0, 0]


def test_the_fallback_has_questions_answers_and_a_forced_look():
    text = ImageAsker.fallback_of(ImageAsker().stored())
    parts = ("The model says sneaker", *QUESTIONS[:4], "trousers</td>", "(forced)")
    assert all(part in text for part in parts)
