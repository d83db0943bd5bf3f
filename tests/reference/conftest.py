"""Fixtures of the reference's tests."""

import pytest

try:
    import jaxtyping
except ModuleNotFoundError:  # Colab: nothing to switch off
    jaxtyping = None


@pytest.fixture
def untyped():
    """Switch the shape annotations off: what does a function itself do with its arguments?

    Outside the tests nobody checks the annotations, so a function must refuse bad input
    without their help.
    """
    if jaxtyping:
        jaxtyping.config.update("jaxtyping_disable", True)
    yield
    if jaxtyping:
        jaxtyping.config.update("jaxtyping_disable", False)
