"""What every check of the reference is made of.

A check takes an implementation and fails if it is wrong. The tests give it the reference;
``test_wrong_answers`` gives it wrong implementations and sees it fail.
"""

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

Check = Callable[[Callable], None]


def holds_for(*strategies: st.SearchStrategy, examples: int = 60) -> Callable[..., Check]:
    """Turn ``body(implementation, *values)`` into a check over many values."""

    def decorate(body: Callable) -> Check:
        def check(implementation: Callable) -> None:
            @settings(
                max_examples=examples,
                deadline=None,
                database=None,
                derandomize=True,
                report_multiple_bugs=False,
            )
            @given(st.tuples(*strategies))
            def run(values):
                body(implementation, *values)

            run()

        check.__name__ = body.__name__
        return check

    return decorate


def named(checks: list[Check]) -> dict[str, Check]:
    """Index the checks by their names."""
    return {check.__name__: check for check in checks}


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
