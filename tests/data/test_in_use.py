"""Which model uses what: every row has its sources, and is listed when it is a year old."""

import re
from collections import Counter
from datetime import date, timedelta

from attention_course.data.in_use import KINDS, main, models_in_use, older_than_a_year


def test_every_row_says_what_is_done_where_it_was_read_and_when():
    rows = models_in_use()
    assert len(rows) == len({row.model for row in rows}) >= 26
    assert {*KINDS} == {row.kind for row in rows}
    assert [row.published for row in rows] == sorted(row.published for row in rows)
    for row in rows:
        assert re.fullmatch(r"20\d\d-(0[1-9]|1[0-2])", row.published), row
        assert row.layers, row
        assert all(re.fullmatch(r"\d*", n) for n in (row.heads, row.context)), row
        assert row.sources, row
        at = r"(third-party:)?https://[\w./%~-]+"
        assert all(re.fullmatch(at, one) for one in row.sources.split()), row
        assert row.published <= row.looked_up.isoformat()[:7], row
    assert Counter(row.published[:4] for row in rows)["2026"] >= 9


def test_a_row_says_which_of_its_sources_are_neither_the_makers_nor_a_librarys():
    told = {row.model: row.sources.count("third-party:") for row in models_in_use()}
    assert (told["Kimi K3"], told["Qwen3.8 27B"], told["DeepSeek-V3"]) == (2, 1, 0)
    others = ("huggingface/transformers", "google-deepmind/", "deepseek-ai/", "docs.nvidia.com")
    marked = [at for row in models_in_use() for at in row.sources.split() if "party:" in at]
    assert [at for at in marked if any(name in at for name in others)] == []


def test_a_row_is_listed_from_the_day_on_that_it_is_older_than_a_year(capsys):
    rows = models_in_use()
    last = max(row.looked_up for row in rows)
    year = timedelta(days=365)
    assert older_than_a_year(min(row.looked_up for row in rows) + year) == []
    assert older_than_a_year(last + year + timedelta(days=1)) == [*rows]
    main(last)
    assert capsys.readouterr().out.startswith("0 of ")
    main(date(2040, 1, 1))
    told = capsys.readouterr().out
    assert f"{len(rows)} of {len(rows)} rows" in told
    assert all(at in told for row in rows for at in row.sources.split())
