"""What a contract forbids is seen from outside the answer's interpreter, whatever it says."""

import pytest

from attention_course.exercises import exercise_named
from course_grader.marking.engine import grade_answer

FOUR = exercise_named("four-steps")
RUNNER = """
import gc, sys
import numpy as np

def runner():
    frame = sys._getframe(1)
    while "_SPECIAL" not in frame.f_globals:
        frame = frame.f_back
    return frame.f_globals

"""
OVERWRITES = FOUR.solution.replace("):\n", "):\n    HIDE()\n    was = q.copy()\n", 1).replace(
    "return", "q *= 0\n    return"
)
SEEDS = FOUR.solution.replace("):\n", "):\n    HIDE()\n    np.random.seed(1)\n", 1)
ALIKE = "lambda *a: True"
HIDES = {
    "a comparison": f"lambda: runner().update(_same={ALIKE}, _copy=lambda x: None)",
    "a mark": "lambda: runner().update(_mark=lambda state: 0)",
    "a session": """lambda: runner().update(
    _session=lambda torch, s=runner()['_session'](None): s)""",
    "a getter": "lambda: runner().update(_GET_STATE=lambda s=np.random.get_state(): s)",
    "an outcome": """lambda: [
    setattr(x, name, type("Deaf", (list,), {"__iadd__": lambda self, more: self})())
    for x in gc.get_objects() if type(x).__name__ == "Outcome"
    for name in ("changed", "state")]""",
}


@pytest.mark.parametrize("hides", HIDES)
@pytest.mark.parametrize("source", [OVERWRITES, SEEDS], ids=["overwrites", "seeds"])
def test_what_the_runner_is_made_to_say_hides_nothing(sandbox, source, hides):
    came = grade_answer(sandbox, FOUR, f"{source}\n{RUNNER}HIDE = {HIDES[hides]}", b"7", "a")
    honest = grade_answer(sandbox, FOUR, f"{source}\nHIDE = lambda: None", b"7", "a")
    assert (came.points, honest.points) == ((0, 0) if source is OVERWRITES else (2, 2))
    said = "overwrote its argument q" if source is OVERWRITES else "changed NumPy's random"
    assert said in " ".join(came.message.split())


def test_a_list_is_missed_by_the_next_call_that_gets_it(sandbox):
    online = exercise_named("online-softmax")
    taken = next(w for w in online.wrong if "caller's own list" in w.name)
    source = online.source_of(taken).replace("):\n", "):\n    HIDE()\n", 1)
    source += f"\n{RUNNER}HIDE = {HIDES['a comparison']}"
    assert grade_answer(sandbox, online, source, b"7", "a").points == 4


@pytest.mark.parametrize(
    "line",
    [
        "q = q.copy()\n    q *= 1",
        "np.random.default_rng(1).random(3)",
        "blocks = [q]; blocks.pop()",
    ],
)
def test_what_an_answer_does_with_its_own_costs_nothing(sandbox, line):
    source = FOUR.solution.replace("):\n", f"):\n    {line}\n", 1)
    assert grade_answer(sandbox, FOUR, source, b"7", "a").points == 5


def test_who_puts_back_what_it_changed_has_changed_nothing(sandbox):
    source = OVERWRITES.replace("    return", "    q[:] = was\n    return", 1)
    assert grade_answer(sandbox, FOUR, source.replace("HIDE()", "pass"), b"7", "a").points == 5
