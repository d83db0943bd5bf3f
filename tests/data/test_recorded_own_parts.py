"""What each named mistake costs in its slot was measured by the script that says so."""

import own_parts
import pytest

import attention_course as ac
from attention_course.assembled.answers import mistakes_of, part_from
from attention_course.measure import recorded

COSTS, ABOUT = recorded("own_parts")
# Of each slot a mistake that changes a translation and one that is stopped, if there are some.
SOME = [
    (slot, next(name for name, one in costs.items() if one[key]), key)
    for slot, costs in COSTS.items()
    for key in ("other", "error")
    if any(one[key] for one in costs.values())
]


def test_every_named_mistake_of_every_slot_is_recorded_with_the_scripts_settings():
    assert (ABOUT["model"], ABOUT["sentences"]) == (own_parts.MODEL, own_parts.SENTENCES)
    assert {slot: {*costs} for slot, costs in COSTS.items()} == {
        slot: {*mistakes_of(slot)} for slot in own_parts.WITH_EXERCISE
    }
    for costs in COSTS.values():
        assert all(
            bool(one["other"]) <= (one["same"] < ABOUT["sentences"]) for one in costs.values()
        )
    assert len(set(own_parts.sentences(ABOUT["sentences"]))) == ABOUT["sentences"]


@pytest.mark.parametrize(("slot", "name", "key"), SOME)
def test_the_first_other_translation_or_error_comes_again(slot, name, key):
    found = COSTS[slot][name]
    translator = ac.assemble(**{slot: part_from(slot, mistakes_of(slot)[name])})
    if key == "error":
        assert own_parts.cost(slot, name) == found
        return
    sentence, other = found["other"]
    assert translator.translate(sentence) == other != own_parts.right(sentence)


@pytest.mark.slow
@pytest.mark.parametrize("slot", ["positions", "mask"])
def test_the_costs_of_a_slot_come_again(slot):
    assert own_parts.costs(slot, "of", ABOUT["sentences"]) == COSTS[slot]
