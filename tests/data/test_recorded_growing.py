"""The growing model and the cuts of the finished one were measured by their scripts."""

import cut_words
import numpy as np
import pytest

from attention_course.data.tensors import load_checkpoint
from attention_course.data.words import word_text
from attention_course.measure import recorded
from attention_course.models import load_word_model
from attention_course.models.cuts import part_names


@pytest.fixture(scope="module")
def model():
    return load_word_model(word_text().symbols)[0]


def test_the_cuts_are_those_of_the_script_and_every_one_is_recorded(model):
    result, about = recorded("cut_words")
    parts = part_names(model)
    assert {*result["cuts"]} == {*parts, "attention-all", *cut_words.CHANGES}
    for part in (*parts, "attention-all"):
        for blade in ("mean", "other"):
            found = result["cuts"][part][blade]
            assert found["low"] < found["cost"] < found["high"]
    assert about["sentences"] == cut_words.SENTENCES
    assert about["order"] == cut_words.ORDER.tolist()
    for cut in result["cuts"].values():
        assert cut["low"] < cut["cost"] < cut["high"]


@pytest.mark.slow
def test_the_loss_and_some_costs_come_again(model):
    result, _ = recorded("cut_words")
    rows = cut_words.sentences(cut_words.SENTENCES)
    guessed = sum(len(row) - 1 for row in rows)
    before = cut_words.losses(model, rows)
    assert guessed == result["words"]
    assert before.sum() / guessed == pytest.approx(result["loss"], abs=1e-3)
    for name in ("head-1-3", "mask"):
        more = cut_words.losses(model, rows, name) - before
        assert more.sum() / guessed == pytest.approx(result["cuts"][name]["cost"], abs=1e-3)


def test_sentences_are_whole_verses_of_the_part_put_aside():
    rows = cut_words.sentences(30)
    text = word_text()
    assert all(2 <= len(row) <= cut_words.LONGEST for row in rows)
    joined = " ".join(text.symbols.decode(text.test[:3000].tolist()))
    assert all(" ".join(text.symbols.decode(row.tolist())) in joined for row in rows)


def test_no_two_cuts_are_alike(model):
    rows = cut_words.sentences(3)
    lost = {
        name: cut_words.losses(model, rows, name).round(4)
        for name in ("", *part_names(model), "attention-all", *cut_words.CHANGES)
    }
    assert len({tuple(row) for row in lost.values()}) == len(lost) == 44


def test_by_another_sentence_a_cut_costs_nothing_where_it_is_the_same(model):
    rows, others = cut_words.sentences(3), cut_words.sentences(9)[3:]
    before = cut_words.losses(model, rows)
    same = cut_words.losses(model, rows, "attention-all", rows)
    assert same == pytest.approx(before, rel=1e-5)
    partners = cut_words.partners(rows, others)
    assert [len(row) for row in partners] == [len(row) for row in rows]
    other = cut_words.losses(model, rows, "attention-all", partners)
    assert (abs(other - before) > 1e-2).all()


def test_the_stored_means_are_those_of_a_sample_of_the_sentences(model):
    stored, about = load_checkpoint("words_means")
    found = cut_words.means_of(model, cut_words.sentences(cut_words.SENTENCES)[::10])
    assert about["script"] == "benchmarks/cut_words.py"
    for i in range(4):
        heads = [found[f"head-{i + 1}-{head + 1}"].numpy() for head in range(4)]
        pairs = (
            (np.concatenate(heads), "context"),
            (found[f"feed-forward-{i + 1}"].numpy(), "feed_forward"),
        )
        for mine, name in pairs:
            theirs = stored[f"means.{name}"][i].astype(float)
            others = stored[f"means.{name}"][i - 1].astype(float)
            off = np.linalg.norm(mine - theirs)
            assert off < 0.25 * np.linalg.norm(theirs)
            assert off < 0.5 * np.linalg.norm(mine - others)


def test_a_head_is_said_to_look_where_it_looks(model):
    """Equal weights give each look its share by counting; shuffled words keep no order."""
    rows = [np.array([5, 6, 7, 5, 9, 5])]
    found = cut_words.looks(model, rows)
    equal = {look: table[-1, 0] for look, table in found.items()}
    from_third = [1 / 3, 1 / 4, 1 / 5, 1 / 6]
    assert equal["previous"] == pytest.approx(np.mean(from_third))
    assert equal["same"] == pytest.approx((1 / 4 + 2 / 6) / 2)
    assert equal["behind same"] == pytest.approx((1 / 4 + 2 / 6) / 2)
