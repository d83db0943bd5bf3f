"""What answers do in slots was measured by the script that says so."""

import re

import own_parts
import pytest

import attention_course as ac
from attention_course.assembled import PartError
from attention_course.assembled.answers import mistakes_of, part_from
from attention_course.measure import recorded

COSTS, ABOUT = recorded("own_parts")
RECURRENT, RECURRENT_ABOUT = recorded("own_parts_recurrent")
EACH = {own_parts.MODEL: COSTS} | RECURRENT
# Of each slot a mistake that changes a translation and one that is stopped, if there are some.
SOME = [
    (model, slot, next(name for name, one in costs.items() if one[key]), key)
    for model, slots in EACH.items()
    for slot, costs in slots.items()
    for key in ("other", "error")
    if any(one[key] for one in costs.values())
]


def test_every_named_mistake_of_every_slot_is_recorded_with_the_scripts_settings():
    assert (ABOUT["model"], ABOUT["sentences"]) == (own_parts.MODEL, own_parts.SENTENCES)
    assert (RECURRENT_ABOUT["models"], RECURRENT_ABOUT["sentences"]) == (
        own_parts.RECURRENT,
        own_parts.SENTENCES,
    )
    for models in ([own_parts.MODEL], own_parts.RECURRENT):
        runs = own_parts.runs_of(models, own_parts.SENTENCES)
        assert {(slot, model) for slot, model, _ in runs} == {
            (slot, model) for model in models for slot in EACH[model]
        }
        for slot, model, _ in runs:
            assert {*EACH[model][slot]} == {*own_parts.asked(slot, model)}
    in_all = [
        one for slots in EACH.values() for costs in slots.values() for one in costs.values()
    ]
    assert all(bool(one["other"]) <= (one["same"] < ABOUT["sentences"]) for one in in_all)
    assert len(set(own_parts.sentences(ABOUT["sentences"]))) == ABOUT["sentences"]


@pytest.mark.parametrize(("model", "slot", "name", "key"), SOME)
def test_the_first_other_translation_or_error_comes_again(model, slot, name, key):
    found = EACH[model][slot][name]
    translator = ac.assemble(model=model, **{slot: part_from(slot, mistakes_of(slot)[name])})
    if key == "error":
        with pytest.raises(PartError, match=re.escape(found["error"])):
            [*map(translator.translate, own_parts.sentences(own_parts.SENTENCES))]
        return
    sentence, other = found["other"]
    assert translator.translate(sentence) == other != own_parts.right(sentence, model)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slot", "model"),
    [("positions", own_parts.MODEL), ("mask", own_parts.MODEL), ("luong_scores", "luong-dot")],
)
def test_the_costs_of_a_slot_come_again(slot, model):
    assert own_parts.costs(slot, model, ABOUT["sentences"]) == EACH[model][slot]


def test_every_right_answer_of_every_slot_translates_as_the_course_does():
    result, about = recorded("own_parts_right")
    assert (about["models"], about["sentences"]) == (
        [*own_parts.RECURRENT, own_parts.MODEL],
        own_parts.RIGHT,
    )
    runs = own_parts.runs_of(about["models"], own_parts.RIGHT)
    for model in about["models"]:
        assert {*result[model]} == {slot for slot, where, _ in runs if where == model}
        for slot, counts in result[model].items():
            names = own_parts.right_answers(slot, model)
            assert counts == {x: own_parts.of(x, own_parts.RIGHT, slot) for x in names}
    again = own_parts.kept("softmax", "luong-dot", 3)
    assert set(again.values()) == {3}
