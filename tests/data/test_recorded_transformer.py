"""The records of ``transformer/transformer-block`` come from its scripts."""

import numpy as np
import positions
import pytest
import torch
import transformer_translation as script
from records import assert_same_steps, assert_told_apart

from attention_course.claims import always_below
from attention_course.claims.transformer_block import holds_up
from attention_course.data.characters import character_text
from attention_course.data.parallel import translation_task
from attention_course.layers.positions import KINDS
from attention_course.measure import recorded
from attention_course.models.language import LanguageModel
from attention_course.models.translators.fixed_vector import translate
from attention_course.models.translators.trained import load_translator, new_translator


@pytest.fixture(scope="module")
def task():
    return translation_task(np.random.RandomState(0))


def test_the_first_steps_of_the_transformer_reproduce():
    result, about = recorded("transformer_translation")
    again = script.first_losses(0, 3)
    assert_same_steps(again, result["runs"][0]["first_losses"][:3])
    assert_told_apart([again, result["runs"][1]["first_losses"][:3]])
    assert (about["peak"], about["rise"]) == (script.PEAK, script.RISE)


def test_the_transformer_has_as_many_weights_and_seeds_as_the_recurrent_models():
    ours, about = recorded("transformer_translation")
    theirs, about_theirs = recorded("translation")
    assert abs(ours["weights"] / theirs["models"]["attention"]["weights"] - 1) < 1e-3
    for key in ("batch", "seeds", "sacrebleu", "interval", "threads"):
        assert about[key] == about_theirs[key]
    assert [run["seed"] for run in ours["runs"]] == about["seeds"]
    for run in ours["runs"]:
        budget = about["cpu_seconds_each"]
        assert budget <= run["cpu_seconds"] < 1.1 * budget


def test_the_shipped_weights_write_what_the_record_says(task):
    model, about = load_translator("transformer", task)
    assert about["seed"] == "0"
    wanted = recorded("transformer_translation")[0]["examples"]
    sources = [task.source(verse) for verse in task.test[: len(wanted)]]
    written = [" ".join(words) for words in translate(model, sources, task.english, 80)]
    # Stored in half precision: now and then a close choice falls differently.
    assert np.mean([a == b for a, b in zip(written, wanted, strict=True)]) >= 0.6
    untrained = new_translator("transformer", task, np.random.RandomState(0))
    other = [" ".join(words) for words in translate(untrained, sources[:2], task.english, 9)]
    assert other != written[:2]


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
