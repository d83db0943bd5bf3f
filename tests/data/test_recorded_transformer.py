"""The records of ``transformer/transformer-block`` come from its scripts."""

import numpy as np
import positions
from records import assert_same_steps, assert_told_apart

from attention_course.claims import always_below
from attention_course.data.characters import character_text
from attention_course.layers.positions import KINDS
from attention_course.measure import recorded
from attention_course.models.language import LanguageModel


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
