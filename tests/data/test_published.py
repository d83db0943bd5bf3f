"""What others published says whose it is, and is in the bibliography."""

import re

import glossary
import pytest
from pybtex.database import parse_file
from rules.notebooks import ROOT

from attention_course.data.published import _tables, published
from attention_course.site.citations import address

BOOK = ROOT / "book"
BIBLIOGRAPHY = (BOOK / "references.bib").read_text(encoding="utf-8")
NAMES = list(_tables())


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


def uncited(
    pages: list[tuple[str, str]], sources: dict[str, str], names: list[str]
) -> list[str]:
    """What pages, each its source and its prose, show without a citation, and do not cite."""
    tables, wrong, shown = _tables(), [], set()
    for source, prose in pages:
        for begins in re.findall(r'published\(f?\\?"([\w-]+)', source):
            found = [name for name in NAMES if name.startswith(begins)]
            shown.update(found)
            keys = {tables[name]["key"] for name in found}
            wrong += [f"{begins} without {key}" for key in keys if sources[key] not in prose]
    cited = {key for key, where in sources.items() if any(where in p for _, p in pages)}
    wrong += [f"{key} is cited nowhere" for key in sources if key not in cited]
    return wrong + [f"{name} is shown nowhere" for name in names if name not in shown]


def test_what_others_published_is_cited_where_it_is_shown_and_every_source_somewhere():
    entries = parse_file(BOOK / "references.bib").entries
    sources = {key: str(address(entry)) for key, entry in entries.items()}
    pages = [
        (
            path.read_text("utf-8"),
            glossary.markdown(str(path.with_suffix("").relative_to(BOOK))),
        )
        for path in [*BOOK.glob("**/*.ipynb"), *BOOK.glob("**/*.md")]
    ]
    assert not uncited(pages, sources, NAMES)
    assert len(sources) >= 97


@pytest.mark.gate("sources", "a published table without its source, a source that none cites")
def test_a_missing_citation_is_noticed():
    sources = {"shah2024flashattention3": "https://a", "other2020": "https://b"}
    shows, name = 'rows = data.published(\\"flash3\\", d=64)', ["flash3"]
    assert uncited([(shows, "(https://a), (https://b)")], sources, name) == []
    assert uncited([(shows, "(https://b)")], sources, name) == [
        "flash3 without shah2024flashattention3",
        "shah2024flashattention3 is cited nowhere",
    ]
    assert uncited([("", "(https://a)")], sources, []) == ["other2020 is cited nowhere"]
    assert uncited([("", "(https://a), (https://b)")], sources, name) == [
        "flash3 is shown nowhere"
    ]


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
