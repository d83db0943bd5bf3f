"""Grades a whole, whose answer calls the answers of exercises above it.

It runs with the student's parts first. Each of their results is compared with what the course's
part makes of the same arguments, so the first part that departs is named: which one, in which
block of the parameters, at which of its calls there. Where that fails and a part has lost
points, the whole is graded with the course's part in its place. Then the course's solutions of
the parts are in the sandbox; the parts themselves have been graded by then.
"""

from collections.abc import Callable, Collection, Mapping
from textwrap import indent

from attention_course.exercises.protocol import HELPER_CELLS_MARKER, Exercise
from course_grader.marking.engine import AnswerGrade
from course_grader.verdicts import Verdict

# So many steps of Python's machine a part may take in one call before it counts as endless.
MOST_STEPS = 1_000_000
_GUARD = f'''
def _part_of_a_whole(name, mine, course, whole, rtol):
    import sys
    import numpy as np

    class WrongReturnError(Exception):
        pass

    seen = {{}}

    def steps(frame, event, arg):
        frame.f_trace_opcodes = True  # a loop in one line has no event of its own
        seen["steps"] += 1
        if seen["steps"] > {MOST_STEPS}:
            raise TimeoutError("it still ran after {MOST_STEPS:,} steps")
        return steps

    def copied(x):
        return x.copy() if isinstance(x, np.ndarray) else x

    def block_of(args):
        """Return the block that has one of the arguments, and its call there."""
        frame = sys._getframe(2)
        while frame and frame.f_code.co_name != whole:
            frame = frame.f_back
        if not frame:
            return "", 0
        if seen.get("run") is not frame:
            seen.update(run=frame, calls={{}})
        place = ""
        for p in [v for v in frame.f_locals.values() if isinstance(v, dict)]:
            for stack in [k for k, v in p.items() if isinstance(v, list)]:
                for i, block in enumerate(p[stack], 1):
                    inner = [v for v in block.values() if isinstance(v, dict)]
                    values = [v for one in (block, *inner) for v in one.values()]
                    if any(x is v for x in args if isinstance(x, np.ndarray) for v in values):
                        place = f" in {{stack}} block {{i}}"
        seen["calls"][place] = seen["calls"].get(place, 0) + 1
        return place, seen["calls"][place]

    def called(*args, **more):
        place, number = block_of([*args, *more.values()])
        at = f"{{name}}{{place}}, call {{number}} there: "
        right = course(*map(copied, args), **{{k: copied(v) for k, v in more.items()}})
        given = [copied(x) for x in (*args, *more.values())]
        seen["steps"], before = 0, sys.gettrace()
        sys.settrace(steps)
        try:
            came = mine(*args, **more)
        except Exception as error:
            kind = type(error).__name__
            raise WrongReturnError(f"{{at}}raised {{kind}}: {{error}}") from None
        finally:
            sys.settrace(before)
        for i, (x, y) in enumerate(zip((*args, *more.values()), given), 1):
            if isinstance(x, np.ndarray) and not np.array_equal(x, y, equal_nan=True):
                raise WrongReturnError(f"{{at}}the call overwrote its argument {{i}}")
        rights, cames = ([*x] if isinstance(x, (tuple, list)) else [x] for x in (right, came))
        if len(rights) != len(cames):
            raise WrongReturnError(f"{{at}}expected {{len(rights)}} arrays, got {{len(cames)}}")
        for x, y in zip(rights, map(np.asarray, cames)):
            if x.shape != y.shape:
                raise WrongReturnError(f"{{at}}expected shape {{x.shape}}, got {{y.shape}}")
            if not np.allclose(x, y, rtol=0, atol=rtol * np.abs(x).max() + 1e-8):
                raise WrongReturnError(f"{{at}}it departs from the course's part")
        return came

    return called
'''


def with_parts(
    source: str,
    whole: Exercise,
    parts: Mapping[str, Exercise],
    wrong: Collection[str] = (),
) -> str:
    """Return the source of a whole with the course's part for each wrong one, others watched.

    Args:
        source: the answer, completed with what it uses of other cells.
        whole: what is asked.
        parts: the exercises whose answers it calls, by slug.
        wrong: those of them whose answers are wrong or missing.
    """
    own, marker, others = source.partition(HELPER_CELLS_MARKER)
    pieces = [own.rstrip(), _GUARD]
    for number, (slug, part) in enumerate(parts.items()):
        made = f"_course_{number}"
        pieces.append(
            f"def {made}():\n{indent(part.solution.strip(), '    ')}\n"
            f"    return {part.target}\n\n\n{made} = {made}()"
        )
        watched = (
            f"_part_of_a_whole({slug!r}, globals().get({part.target!r}, {made}), {made}, "
            f"{whole.target!r}, {max(part.rtol, whole.rtol)})"
        )
        pieces.append(f"{part.target} = {made if slug in wrong else watched}")
    return "\n\n\n".join(pieces) + "\n\n\n" + marker + others


def grade_whole(
    grade: Callable[[str], AnswerGrade],
    source: str,
    whole: Exercise,
    parts: Mapping[str, Exercise],
    wrong: Mapping[str, str],
) -> tuple[AnswerGrade, str]:
    """Return the grade of a whole, and what is said of its parts.

    Args:
        grade: grades a source.
        source: the answer, completed with what it uses of other cells.
        whole: what is asked.
        parts: the exercises whose answers it calls, by slug.
        wrong: those of them that lost points, each with its verdict.
    """
    missing = [slug for slug, verdict in wrong.items() if verdict == Verdict.MISSING]
    own, replaced, why = grade(with_parts(source, whole, parts, missing)), missing, ""
    if own.verdict not in (Verdict.OK, Verdict.GRADER_ERROR) and len(wrong) > len(missing):
        first = next((f["complaint"] for f in own.findings if f["complaint"]), "")
        why, replaced = f" With yours: {first.rstrip('.')}." if first else "", [*wrong]
        own = grade(with_parts(source, whole, parts, replaced))
    if not replaced:
        return own, ""
    return own, f"{whole.slug}: graded with the course's {', '.join(replaced)}.{why}"
