"""The stored hostile answers: what each tries, and what it must get.

Each file in ``hostile/`` is a family of rows. The first line of a row has its name, what it
must get and what it tries: ``# %% abort: DIED 0: …``, with several verdicts where the machine
decides (``ERROR|DIED 0``), or several pairs. Another exercise than ``four-steps`` stands behind
the name (``loop of soft-cap``). Then comes code. Where it is indented from the start, or after
two empty lines, it is the body of the answer; ``@solution@`` is the exercise's own. The modules
and the ``helpers.py`` that a row names are put before it; ``@="(" * 99@`` stands for a value.
"""

import base64
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attention_course.exercises import Exercise, all_exercises
from attention_course.exercises.examine import public_calls, right_outcome
from attention_course.exercises.runner import pack_outcome

FOLDER = Path(__file__).parent / "hostile"
DEFAULT = "four-steps"


@dataclass(frozen=True)
class Hostile:
    """One answer, and the pairs of verdicts and points that it may get."""

    name: str
    source: str
    tries: str
    slug: str
    expected: tuple[tuple[frozenset[str], int], ...]

    @property
    def most(self) -> int:
        """The most points that it deserves."""
        return max(points for _, points in self.expected)

    def may_be(self, verdict: str) -> bool:
        """Say whether this verdict is among those that it may get."""
        return any(verdict in verdicts for verdicts, _ in self.expected)

    def allows(self, verdict: str, points: float) -> bool:
        """Say whether this verdict with these points is what it must get."""
        return any(verdict in verdicts and points == p for verdicts, p in self.expected)


def rows(path: Path) -> list[tuple[str, str]]:
    """Return the first line and the code of each row of a file."""
    _, *pieces = re.split("^# %% (.+)\n", path.read_text(encoding="utf-8"), flags=re.M)
    return [(head, code.strip("\n")) for head, code in zip(*[iter(pieces)] * 2, strict=True)]


HELPERS = dict(rows(FOLDER / "helpers.py"))


@cache
def hostile_answers() -> dict[str, Hostile]:
    """Return every stored answer by name."""
    families = [path for path in sorted(FOLDER.glob("*.py")) if path.stem != "helpers"]
    found = [_read(path.stem, *row) for path in families for row in rows(path)]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def _read(family: str, head: str, code: str) -> Hostile:
    name, expect, tries = head.split(": ", 2)
    name, _, slug = name.partition(" of ")
    expected = []
    for pair in expect.split(" | "):
        verdicts, points = pair.rsplit(" ", 1)
        expected += [(frozenset(verdicts.split("|")), int(p)) for p in points.split("|")]
    exercise = all_exercises().get(slug or DEFAULT)
    source = whole(code, exercise) if exercise else code
    return Hostile(f"{family}-{name}", source, tries, slug or DEFAULT, tuple(expected))


def whole(code: str, exercise: Exercise) -> str:
    """Return the code of a row with all that it leaves out."""
    code = re.sub("@=(.+?)@", lambda found: eval(found[1]), code)
    for name, text in reversed(HELPERS.items()):
        code = code.replace(name, text) if name[0] == "@" else code
    begin = re.search(rf"^def {exercise.target}.*\n", exercise.solution, re.M)
    code = re.sub(r"(\A|\n\n\n)(?=    )", rf"\1{begin and begin[0]}", code)
    named = [text for name, text in HELPERS.items() if re.search(rf'(?<![\w."]){name}\b', code)]
    code = "\n\n\n".join([*named, code.replace("@solution@", exercise.solution)])
    modules = {*re.findall(r"""(?<![\w."'/])(\w+)[.]""", code)} & sys.stdlib_module_names
    imports = [f"import {name}\n" for name in sorted(modules)]
    return "".join([*imports, "import numpy as np\n\n\n" * ("np." in code), code, "\n"])


def aimed(source: str, places: Mapping[str, str]) -> str:
    """Return a source with the places of this run: ``@canaries@``, ``@port@`` and the like."""
    for name, place in places.items():
        source = source.replace(f"@{name}@", place)
    return source


def public_reply(slug: str = DEFAULT) -> str:
    """Return, in base64, the reply of a right answer to the first probe's public inputs."""
    exercise = all_exercises()[slug]
    probe = exercise.probes[0]
    right = right_outcome(exercise, probe, public_calls(exercise, probe))
    return base64.b64encode(pack_outcome(right, 2**20)).decode()
