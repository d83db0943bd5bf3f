"""The script cuts what the player cuts, and the recorded costs come again."""

from functools import cache

import cut_translators as script
import numpy as np
import pytest
import torch

from attention_course.data.packed import pack_translator, unpack_translator
from attention_course.data.parallel import translation_task
from attention_course.data.tensors import load_checkpoint
from attention_course.measure import recorded
from attention_course.models.cuts import BLADES
from attention_course.widgets import SentencePlayer
from attention_course.widgets.sentence_player.translate import (
    HEADS,
    LAYERS,
    LONGEST,
    OTHER,
    UNCUT,
    translate,
)
from attention_course.widgets.sentence_player.widget import words_of

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
    return translate(name, [*verse.french], LONGEST, UNCUT | cuts)[0]


@cache
def in_place(name, silent, blade):
    """Return what the player puts in place of a part."""
    if blade == "mean":
        means = unpack_translator(pack_translator(name))[0]
        if name == "attention":
            return torch.from_numpy(means["means.backward"])
        layer, head = divmod(int(silent.split()[1]), HEADS)
        return torch.from_numpy(means["means.context"][layer]).chunk(HEADS)[head][None]
    model = in_the_page(name)
    source = english().french.encode(words_of(OTHER))
    ((_, written, _),) = script.write(model, [source])
    rows = script.given_by(model, [source], [written])[silent][0]
    return rows if blade == "other" else torch.zeros_like(rows)


@pytest.mark.parametrize(("name", "cut"), CUTS)
def test_the_script_cuts_what_the_player_cuts(name, cut, task):
    verses = task.test[300::600]
    asked = {"uniform": {"uniform": True}, "forbidden": {"forbidden": [2]}}
    asked |= {"positions": {"positions": False}}
    asked |= {"moves": {"moves": [[1, 3]]}}
    silent = next((one for one in script.silenced(name) if cut.startswith(one)), "")
    blade = cut.removeprefix(silent).strip() or "zero"
    cuts, put = asked.get(cut), None
    if silent:
        number = [] if name == "attention" else [int(silent.split()[1])]
        cuts = {"backward": name != "attention", "silent": number, "blade": blade}
        put = [in_place(name, silent, blade)] * len(verses)
    forbidden = [(0, 2)] * len(verses) if cut == "forbidden" else None
    moved = [(1, 3)] * len(verses) if cut == "moves" else None
    model = script.with_cut(in_the_page(name), cut)
    sources = [task.source(verse) for verse in verses]
    for i, symbols, _ in script.write(model, sources, forbidden, moved, silent, put):
        assert symbols == by_player(name, verses[i], **cuts)


def test_every_cut_of_the_player_is_on_record():
    result, about = recorded("cut_translators")
    assert about["script"] == "benchmarks/cut_translators.py"
    assert about["longest"] == LONGEST == script.LONGEST
    assert (HEADS, LAYERS) == (script.HEADS, script.LAYERS)
    for name, rows in result.items():
        assert set(rows) == {"none", *script.cuts_of(name)}
    everything = {"uniform": True, "positions": False, "backward": False}
    everything |= {"silent": [*range(HEADS * LAYERS)], "forbidden": [0], "moves": [[0, 0]]}
    for name in ("attention", "transformer"):
        made = [SentencePlayer(model=name, blade=b, **everything).cuts_made() for b in BLADES]
        assert {cut for cuts in made for cut in cuts} == set(script.cuts_of(name))


def test_a_mean_is_of_the_other_half_and_another_verse_lies_there(task):
    rows = [torch.full((i + 1, 2), float(i)) for i in range(6)]
    mean, other = script.instead(rows, "mean"), script.instead(rows, "other")
    assert [float(x[0, 0]) for x in mean] == pytest.approx([62 / 15] * 3 + [8 / 6] * 3)
    assert all(float(x[0, 0]) >= 3 for x in other[:3])
    assert all(float(x[0, 0]) < 3 for x in other[3:])
    assert not script.instead(rows, "")[0].any()


@pytest.mark.parametrize("name", ["attention", "transformer"])
def test_the_stored_means_are_near_those_of_a_sample(name, task):
    """A fortieth of the verses: their mean lies closer to the stored one than to zero."""
    stored, about = load_checkpoint(f"translation_{name}_means")
    assert about["script"] == "benchmarks/cut_translators.py"
    model, sources = in_the_page(name), [task.source(verse) for verse in task.test[::40]]
    written = {i: symbols for i, symbols, _ in script.write(model, sources)}
    given = script.given_by(model, sources, [written[i] for i in range(len(sources))])
    (array,) = stored.values()
    found = torch.cat([torch.cat(rows).mean(0) for rows in given.values()]).numpy()
    off = np.linalg.norm(found - array.ravel()) / np.linalg.norm(array)
    other = np.linalg.norm(found[::-1] - array.ravel()) / np.linalg.norm(array)
    assert off < 0.9 < other


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
