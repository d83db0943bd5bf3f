"""Unusual ways to hand in a right answer: none of them may cost a point.

Each is a change to the text of any answer, so that every exercise meets every one. What is
odd about a particular exercise (einsum, a loop, another order of sums) is beside it in
the bank.
"""

import re
from collections.abc import Callable

from attention_course.exercises.examine import public_calls
from attention_course.exercises.exercise import Exercise

Change = Callable[[str, Exercise], str]


def _before(text: str) -> Change:
    return lambda source, exercise: text + source


def _after(text: str) -> Change:
    return lambda source, exercise: (
        source.rstrip() + "\n\n" + text.replace("TARGET", exercise.target) + "\n"
    )


def _printing(source: str, exercise: Exercise) -> str:
    """Print something, with an emoji, at the start of the first function."""
    found = re.search(r"^( *)def \w+\(.*?\).*?:\n", source, re.S | re.M)
    assert found is not None  # a solution defines a function
    line = f'{found[1]}    print("shapes fine \N{THUMBS UP SIGN}", __name__)\n'
    body = _after_docstring(source, found.end())
    return source[:body] + line + source[body:]


def _after_docstring(source: str, at: int) -> int:
    found = re.match(r' *"""(?:.*?)"""\n', source[at:], re.S)
    return at + (found.end() if found else 0)


def _without_docstrings(source: str, exercise: Exercise) -> str:
    return re.sub(r'^ +"""(?:.*?)"""\n', "", source, flags=re.S | re.M)


WRAPPED = """\
import functools


def logged(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)

    return inner


TARGET = logged(TARGET)
"""
CALLABLE = """\
class Answer:
    def __init__(self, f):
        self.f = f

    def __call__(self, *args, **kwargs):
        return self.f(*args, **kwargs)


TARGET = Answer(TARGET)
"""
LISTS = """\
_arrays = TARGET


def _listed(x):
    if isinstance(x, (tuple, list)):
        return [_listed(one) for one in x]
    return x.tolist() if hasattr(x, "tolist") else x


def TARGET(*args, **kwargs):
    return _listed(_arrays(*args, **kwargs))
"""
GUARD = """\
if __name__ == "__main__":
    raise RuntimeError("my own tests: TARGET is tried by hand")
"""

# Those marked True wrap the target as a function and do not fit a class.
REWRITES: dict[str, tuple[Change, bool]] = {
    "a byte order mark": (lambda source, exercise: "\ufeff" + source, False),
    "Windows line ends": (lambda source, exercise: source.replace("\n", "\r\n"), False),
    "chatty prints with an emoji": (_printing, False),
    "no docstrings": (_without_docstrings, False),
    "a main guard that raises": (_after(GUARD), False),
    "a warning when it is loaded": (
        _before('import warnings\n\nwarnings.warn("I am old", DeprecationWarning)\n'),
        False,
    ),
    "a global with a Greek name": (_before("α = 1.0\n"), False),
    "the course's own marker twice": (
        lambda source, exercise: f"{exercise.marker}\n{exercise.marker}\n{source}",
        False,
    ),
    "a decorator": (_after(WRAPPED), True),
    "a callable object": (_after(CALLABLE), True),
    "a lambda around it": (
        _after("_inner = TARGET\nTARGET = lambda *a, **k: _inner(*a, **k)"),
        True,
    ),
    "lists of numbers": (_after(LISTS), True),
    "a partial function": (
        _after("import functools\nTARGET = functools.partial(TARGET)"),
        True,
    ),
    "a test of its own below": (_after("assert callable(TARGET)\nprint(TARGET)"), False),
}


# Around a right answer: right for some sizes only, or for the first inputs of a size.
SHORTCUTS = {
    "results are remembered by shape": """\
_base, _known = TARGET, {}


def _shape(x):
    x = list(x.values()) if isinstance(x, dict) else x
    return list(map(_shape, x)) if isinstance(x, (list, tuple)) else getattr(x, "shape", x)


def TARGET(*args, **kwargs):
    key = str(_shape([*args, *kwargs.values()]))
    if key not in _known:
        _known[key] = _base(*args, **kwargs)
    return _known[key]
""",
    "only square tables are read": """\
_base = TARGET


def TARGET(*args, **kwargs):
    n = min(size for x in args for size in getattr(x, "shape", ()))
    cut = (x[(slice(n),) * x.ndim] if hasattr(x, "ndim") else x for x in args)
    return _base(*cut, **kwargs)
""",
}
SEEN = """\
_base = TARGET


def TARGET(*args, **kwargs):
    given = (*args, *kwargs.values())
    if str([getattr(x, "shape", getattr(x, "pairs", x)) for x in given]) not in SHAPES:
        raise ValueError("I know the lengths that I was shown")
    return _base(*args, **kwargs)
"""
TABLE = """\
_base = TARGET


def TARGET(*args, **kwargs):
    given = (*args, *kwargs.values())
    sizes = [n for x in given for n in (getattr(x, "shape", ()) or (x,))]
    if max(n for n in sizes if isinstance(n, int)) > ROWS:
        raise IndexError("the table has ROWS rows")
    return _base(*args, **kwargs)
"""
ONLY_SEEN = "only the lengths of the public inputs"
# Where a table, a mask or a window could be made in advance.
TABLES = (
    *("image-positions", "mask-of-a-batch", "mend-cache", "rotary-positions"),
    *("sinusoidal-positions", "soft-cap", "window-mask"),
)


def shortcuts(exercise: Exercise) -> dict[str, str]:
    """Return answers that take a short cut on the content: each is caught, and costs points."""
    if exercise.uses != "numpy" or f"class {exercise.target}" in exercise.solution:
        return {}
    calls = [call for one in exercise.probes for call in public_calls(exercise, one)]
    given = ((*call.args, *call.kwargs.values()) for call in calls)
    shapes = {str([getattr(x, "shape", getattr(x, "pairs", x)) for x in one]) for one in given}
    around = SHORTCUTS | {ONLY_SEEN: SEEN.replace("SHAPES", repr(sorted(shapes)))}
    if exercise.slug in TABLES:
        rows = (64, 128, 512, 1024, 2048)
        around |= {f"a table of {n} rows": TABLE.replace("ROWS", str(n)) for n in rows}
    return {name: _after(text)(exercise.solution, exercise) for name, text in around.items()}


def rewrites(exercise: Exercise) -> dict[str, str]:
    """Return the exercise's solution, changed in each unusual way that fits it."""
    is_class = re.search(rf"^class {exercise.target}\b", exercise.solution, re.M)
    found = {
        name: change(exercise.solution, exercise)
        for name, (change, wraps) in REWRITES.items()
        if not (wraps and is_class)
    }
    if any(probe.dtype for probe in exercise.probes):  # a list has none
        del found["lists of numbers"]
    return found
