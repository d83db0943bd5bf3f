"""A store keeps more than marks: an older one is taken over, a copy brings all of it back."""

import os
import sqlite3

from course_grader.marking.store import ITEM, OBJECTION, Store

KEPT = {
    ("ada", "why", "clear"): {"mark": 1.5, "items": {"a": 1.5}},
    (ITEM, "a", "why", "clear"): {"mark": 1.5, "comment": "says why", "by": "Bo"},
    (OBJECTION, "ada", "why", ""): {"mark": 0, "comment": "Why?", "answer": "x"},
}


def filled(folder):
    store = Store(folder)
    with store.changing("Bo", "merge") as kept:
        kept |= KEPT
    return store


def test_a_store_that_is_half_written_stays_beside_and_all_comes_back(tmp_path):
    store = filled(tmp_path)
    os.truncate(store.path, 5000)
    half = tmp_path / "half"
    half.mkdir()
    for path in tmp_path.glob("marks.sqlite*"):
        path.rename(half / path.name)
    (tmp_path / "history" / "marks.json").rename(tmp_path / "marks.json")
    assert store.kept() == KEPT
    assert store.marks().keys() == {"ada"}
    assert (half / "marks.sqlite").stat().st_size == 5000
    assert [one["kind"] for one in store.record()] == ["mark", OBJECTION, ITEM]


def test_a_store_of_the_first_version_is_taken_over(tmp_path):
    store = filled(tmp_path)
    base = sqlite3.connect(store.path)
    base.execute("PRAGMA user_version=1")
    assert store.kept() == KEPT
    assert base.execute("PRAGMA user_version").fetchone() == (2,)
    base.close()
