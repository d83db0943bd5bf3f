"""The records of ``transformer/transformer-block`` come from its scripts."""

import longer_positions
import numpy as np
import positions
from records import assert_same_steps, assert_told_apart

from attention_course.data.characters import character_text
from attention_course.layers.positions import KINDS
from attention_course.measure import recorded
from attention_course.models.experiments.longer_positions import WAYS
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
        assert all(late[best][part].max() < late[k][part].min() for k in KINDS if k != best)


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


def test_the_record_of_slowed_clocks_is_complete_and_says_what_the_chapter_says():
    runs, about = recorded("longer_positions")
    assert [run["seed"] for run in runs] == about["seeds"] == [*positions.SEEDS]
    assert (about["more"], about["rate"]) == (longer_positions.MORE, longer_positions.RATE)
    before, after = (
        {way: np.array([run["ways"][way][when] for run in runs]) for way in WAYS}
        for when in ("before", "after")
    )
    # The models are those of the record of positions: the same first steps, the same losses.
    for run, known in zip(runs, recorded("positions")[0]["rotary"], strict=True):
        assert_same_steps(run["trained"]["first_losses"], known["first_losses"])
    beyond = {way: losses[:, 4:].mean(1) for way, losses in before.items()}
    assert all(beyond["YaRN"].max() < beyond[way].min() for way in WAYS if way != "YaRN")
    twice = {way: losses[:, 4:8].mean(1) for way, losses in before.items()}
    assert abs(twice["larger base"] - before["plain"][:, :4].mean(1)).max() < 0.1
    assert before["interpolation"][:, :4].mean(1).min() > 2.5
    later = {way: losses[:, 4:].mean(1) for way, losses in after.items()}
    for way in WAYS:
        assert way == "YaRN" or (later["YaRN"] < later[way]).all()
        assert way == "interpolation" or abs(later[way] - later["plain"]).max() < 0.1


def test_the_script_of_slowed_clocks_gives_the_recorded_steps_again():
    _, took = longer_positions.trained(character_text(), 0, steps=3)
    assert_same_steps(
        took["first_losses"], recorded("longer_positions")[0][0]["trained"]["first_losses"]
    )
