"""What others published: their numbers, their device, the paper and the table."""

import tomllib
from importlib import resources
from typing import Any, NamedTuple


class Published(NamedTuple):
    """A series that others measured and published.

    Attributes:
        variant: what was measured.
        n: sequence lengths.
        values: a number for each, in ``unit``.
        unit: of the values.
        device: on which they measured.
        dtype: in which number format.
        size: what else the row is of, such as ``d`` and ``causal``.
        shape: the setting of the whole table, in words.
        cite: authors and year.
        where: figure or table.
        key: of the entry in the bibliography.
    """

    variant: str
    n: list[int]
    values: list[float]
    unit: str
    device: str
    dtype: str
    size: dict[str, Any]
    shape: str
    cite: str
    where: str
    key: str


def published(name: str, **size: Any) -> list[Published]:
    """Read what others published; none of it was measured for this course.

    Args:
        name: of the table.
        **size: which rows, such as ``d=128, causal=True``.

    Returns:
        The rows.

    Raises:
        ValueError: if there is no such table, or no such row.

    Source:
        Each row names its own.

    >>> fastest = max(published("flash3", d=128, causal=False), key=lambda row: row.values[-1])
    >>> fastest.variant, fastest.values[-1], fastest.unit, fastest.device, fastest.cite
    ('FlashAttention-3', 648, 'TFLOP/s', 'H100 SXM', 'Shah et al., 2024')
    """
    tables = _tables()
    if name not in tables:
        raise ValueError(f"published: expected one of {sorted(tables)}, got {name!r}")
    table = tables[name]
    about = {key: table[key] for key in Published._fields if key in table}
    rows = [
        Published(
            variant=row["variant"],
            n=row["n"],
            values=row["values"],
            size={k: v for k, v in row.items() if k not in ("variant", "n", "values")},
            **about,
        )
        for row in table["rows"]
    ]
    found = [r for r in rows if all(r.size.get(k) == v for k, v in size.items())]
    if not found:
        raise ValueError(f"published: expected rows of {name!r} at {size}, got none")
    return found


def _tables() -> dict[str, Any]:
    file = resources.files("attention_course") / "data" / "published.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
