"""The records of ``transformer/transformer-block`` come from its scripts."""

import numpy as np
import positions
import pytest
import torch

from attention_course.claims import always_below
from attention_course.claims.transformer_block import holds_up
from attention_course.data.characters import character_text
from attention_course.data.parallel import translation_task
from attention_course.layers.positions import KINDS
from attention_course.measure import recorded
from attention_course.models.language import LanguageModel
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.trained import load_translator, new_translator


def test_the_record_of_positions_is_complete_and_says_what_the_chapter_says():
    by_kind, about = recorded("positions")
    assert set(by_kind) == set(KINDS)
    assert all(np.shape(runs) == (len(about["seeds"]), 2) for runs in by_kind.values())
    short, long = ({k: np.array(r)[:, i] for k, r in by_kind.items()} for i in (0, 1))
    for best, losses in (("rotary", short), ("alibi", long)):
        assert all(always_below(losses[best], losses[k]) for k in KINDS if k != best)
    assert holds_up(by_kind["alibi"])
    assert not holds_up(by_kind["rotary"])


def test_the_script_of_positions_tests_on_one_text_at_two_lengths():
    text, lengths = character_text(), []
    model = LanguageModel(len(text.symbols), np.random.RandomState(0), 8, 2, 8, 1)
    model.register_forward_hook(lambda m, given, out: lengths.append(given[0].shape))
    short, long = positions.losses(model, text)
    assert lengths == [torch.Size([480, 31]), torch.Size([120, 127])]
    assert short == pytest.approx(long, abs=0.3)  # an untrained model tells nothing apart
    before = positions.trained(text, "alibi", 0, steps=1)
    after = positions.trained(text, "alibi", 0, steps=12)
    assert positions.losses(after, text)[0] < positions.losses(before, text)[0] - 0.3
