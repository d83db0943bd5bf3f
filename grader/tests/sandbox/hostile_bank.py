"""The stored hostile answers: what each tries, and what it must get.

Each file in ``hostile/`` is the source of one answer. Its first lines say what it tries, for
which exercise (``four-steps`` unless it says so) and what it must get: ``# expect: TIMEOUT 0``,
with several verdicts where the machine decides (``ERROR|DIED 0``), or several pairs.
"""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attention_course.exercises import all_exercises
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


def hostile_answers() -> dict[str, Hostile]:
    """Return every stored answer by name.

    Raises:
        ValueError: if a file does not say what it tries, or what it must get.
    """
    return {path.stem: _read(path) for path in sorted(FOLDER.glob("*.py"))}


def _read(path: Path) -> Hostile:
    source = path.read_text(encoding="utf-8")
    said = dict(re.findall(r"^# (tries|expect|exercise|builds): (.+)$", source, re.M))
    if not {"tries", "expect"} <= said.keys():
        raise ValueError(f"hostile_answers: {path.name} must say what it tries and expects")
    expected = []
    for pair in said["expect"].split(" | "):
        verdicts, points = pair.rsplit(" ", 1)
        expected += [(frozenset(verdicts.split("|")), int(p)) for p in points.split("|")]
    if "builds" in said:
        source = BUILT[said["builds"]](source)
    slug = said.get("exercise", DEFAULT)
    if "@solution@" in source and slug in all_exercises():
        source = source.replace("@solution@", all_exercises()[slug].solution)
    return Hostile(path.stem, source, said["tries"], slug, tuple(expected))


# Sources that are too large, or too strange, to be stored as they are.
BUILT = {
    "brackets": lambda head: f"{head}x = {'(' * 100_000}{')' * 100_000}\n",
    "minus-signs": lambda head: f"{head}x = {'-' * 100_000}1\n",
    "attributes": lambda head: f"{head}x = head{'.a' * 100_000}\n",
    "null": lambda head: f"{head}x = 'a\0b'\n",
    "surrogate": lambda head: f"{head}x = '\ud800'\n",
    "megabyte": lambda head: f"{head}x = [{'[0], ' * 200_000}]\n",
}


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
