"""The table of bad calls: every argument of every public function, spoiled, and what is said.

    python tests/reference/bad_calls.py --write     # after a change that was meant
    python tests/reference/bad_calls.py --untyped   # print it as it is without jaxtyping

The arguments are those of a function's own example. A call that is right all the same, such as
one with a shorter sentence, has no row; nor has one that Python or NumPy refuses.
"""

import copy
import math
import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__" and "--untyped" in sys.argv:
    sys.modules["jaxtyping"] = None  # as on Colab: its import fails

import numpy as np
from reference_examples import FUNCTIONS, last_call

TABLE = Path(__file__).with_suffix(".txt")
NUMBERS = (0, -1, 2.5, True, math.nan, 99)


def spoiled(x: object) -> Iterator[tuple[str, object]]:
    """Yield what may be wrong with an argument, in words, and the argument spoiled so."""
    if isinstance(x, np.ndarray):
        yield "a list", x.tolist()
        yield "other numbers", x.astype(float if x.dtype.kind in "ib" else int)
        yield "an axis more", x[None]
        for axis in range(x.ndim):
            yield f"longer axis {axis}", np.concatenate([x, x.take([-1], axis)], axis)
            yield f"empty axis {axis}", x.take([], axis)
        for bad in (math.nan, 9.0) if x.dtype.kind == "f" else (99,):
            if x.dtype.kind != "b":
                yield (
                    str(bad),
                    np.concatenate([x.flat[:-1], [bad]]).astype(x.dtype).reshape(x.shape),
                )
    elif isinstance(x, str):
        yield "another name", "nonsense"
    elif isinstance(x, (int, float)) and not isinstance(x, bool):
        yield from ((repr(n), n) for n in NUMBERS)
    elif isinstance(x, (list, tuple)) and not hasattr(x, "_fields"):
        yield "nothing", type(x)()
    elif x is None:
        yield "numbers", np.ones((2, 9))
        yield "9 booleans", np.ones(9, bool)
        yield from ((repr(n), n) for n in NUMBERS)


def refusals() -> Iterator[str]:
    """Yield the rows: a function and how it was called, then what it says."""
    for function in sorted(FUNCTIONS.values(), key=lambda found: found.__name__):
        good = last_call(function, all_of_them=True)
        for argument, x in good.items():
            for how, bad in spoiled(x):
                try:
                    function(**(copy.deepcopy(good) | {argument: bad}))
                except ValueError as error:
                    own, _, said = str(error).partition(": ")
                    if own == function.__name__:
                        yield f"{own}, {argument} is {how}: {said}".replace("\n", " ")
                except Exception:
                    continue


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        rows = "\n".join(refusals()) + "\n"
    if "--write" in sys.argv:
        TABLE.write_text(rows, encoding="utf-8")
    else:
        print(rows, end="")
