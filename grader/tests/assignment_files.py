"""Writes small assignments for the tests, and reads what comes of them."""

import json
import tomllib
from pathlib import Path

TABLES = tomllib.loads(
    Path(__file__).with_name("tables_of_platforms.toml").read_text(encoding="utf-8")
)
HEAD = 'title = "Two things"\nintroduction = "Read first."\nseed = "autumn"\n'
CODE = '\n[[items]]\nexercise = "four-steps"\n'
WRITTEN = """
[[items]]
written = "why-scale"
title = "Why divide?"
prompt = "Say why scores are divided."
points = 4
minutes = 7
rubric = [["names the variance", 3], ["says what softmax does then", 1]]
model_answer = "Aardvarks multiply: the variance grows with the width."
"""


def write_assignment(home: Path, text: str = HEAD + CODE + WRITTEN, name: str = "two") -> Path:
    """Write an assignment's folder and return it."""
    folder = home / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "assignment.toml").write_text(text, encoding="utf-8")
    return folder


def sources(path: Path) -> list[str]:
    """Return the sources of a notebook's cells."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells]


def fill(path: Path, code: dict[str, str], written: dict[str, str] | None = None) -> str:
    """Return a released notebook's text with answers under the markers of their cells."""
    answers = {f"# EXERCISE {slug}": answer for slug, answer in code.items()}
    answers |= {f"<!-- WRITTEN {name} -->": text for name, text in (written or {}).items()}
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        first = "".join(cell["source"]).split("\n")[0]
        if first in answers:
            cell["source"] = f"{first}\n{answers[first]}".splitlines(keepends=True)
    return json.dumps(notebook)
