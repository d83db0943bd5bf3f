"""Checks the package's shape annotations while tests run, and only then.

A function refuses bad input itself, with a ``ValueError`` that a reader understands. The
annotation's checker would come first and hide that message, so it stands aside inside
``pytest.raises``, unless its own ``TypeCheckError`` is what the test waits for.
"""

from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

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
    compiled = {f"kernels.triton_{name}" for name in ("forward", "backward", "softmax")}
    names = (names - unshaped - {"kernels"}) | (kernels - compiled)
    return {f"attention_course.{name}" for name in names}


def install() -> None:
    """Check the shapes of ``attention_course`` from now on; call it before its import."""
    from jaxtyping import install_import_hook

    install_import_hook(sorted(checked()), "shape_checks.typechecker")
    pytest.raises = _raises(pytest.raises)


def _raises(original):
    @contextmanager
    def aside():
        from jaxtyping import config

        before = config.jaxtyping_disable
        config.update("jaxtyping_disable", True)
        try:
            yield
        finally:
            config.update("jaxtyping_disable", before)

    @contextmanager
    def managed(*args, **kwargs):
        with original(*args, **kwargs) as caught, aside():
            yield caught

    def raises(expected, *args, **kwargs):
        from jaxtyping import TypeCheckError

        kinds = expected if isinstance(expected, tuple) else (expected,)
        if TypeCheckError in kinds:
            return original(expected, *args, **kwargs)
        if args:
            with aside():
                return original(expected, *args, **kwargs)
        return managed(expected, **kwargs)

    return raises
