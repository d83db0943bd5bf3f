"""What others published says whose it is, and is in the bibliography."""

import re

import pytest
from rules.notebooks import ROOT

from attention_course.data.published import _tables, published, published_names

BIBLIOGRAPHY = (ROOT / "book/references.bib").read_text(encoding="utf-8")
NAMES = published_names()


def entry(key):
    found = re.search(rf"@\w+\{{{key},\n(.*?)\n\}}", BIBLIOGRAPHY, re.DOTALL)
    assert found, f"{key} is not in the bibliography"
    return found[1]


@pytest.mark.parametrize("name", NAMES)
def test_a_table_says_who_where_on_what_and_by_which_right(name):
    table = _tables()[name]
    for key in ("cite", "where", "device", "dtype", "unit", "shape", "licence"):
        assert len(table[key]) > 1, key
    about = entry(table["key"])
    year = re.search(r"year = \{(\d+)\}", about)[1]
    first = re.search(r"author = \{+([^,}]+)", about)[1]
    assert table["cite"].startswith(first)
    assert table["cite"].endswith(year)


@pytest.mark.parametrize("name", NAMES)
def test_every_row_has_as_many_numbers_as_lengths(name):
    for row in published(name):
        assert len(row.n) == len(row.values) > 0
        assert row.n == sorted(set(row.n))
        assert min(row.values) > 0


def test_rows_are_chosen_by_their_size():
    rows = published("flash3", d=64, causal=True)
    assert [row.variant for row in rows][:2] == ["eager", "FlashAttention-2"]
    assert {(row.size["d"], row.size["causal"]) for row in rows} == {(64, True)}
    assert rows[0].n[-1] == 8192  # at 16,384 eager did not fit


def test_no_rate_is_above_the_ceiling_of_its_device():
    peak = {"H100 SXM": 989, "H200": 989, "A100 SXM": 312}
    for name in NAMES:
        for row in published(name):
            if row.unit == "TFLOP/s":
                assert max(row.values) < peak[row.device]


def test_unknown_names_are_refused():
    with pytest.raises(ValueError, match=r"published: expected one of .*'flash3'.* got 'none'"):
        published("none")
    with pytest.raises(ValueError, match=r"expected rows of .flash3. at .*, got none"):
        published("flash3", d=3)
