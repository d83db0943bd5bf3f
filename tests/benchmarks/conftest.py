"""What benchmarks measure, made small."""

import pytest

from attention_course import benchmarks


def shrink(size: dict) -> dict:
    """Return a size of the same kind that a CPU has no trouble with; no multiple of a block."""
    least = {"n": max(18, size["n"] // 64), "batch": 1, "pixels": 4}
    if "kv_heads" not in size:
        least["heads"] = 2
    return {k: min(v, least.get(k, v)) for k, v in size.items()}


@pytest.fixture
def small(monkeypatch):
    """Let every question have sizes of the same kind that a CPU has no trouble with."""
    for name in benchmarks.names():
        sizes = benchmarks.question(name).sizes
        for kind in list(sizes):
            less = list({str(x): x for x in map(shrink, sizes[kind])}.values())
            monkeypatch.setitem(sizes, kind, less)
