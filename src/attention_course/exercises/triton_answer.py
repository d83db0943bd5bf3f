"""An answer that is a Triton kernel: what it takes to run one, on a GPU or without.

Nothing here is imported before such an answer is examined; Triton need not be installed.
"""

import hashlib
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any

from attention_course.exercises import runner

NO_TRITON = (
    "this exercise is checked by running your kernel, and Triton is not installed. On Linux "
    "`pip install triton` brings it (1 GB), with an interpreter that needs no GPU; Colab has "
    "it. Then restart the notebook's kernel"
)
NOT_INTERPRETED = (
    "there is no GPU that Triton compiles for (compute capability 8.0 or more), and it was "
    "imported without its interpreter. Restart the notebook's "
    'kernel and set os.environ["TRITON_INTERPRET"]="1" before anything imports Triton'
)


def why_not() -> str:
    """Return what is missing for a kernel to run here, in a sentence; nothing if it can run.

    Where there is no GPU that Triton compiles for, and it has not been imported yet, its
    interpreter is chosen.
    """
    if find_spec("triton") is None:
        return NO_TRITON
    if "triton" not in sys.modules and _device() == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    import triton

    if _device() == "cpu" and not triton.knobs.runtime.interpret:
        return NOT_INTERPRETED
    return ""


def load(source: str, forbidden: Sequence[str] = ()) -> dict[str, Any]:
    """Run an answer's source as :func:`runner.load` does; Triton can read the source again."""
    name = f"<answer {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    code = compile(source, name, "exec")
    runner.refuse(code, forbidden)
    defined: dict[str, Any] = {"__name__": "answer"}
    exec(code, defined)
    return defined


def launched(answer: Any, launch: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs an answer's kernel.

    Args:
        answer: a plain function, in which ``tl`` is ``triton.language``, or a kernel already.
        launch: takes a kernel, the device and the arguments of a probe's call.
    """

    def run(*args: Any) -> Any:
        code = getattr(answer, "__code__", None)
        if code is not None and "NotImplementedError" in code.co_names:
            raise NotImplementedError
        from triton.runtime.errors import InterpreterError

        try:
            return launch(kernel_of(answer), _device(), *args)
        except InterpreterError as error:
            cause: BaseException = error
            while isinstance(cause, InterpreterError) and cause.__cause__ is not None:
                cause = cause.__cause__
            raise cause from None

    return run


def kernel_of(answer: Any) -> Any:
    """Return an answer as a kernel."""
    import triton
    import triton.language

    if not hasattr(answer, "__globals__"):
        return answer  # @triton.jit stood above it
    answer.__globals__.setdefault("tl", triton.language)
    return triton.jit(answer)


def constant(number: int) -> Any:
    """Return a number that is known when a kernel is compiled, for its annotated argument.

    The interpreter does not know an annotation in quotation marks, which an answer has so that
    its cell runs without Triton.
    """
    import triton

    return triton.language.constexpr(number) if triton.knobs.runtime.interpret else number


def _device() -> str:
    import torch

    there = torch.cuda.is_available()
    return "cuda" if there and torch.cuda.get_device_capability() >= (8, 0) else "cpu"
