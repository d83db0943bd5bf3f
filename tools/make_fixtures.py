"""Write what JavaScript must reproduce: numbers from ``attention_course.reference``.

    python tools/make_fixtures.py             # all; a last digit may be this machine's
    python tools/make_fixtures.py roofline    # of one widget

Each widget's are in its own folder, ``widgets/x/tests``, beside what makes them; those of the
kit and of the models in ``tests/js/fixtures``. A test makes them again and compares.
"""

import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fixtures import kit, limits, models, world

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT / "tests" / "js" / "fixtures"
WIDGETS = ROOT / "src" / "attention_course" / "widgets"


def made() -> dict[Path, Callable[[], Any]]:
    """Return what makes each file of fixtures."""
    shared = kit.FIXTURES | models.FIXTURES | world.FIXTURES
    found = {SHARED / f"{name}.json": make for name, make in shared.items()}
    for folder, make in limits.by_folder().items():
        found[WIDGETS / folder / "tests" / "limits.json"] = make
    for path in sorted(WIDGETS.glob("*/tests/fixture.py")):
        its = importlib.import_module(
            f"attention_course.widgets.{path.parts[-3]}.tests.fixture"
        )
        for name, make in its.FIXTURES.items():
            found[path.parent / f"{name}.json"] = make
    return found


def main(names: list[str]) -> None:
    """Write the files, of the widgets that are named or of all."""
    for path, make in made().items():
        if names and path.parts[-3] not in names:
            continue
        text = json.dumps(make(), separators=(",", ":"), allow_nan=False)
        # A line for each row, so that a change shows in a diff.
        text = text.replace('},{"', '},\n{"')
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
