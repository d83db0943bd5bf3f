"""Dates: read back by another route, aligned, held out."""

import datetime

import numpy as np
import pytest

from attention_course.data.dates import (
    date_formats,
    date_vocabularies,
    random_dates,
    write_date,
)

ALL = [
    (language, pattern)
    for language, entry in date_formats().items()
    for pattern in entry["patterns"]
]


def drawn(count=300, seed=0, **options):
    return random_dates(count, np.random.RandomState(seed), **options)


@pytest.mark.parametrize(("language", "pattern"), ALL)
def test_babel_writes_the_same(language, pattern):
    dates = pytest.importorskip("babel.dates")
    for month in range(1, 13):
        day = datetime.date(1999 + month, month, 2 * month + 3)
        wanted = dates.format_date(day, pattern, locale=language).lower()
        assert write_date(day, language, pattern).source == wanted


def test_a_sure_link_joins_two_equal_digits_and_covers_year_and_day():
    for pair in drawn():
        assert all(pair.target[t] == pair.source[s] for t, s in pair.sure)
        day = pair.target[8:].lstrip("0")
        assert {t for t, _ in pair.sure} == {0, 1, 2, 3, *range(10 - len(day), 10)}


def test_the_other_possible_links_are_letters_of_one_month():
    names = {
        name.lower()
        for entry in date_formats().values()
        for group in entry["months"].values()
        for name in group
    }
    for pair in drawn():
        letters = sorted({s for t, s in pair.possible if t in (5, 6)})
        assert "".join(pair.source[s] for s in letters) in names
        assert pair.sure <= pair.possible


def test_no_day_is_both_learned_and_tested():
    learned = {pair.target for pair in drawn(2000)}
    tested = {pair.target for pair in drawn(2000, held_out=True)}
    assert not learned & tested
    assert len(tested) > 1000


def test_every_language_and_every_character_is_in_the_vocabulary():
    source, target = date_vocabularies()
    for pair in drawn(500):
        assert set(pair.source) <= set(source.symbols)
        assert set(pair.target) <= set(target.symbols)
    assert set(source.symbols[3:]) == {c for p in drawn(5000) for c in p.source} | {"&"}


def test_one_language_alone_can_be_drawn():
    assert all(" de " not in pair.source for pair in drawn(200, languages=("en",)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: random_dates(1, np.random.RandomState(0), languages=("xx",)),
            "languages must",
        ),
        (lambda: write_date(datetime.date(2000, 1, 1), "en", "y"), "write_date: pattern must"),
    ],
)
def test_what_is_not_there_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
