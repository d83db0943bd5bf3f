"""Which attention large models use, each row with its sources and the day it was looked up.

python -m attention_course.data.in_use   # lists the rows that are older than a year
"""

import csv
from datetime import date, timedelta
from importlib import resources
from typing import NamedTuple

KINDS = ("groups", "windows", "latents", "sparse", "recurrences")


class InUse(NamedTuple):
    """What a large model does in its attention; empty where no source says it.

    Attributes:
        model: its name.
        published: year and month, such as "2025-08".
        kind: of ``KINDS``: what is done to most layers.
        layers: how layers are mixed.
        heads: query heads of a softmax layer.
        kept: what such a layer keeps of each token.
        positions: how they are told.
        context: tokens.
        sources: addresses, separated by spaces; ``third-party:`` stands before one that is
            neither the maker's nor a library's that runs the model.
        looked_up: when they were read.
    """

    model: str
    published: str
    kind: str
    layers: str
    heads: str
    kept: str
    positions: str
    context: str
    sources: str
    looked_up: date


def models_in_use() -> tuple[InUse, ...]:
    """Return the models, the oldest first.

    Returns:
        One row a model.

    Source:
        Each row names its own; see ``corpora/in_use/PROVENANCE.md``.

    >>> row = models_in_use()[0]
    >>> row.model, row.published, row.layers
    ('Mistral 7B', '2023-10', 'every layer, 4,096')
    """
    place = resources.files("attention_course.data") / "corpora/in_use/models.csv"
    rows = csv.reader(place.read_text(encoding="utf-8").splitlines()[1:])
    return tuple(InUse._make([*row[:-1], date.fromisoformat(row[-1])]) for row in rows)


def older_than_a_year(today: date) -> list[InUse]:
    """Return the rows that were looked up more than a year before a day.

    Args:
        today: the day.

    Returns:
        The rows to look up again.

    Source:
        The file's last column.

    >>> older_than_a_year(date(2026, 12, 31))
    []
    """
    return [row for row in models_in_use() if today - row.looked_up > timedelta(days=365)]


def main(today: date | None = None) -> None:
    """List the rows that should be looked up again. It lists them, and judges nothing."""
    old = older_than_a_year(today or date.today())
    for row in old:
        print(row.looked_up, row.model, *row.sources.split(), sep="\n  ")
    print(f"{len(old)} of {len(models_in_use())} rows were looked up more than a year ago")


if __name__ == "__main__":
    main()
