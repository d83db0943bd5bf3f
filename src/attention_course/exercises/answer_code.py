"""What an answer reaches from where it was written, and what of it the grader has.

An answer is graded alone, with Python, NumPy and, where an exercise asks for it, torch. In a
reader's session there may be more; ``check`` refuses what the grader does not have.
"""

import builtins
import dis
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attention_course.exercises.runner import SHOWS

# What is there beside Python's own modules, and how it is said.
PACKAGES = {"numpy": {"numpy"}, "torch": {"numpy", "torch"}}
THERE = {"numpy": "NumPy alone is", "torch": "Only NumPy and torch are", "triton": "Triton is"}
# How the module of an answer is called: in a notebook, and loaded from a text.
_HOMES = ("__main__", "answer")
_IMPORT = builtins.__import__


def code_of(answer: Any) -> list[types.FunctionType]:
    """Return the functions that an answer consists of: its own, its methods and its helpers.

    A helper is a function or a class that is in the same module and is used by name.
    """
    found: list[types.FunctionType] = []
    waiting, seen = [answer], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, types.FunctionType):
            found.append(one)
            waiting += [getattr(one, "__wrapped__", None)]
            waiting += [v for v in _globals_of(one) if _module_of(v) == one.__module__]
        elif isinstance(one, type):
            waiting += [*vars(one).values(), *one.__bases__] * (_module_of(one) in _HOMES)
        elif isinstance(one, staticmethod | classmethod | types.MethodType):
            waiting.append(one.__func__)
        elif isinstance(one, property):
            waiting += [one.fget, one.fset]
        elif type(one).__module__ in _HOMES:
            waiting += [type(one), *getattr(one, "__dict__", {}).values()]
        elif hasattr(one, "func"):  # a partial function
            waiting.append(one.func)
    return found


def not_there(answer: Any, uses: str) -> str:
    """Return a module that an answer fetches by name and that is not there when it is graded.

    >>> from statistics import mean
    >>> not_there(lambda x: mean(x), "numpy")
    ''
    """
    for function in code_of(answer):
        for value in _globals_of(function):
            top = _module_of(value).partition(".")[0]
            own = (*_HOMES, (function.__module__ or "").partition(".")[0])
            if top and top not in own and not _is_there(top, uses):
                return top
    return ""


@contextmanager
def imports_as_graded(uses: str) -> Iterator[None]:
    """Let an answer import inside the block what it can import when it is graded."""

    def importing(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        top = name.partition(".")[0]
        own = (globals or {}).get("__name__") in _HOMES
        if own and not level and not _is_there(top, uses):
            raise ModuleNotFoundError(f"No module named {top!r}", name=top)
        return _IMPORT(name, globals, locals, fromlist, level)

    earlier = builtins.__import__
    builtins.__import__ = importing
    try:
        yield
    finally:
        builtins.__import__ = earlier


def _is_there(top: str, uses: str) -> bool:
    return top in sys.stdlib_module_names or uses not in PACKAGES or top in PACKAGES[uses]


def _globals_of(function: types.FunctionType) -> Iterator[Any]:
    """Yield what a function fetches by name from its module."""
    waiting: list[types.CodeType] = [function.__code__]
    while waiting:
        code = waiting.pop()
        waiting += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        for step in dis.get_instructions(code):
            fetches = step.opname in ("LOAD_GLOBAL", "LOAD_NAME")
            if fetches and step.argval in function.__globals__ and step.argval not in SHOWS:
                yield function.__globals__[step.argval]


def _module_of(value: Any) -> str:
    if isinstance(value, types.ModuleType):
        return value.__name__
    named = value if hasattr(value, "__qualname__") else type(value)
    own = getattr(named, "__module__", None)
    return own or getattr(getattr(value, "__self__", None), "__module__", None) or ""
