"""What every check of the reference is made of.

A check takes an implementation and fails if it is wrong. The tests give it the reference;
``test_wrong_answers`` gives it wrong implementations and sees it fail. What a check is of, its
first parameter says.
"""

import functools
import inspect
from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

Check = Callable[[Callable], None]


def holds_for(*strategies: st.SearchStrategy, examples: int = 60) -> Callable[..., Check]:
    """Turn ``body(implementation, *values)`` into a check over many values."""

    def decorate(body: Callable) -> Check:
        @functools.wraps(body)
        def check(implementation: Callable) -> None:
            @settings(max_examples=examples, report_multiple_bugs=False)
            @given(st.tuples(*strategies))
            def run(values):
                body(implementation, *values)

            run()

        return check

    return decorate


def checks_of(subject: str, module: dict[str, object]) -> dict[str, Check]:
    """Return, by their names, the checks of a module whose first parameter is ``subject``."""
    made = {name: check for name, check in module.items() if inspect.isfunction(check)}
    first = {name: [*inspect.signature(made[name]).parameters][:1] for name in made}
    return {name: check for name, check in made.items() if first[name] == [subject]}


def keeps_the_dtype(implementation: Callable, *arguments: np.ndarray, **more: object) -> None:
    """Assert that results have the format of the arguments, whichever that is."""
    for dtype in (np.float16, np.float32, np.float64):
        found = implementation(*(x.astype(dtype) for x in arguments), **more)
        for x in found if isinstance(found, tuple) else (found,):
            assert x.dtype == dtype


def floats(limit: float) -> st.SearchStrategy:
    """Ordinary numbers up to a limit."""
    return st.floats(-limit, limit, allow_subnormal=False)


def matrices(limit: float = 30.0, rows=(1, 4), columns=(1, 6)) -> st.SearchStrategy:
    """Matrices of float64."""
    shape = st.tuples(st.integers(*rows), st.integers(*columns))
    return hnp.arrays(np.float64, shape, elements=floats(limit))


def close(got: object, wanted: object, tolerance: float = 1e-12) -> None:
    """Assert equal shapes, then values equal within the tolerance (also relative)."""
    got, wanted = np.asarray(got), np.asarray(wanted)
    assert got.shape == wanted.shape, f"shape {got.shape} instead of {wanted.shape}"
    np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)


def draws(seed: int, *shapes: tuple[int, ...], dtype=np.float64) -> list[np.ndarray]:
    """Seeded standard normal arrays."""
    generator = np.random.RandomState(seed)
    return [generator.standard_normal(shape).astype(dtype) for shape in shapes]
