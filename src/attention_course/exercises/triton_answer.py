"""An answer that is a Triton kernel: what it takes to run one, on a GPU or without.

Nothing here is imported before such an answer is examined; Triton need not be installed.
"""

import builtins
import hashlib
import inspect
import linecache
import os
import pickle
import select
import subprocess
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from time import sleep
from types import FunctionType
from typing import Any

from attention_course.exercises import runner

NO_TRITON = (
    "this exercise is checked by running your kernel, and Triton is not installed. On Linux "
    "`pip install triton` brings it (1 GB), with an interpreter that needs no GPU; Colab has "
    "it. Then restart the notebook's kernel"
)
# Triton decides when it is imported whether it interprets, and torch imports it unasked. So
# where no GPU compiles it, a kernel runs in a process of its own, interpreting from the start.
_ANSWER = "<answer"
_CHILD = "from attention_course.exercises.triton_answer import serve; serve()"
_children: list["subprocess.Popen[bytes]"] = []
_ONE_AT_A_TIME = threading.Lock()


def why_not() -> str:
    """Return what is missing for a kernel to run here, in a sentence; nothing if it can run."""
    return NO_TRITON if find_spec("triton") is None else ""


def load(
    source: str, forbidden: Sequence[str] = (), defined: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Run an answer's source as :func:`runner.load` does; Triton can read the source again.

    Args:
        source: a text that defines it.
        forbidden: what it must not call.
        defined: what is there already, by name; it is added to.
    """
    name = f"{_ANSWER} {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    # Triton reads the source of a kernel by inspect, which looks here.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    code = compile(source, name, "exec")
    runner.refuse(code, forbidden)
    defined = {} if defined is None else defined
    defined.setdefault("__name__", "answer")
    exec(code, defined)
    return defined


def launched(answer: Any, slug: str, launch: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs an answer's kernel.

    Args:
        answer: a plain function, in which ``tl`` is ``triton.language``, or a kernel already.
        slug: the exercise's.
        launch: takes a kernel, the device and the arguments of a probe's call.
    """
    code = getattr(answer, "__code__", None)
    unwritten = code is not None and "NotImplementedError" in code.co_names
    device = _device()
    if device == "cpu" and not unwritten:
        _child()  # so that its start is not part of what a call takes

    def run(*args: Any) -> Any:
        if unwritten:
            raise NotImplementedError
        if device == "cuda":
            return launch(kernel_of(answer), device, *args)
        return _interpreted(*_written(answer), slug, args)

    return run


def serve() -> None:
    """Run kernels under Triton's interpreter: asked on standard input, answered on output."""
    asked, answered = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints is no answer
    import triton
    from triton.runtime.errors import InterpreterError

    from attention_course.exercises.bank import exercise_named

    pickle.dump("ready", answered)
    answered.flush()
    while True:
        try:
            pieces, name, constants, slug, args = pickle.load(asked)
        except EOFError:
            return
        came: tuple[Any, ...]
        try:
            defined = {"triton": triton, "tl": triton.language, **constants}
            for piece in pieces:
                load(piece, defined=defined)
            launch = exercise_named(slug).launch
            assert launch is not None
            came = "", "", 0, launch(kernel_of(defined[name]), "cpu", *args)
        except Exception as error:
            cause: BaseException = error
            while isinstance(cause, InterpreterError) and cause.__cause__ is not None:
                cause = cause.__cause__
            frames = traceback.extract_tb(cause.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename.startswith(_ANSWER)]
            came = type(cause).__name__, str(cause), (lines or [0])[-1], None
        pickle.dump(came, answered)
        answered.flush()


def _written(answer: Any) -> tuple[list[str], str, dict[str, Any]]:
    """Return the sources of an answer and its helpers, its name, and its constants.

    Each source has as many empty lines before it as there were lines in its cell.
    """
    answer = getattr(answer, "fn", answer)  # @triton.jit stood above it
    pieces: dict[str, str] = {}
    constants, waiting = {}, [answer]
    while waiting:
        one = waiting.pop()
        if one.__name__ in pieces:
            continue
        try:
            lines, first = inspect.getsourcelines(one)
        except OSError:
            raise OSError(
                f"the source of {one.__name__} cannot be read: define it in a cell or a file"
            ) from None
        pieces[one.__name__] = "\n" * (first - 1) + textwrap.dedent("".join(lines))
        for name in one.__code__.co_names:
            value = one.__globals__.get(name)
            value = getattr(value, "fn", value)
            if isinstance(value, FunctionType) and value.__module__ == one.__module__:
                waiting.append(value)
            elif isinstance(value, int | float | str) or type(value).__name__ == "constexpr":
                constants[name] = value
    return [*pieces.values()], answer.__name__, constants


def _child() -> tuple[Any, Any]:
    """Return the process that interprets, as what it is asked and answers by; one is enough."""
    while not _children or _children[0].poll() is not None:
        _apart(_renew)
    return _children[0].stdin, _children[0].stdout


def _renew() -> None:
    """Start a process that interprets, unless there is one that lives."""
    if _children and _children[0].poll() is None:
        return
    _end()
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TRITON_INTERPRET": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        pickle.load(child.stdout)  # type: ignore[arg-type]
    finally:
        _children.append(child)


def _end() -> None:
    """End the process that interprets, if there is one, and close what leads to it."""
    for child in _children:
        child.kill()
        child.communicate()
    _children.clear()


def _apart(work: Callable[[], None]) -> None:
    """Do some work in a thread of its own, where the clock cannot stop it half-way."""
    failed: list[Exception] = []

    def done() -> None:
        try:
            with _ONE_AT_A_TIME:
                work()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=done, daemon=True)
    thread.start()
    while thread.is_alive():
        sleep(0.01)
    if failed:
        raise failed[0]


def _interpreted(
    pieces: list[str], name: str, constants: dict[str, Any], slug: str, args: tuple[Any, ...]
) -> Any:
    """Run a kernel in the process that interprets."""
    asked, answered = _child()
    try:
        pickle.dump((pieces, name, constants, slug, args), asked)
        asked.flush()
        while not select.select([answered], [], [], 0.05)[0]:
            pass  # the clock stops a call between two steps of Python
        error, message, line, result = pickle.load(answered)
    except BaseException:  # stopped by the clock, or the process ended: the next one is new
        _apart(_end)
        raise
    if error:
        raised = getattr(builtins, error, type(error, (Exception,), {}))(message)
        # Where the runner looks for the line of an answer.
        there = compile("\n" * max(0, line - 1) + "raise raised", runner.FILE_NAME, "exec")
        exec(there, {"raised": raised})
    return result


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
