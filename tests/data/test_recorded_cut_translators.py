"""The script cuts what the player cuts, and the recorded costs come again."""

from functools import cache

import cut_translators as script
import numpy as np
import pytest

from attention_course.data.parallel import translation_task
from attention_course.measure import recorded
from attention_course.widgets import SentencePlayer
from attention_course.widgets.sentence_player.translate import HEADS, LAYERS, LONGEST, translate

CUTS = [(name, cut) for name in ("attention", "transformer") for cut in script.cuts_of(name)]


@cache
def english():
    return translation_task(np.random.RandomState(0))


@pytest.fixture
def task():
    return english()


@cache
def in_the_page(name):
    return script.as_in_the_page(name, english())


def by_player(name, verse, **cuts):
    """Return what the player writes, in NumPy."""
    player = SentencePlayer()
    uncut = {cut: getattr(player, cut) for cut in player._state[-6:]}
    return translate(name, [*verse.french], LONGEST, uncut | cuts)[0]


@pytest.mark.parametrize(("name", "cut"), CUTS)
def test_the_script_cuts_what_the_player_cuts(name, cut, task):
    verses = task.test[300::600]
    asked = {"uniform": {"uniform": True}, "forbidden": {"forbidden": [2]}}
    asked |= {"backward": {"backward": False}, "positions": {"positions": False}}
    asked |= {"moves": {"moves": [[1, 3]]}}
    cuts = asked.get(cut) or {"silent": [int(cut.split()[1])]}
    forbidden = [(0, 2)] * len(verses) if cut == "forbidden" else None
    moved = [(1, 3)] * len(verses) if cut == "moves" else None
    model = script.with_cut(in_the_page(name), cut)
    sources = [task.source(verse) for verse in verses]
    for i, symbols, _ in script.write(model, sources, forbidden, moved):
        assert symbols == by_player(name, verses[i], **cuts)


def test_every_cut_of_the_player_is_on_record():
    result, about = recorded("cut_translators")
    assert about["script"] == "benchmarks/cut_translators.py"
    assert about["longest"] == LONGEST == script.LONGEST
    assert (HEADS, LAYERS) == (script.HEADS, script.LAYERS)
    for name, rows in result.items():
        assert set(rows) == {"none", *script.cuts_of(name)}
    made = SentencePlayer(
        model="transformer",
        uniform=True,
        positions=False,
        silent=[*range(HEADS * LAYERS)],
        forbidden=[0],
        moves=[[0, 0]],
    )
    assert set(made.cuts_made()) == set(script.cuts_of("transformer"))
    made = SentencePlayer(uniform=True, backward=False, forbidden=[0], moves=[[0, 0]])
    assert set(made.cuts_made()) == set(script.cuts_of("attention"))


def test_the_verses_are_all_that_were_held_out_and_uncut_is_what_was_scored(task):
    result, about = recorded("cut_translators")
    assert about["verses"] == len(task.test)
    for name, entry in recorded("translation")[0]["models"].items():
        assert result[name]["none"]["changed"] == 0
        whole = entry["half_precision_bleu"][0]
        assert abs(result[name]["none"]["bleu"] - whole) <= 0.5  # in sixteen bits, to 80 words


@pytest.mark.thorough
def test_the_recorded_costs_come_again(task):
    again = script.measure("attention", task, task.test)
    for cut, row in recorded("cut_translators")[0]["attention"].items():
        # another processor adds in another order, and a close choice may fall differently
        assert abs(again[cut]["bleu"] - row["bleu"]) <= 0.2, cut
        assert abs(again[cut]["changed"] - row["changed"]) <= 0.02, cut
    assert abs(again["none"]["bleu"] - again["moves"]["bleu"]) > 0.5
