"""Every stored hostile answer gets what it deserves, and nobody and nothing else is touched."""

import json
import time
from dataclasses import replace

import pytest
from hidden_numbers import Recorded
from host_watch import Host
from hostile_bank import aimed, hostile_answers, public_reply

from attention_course.exercises import all_exercises
from attention_course.exercises.rewrites import rewrites
from course_grader.marking.engine import grade_answer
from course_grader.safe_text import printable
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import Sandbox

EXERCISES = all_exercises()
BANK = {
    name: hostile for name, hostile in hostile_answers().items() if hostile.slug in EXERCISES
}
SECRET = b"the teacher's secret of this test"
LIMITS = Limits(wall_s=20.0, cpu_s=4, memory_mib=128)
# Nobody needs to wait for what is meant to be stopped by the clock.
SHORT = replace(LIMITS, wall_s=0.4, cpu_s=1)
# A sandbox is two processes: one that watches, and the worker inside.
PROCESSES = 2
# None hangs: starting over after a crash, every probe twice, on a machine ten times too busy.
LONGEST_S = 300.0


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    watched = Host(tmp_path_factory.mktemp("assignment"))
    yield watched
    watched.close()


class Room:
    """A sandbox with the honest grades that were taken before anything hostile came."""

    def __init__(self, uses: str, slug: str, host: Host):
        exercise = EXERCISES[slug]
        self.sandbox, self.host = Sandbox(uses, LIMITS), host
        self.exercise, self.turn = exercise, 0
        wrong, odd = exercise.wrong[4], rewrites(exercise)
        self.honest = {
            "right": exercise.solution,
            "wrong": exercise.source_of(wrong),
            "odd": odd["chatty prints with an emoji"],
            "half": exercise.source_of(exercise.wrong[0]),
        }
        self.sandbox.__enter__()
        self.baseline = {name: self.grade(name) for name in self.honest}
        host.quiet += PROCESSES
        assert len(host.processes(host.quiet)) == host.quiet

    def grade(self, name: str) -> str:
        grade = grade_answer(
            self.sandbox, self.exercise, self.honest[name], SECRET, f"honest {name}"
        )
        return grade.to_json()

    def next_honest(self) -> tuple[str, str]:
        """Grade the next honest answer; return its name and its grade."""
        name = list(self.honest)[self.turn % len(self.honest)]
        self.turn += 1
        return name, self.grade(name)


@pytest.fixture(scope="module")
def rooms(host):
    opened: dict[str, Room] = {}

    def room(slug: str) -> Room:
        uses = EXERCISES[slug].uses
        if uses not in opened:
            opened[uses] = Room(uses, slug, host)
        return opened[uses]

    yield room
    for room_ in opened.values():
        room_.sandbox.close()
    assert host.processes(expected=0) == []
    assert host.complaints() == []


def test_honest_answers_get_what_they_deserve_before(rooms):
    points = [grade_points(rooms("four-steps").baseline[name]) for name in ("right", "odd")]
    assert points == [5, 5]
    assert grade_points(rooms("four-steps").baseline["wrong"]) == 0
    assert grade_points(rooms("four-steps").baseline["half"]) == 3


def grade_points(text: str) -> int:
    return json.loads(text)["points"]


# What needs children, files or a wait, and ends too early where nothing of it is allowed.
LIVELY = [name for name in BANK if name.startswith(("process-", "neighbour-"))]


# Each takes seconds of computing, and others of its kind are looked at every time.
DEAR = {f"slow-{way}" for way in ("counts-its-calls", "idles-first", "in-map-and-reduce")}
DEAR |= {f"torch-{way}" for way in ("attention-by-another-name", "backward-for-ever")}
DEAR |= {f"torch-{way}" for way in ("lying-tensors", "parameters-that-lie")}
DEAR |= {"slow-stops-every-clock", "torch-seeds-in-the-call"}
EACH = [pytest.param(n, marks=pytest.mark.thorough if n in DEAR else ()) for n in BANK]


@pytest.mark.parametrize("name", EACH)
def test_a_hostile_answer_gets_what_it_deserves_and_harms_nobody(rooms, host, name):
    hostile = BANK[name]
    room, recorded = rooms(hostile.slug), Recorded(EXERCISES[hostile.slug])
    places = host.places | {"public_reply": public_reply()}
    source = aimed(hostile.source, places)
    began = time.monotonic()
    room.sandbox.limits = SHORT if hostile.may_be("TIMEOUT") else LIMITS
    grade = grade_answer(room.sandbox, recorded.exercise, source, SECRET, "hostile")
    room.sandbox.limits = LIMITS
    took = time.monotonic() - began
    text = grade.to_json()
    assert grade.points is not None, "the grader itself was broken"
    assert grade.points <= hostile.most, f"undue points for what tries {hostile.tries}"
    assert hostile.allows(grade.verdict, grade.points), (grade.verdict, grade.points, text)
    assert took < LONGEST_S
    assert host.secret not in text
    assert recorded.told(text) == []
    assert printable(grade.message) == grade.message
    assert len(host.processes(host.quiet)) == host.quiet
    assert host.complaints() == []
    honest, now = room.next_honest()
    assert now == room.baseline[honest], f"an honest answer ({honest}) lost by it"


@pytest.mark.thorough
@pytest.mark.parametrize("name", LIVELY)
def test_a_sandbox_that_allows_children_harms_nobody_either(rooms, host, name):
    room = rooms(BANK[name].slug)
    source = aimed(BANK[name].source, host.places | {"public_reply": public_reply()})
    room.sandbox.limits = replace(SHORT, processes=500, file_bytes=2**16, open_files=64)
    grade = grade_answer(room.sandbox, room.exercise, source, SECRET, "hostile")
    room.sandbox.limits = LIMITS
    assert grade.points is not None, "the grader itself was broken"
    assert grade.points <= BANK[name].most
    assert len(host.processes(host.quiet)) == host.quiet
    assert host.complaints() == []
    honest, now = room.next_honest()
    assert now == room.baseline[honest]


def test_the_bank_is_large_and_says_what_each_answer_tries():
    everything = hostile_answers()
    assert len(everything) >= 149
    assert {hostile.slug for hostile in everything.values()} <= EXERCISES.keys()
    assert len({hostile.tries for hostile in everything.values()}) >= 140
    assert set(BANK) >= DEAR
