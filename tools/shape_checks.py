"""Checks the package's shape annotations while tests run, and only then.

A function refuses bad input itself, with a ``ValueError`` that a reader understands. The
annotation's checker would come first and hide that message, so it stands aside inside
``pytest.raises``, unless its own ``TypeCheckError`` is what the test waits for.
"""

from contextlib import contextmanager
from functools import partial, wraps
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest

AVAILABLE = bool(find_spec("jaxtyping") and find_spec("beartype"))


def typechecker(function):
    """Check a function's annotations with beartype; an int passes for a float."""
    from beartype import BeartypeConf, beartype

    return beartype(conf=BeartypeConf(is_pep484_tower=True))(function)


def checked() -> set[str]:
    """Return the parts whose annotations have shapes; answers are judged without any."""
    package = Path(find_spec("attention_course").origin).parent
    names = {path.stem for path in package.iterdir() if path.suffix in ("", ".py")}
    unshaped = {"exercises", "__init__", "__pycache__", "__main__"}
    # Triton compiles the source of its kernels, not what a checker makes of them.
    kernels = {f"kernels.{path.stem}" for path in package.glob("kernels/[a-z]*.py")}
    compiled = {f"kernels.triton_{x}" for x in ["forward", "backward", "softmax", "varlen"]}
    names = (names - unshaped - {"kernels"}) | (kernels - compiled)
    return {f"attention_course.{name}" for name in names}


def install() -> None:
    """Check the shapes of ``attention_course`` from now on; call it before its import."""
    import jaxtyping

    jaxtyping.jaxtyped = partial(_checked, jaxtyping.jaxtyped)
    jaxtyping.install_import_hook(sorted(checked()), "shape_checks.typechecker")
    pytest.raises = _raises(pytest.raises)


def _checked(original, *, typechecker):
    """Leave to jaxtyping what has a shape: around anything else it takes ten times as long."""
    from jaxtyping import config

    def decorate(function):
        hints = getattr(function, "__annotations__", {}).values()
        words = any(
            isinstance(hint, str) for hint in hints
        )  # beartype alone would look them up
        if isinstance(function, type) or words or "jaxtyping" in str([*hints]):
            return original(function, typechecker=typechecker)
        checking = typechecker(function)

        @wraps(function)
        def unless_aside(*args, **kwargs):
            return (function if config.jaxtyping_disable else checking)(*args, **kwargs)

        return unless_aside

    return decorate


def _raises(original):
    from jaxtyping import TypeCheckError, config

    @contextmanager
    def raises(expected, **kwargs):
        kinds = expected if isinstance(expected, tuple) else (expected,)
        aside = TypeCheckError not in kinds
        with (
            original(expected, **kwargs) as caught,
            patch.object(config, "jaxtyping_disable", aside),
        ):
            yield caught

    return raises
