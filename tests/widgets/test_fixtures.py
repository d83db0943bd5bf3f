"""The fixtures of the JavaScript tests are what the reference says today."""

import json
from pathlib import Path

import make_fixtures
import numpy as np
import pytest

from attention_course.widgets.saturation_lab.tests.fixture import settings


def flat(x, path=""):
    """Yield every leaf with its place."""
    if isinstance(x, dict):
        for key, value in x.items():
            yield from flat(value, f"{path}.{key}")
    elif isinstance(x, list):
        for i, value in enumerate(x):
            yield from flat(value, f"{path}[{i}]")
    else:
        yield path, x


def is_number(x):
    return isinstance(x, (int, float)) or x in ("NaN", "Infinity", "-Infinity")


MADE = make_fixtures.made()


def untested(widgets: Path, tests: Path) -> list[str]:
    """Return the folders of widgets of which no JavaScript test imports a script."""
    text = "".join(path.read_text(encoding="utf-8") for path in tests.glob("*.test.mjs"))
    folders = sorted(path.parent for path in widgets.glob("*/index.js"))
    return [
        folder.name
        for folder in folders
        if f"widgets/{folder.name}/" not in text and not [*folder.glob("tests/*.test.mjs")]
    ]


def test_every_widget_is_compared_by_javascript_tests():
    assert untested(make_fixtures.WIDGETS, make_fixtures.SHARED.parent) == []


@pytest.mark.gate("every widget is tested in JavaScript", "a widget that no test imports")
def test_a_widget_without_javascript_tests_is_noticed(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "index.js").touch()
    assert untested(tmp_path, make_fixtures.SHARED.parent) == ["new"]


@pytest.mark.parametrize("path", MADE, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_made_again_the_fixtures_are_the_same(path):
    stored = list(flat(json.loads(path.read_text(encoding="utf-8"))))
    made = list(flat(json.loads(json.dumps(MADE[path]()))))

    assert [place for place, _ in stored] == [place for place, _ in made]
    words = [(s, m) for (_, s), (_, m) in zip(stored, made, strict=True) if not is_number(s)]
    assert all(s == m for s, m in words)
    pairs = [(s, m) for (_, s), (_, m) in zip(stored, made, strict=True) if is_number(s)]
    old, new = np.array(pairs, dtype=object).astype(float).T
    # Another BLAS may sum in another order.
    np.testing.assert_allclose(new, old, rtol=1e-6, atol=1e-12)


def test_the_lab_is_compared_at_no_fewer_than_200_settings():
    assert len(list(settings())) >= 200


def test_the_fixtures_are_small():
    total = sum(path.stat().st_size for path in MADE)

    assert total < 2_450_000  # two models' files have 330,000, the small world 281,000
