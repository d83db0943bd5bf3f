"""The records of ``transformer/transformer-block`` come from its scripts."""

import numpy as np
import positions
import pytest
import transformer_translation as script
from records import assert_same_steps, assert_told_apart

from attention_course.claims import always_below
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


def inside_and_beyond(runs, mark):
    by_place = np.array([run["by_place"][mark] for run in runs])
    edge = positions.LENGTH // positions.PLACES
    return by_place[:, :edge].mean(1), by_place[:, edge:].mean(1)


def test_the_record_of_positions_is_complete_and_says_what_the_chapter_says():
    by_kind, about = recorded("positions")
    assert set(by_kind) == set(KINDS)
    assert about["steps"] == [*positions.MARKS]
    settings = (positions.LENGTH, positions.LONG, positions.PLACES, positions.PEAK)
    assert (about["length"], about["tested_on"], about["places"], about["peak"]) == settings
    early, late = (
        {kind: inside_and_beyond(runs, str(mark)) for kind, runs in by_kind.items()}
        for mark in positions.MARKS
    )
    assert abs(early["learned"][0] - early["none"][0]).max() < 0.05
    assert late["none"][0].min() - late["learned"][0].max() > 0.1
    assert late["learned"][1].min() - late["none"][1].max() > 0.3
    assert abs(late["alibi"][1] - late["alibi"][0]).max() < 0.1
    for best, part in (("rotary", 0), ("alibi", 1)):
        assert all(always_below(late[best][part], late[k][part]) for k in KINDS if k != best)


def test_the_script_of_positions_gives_the_recorded_steps_again():
    text, by_kind = character_text(), recorded("positions")[0]
    again = [positions.trained(text, kind, 0, steps=3) for kind in ("learned", "alibi")]
    for kind, run in zip(("learned", "alibi"), again, strict=True):
        assert_same_steps(run["first_losses"], by_kind[kind][0]["first_losses"])
    assert_told_apart([run["first_losses"] for run in again])


def test_the_script_of_positions_looks_at_every_place():
    text = character_text()
    model = LanguageModel(len(text.symbols), np.random.RandomState(0), 8, 2, 8, 1)
    by_place = positions.by_place(model, text)
    assert len(by_place) == positions.LONG // positions.PLACES
    assert np.ptp(by_place) < 0.5  # an untrained model tells no place from another
