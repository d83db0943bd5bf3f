"""Says whether the lines that an answer runs can be counted in good faith.

Where an exercise asks for no loop, lines are counted in the answer's own process, and what can
reach the counter can change it. So an answer earns such a property only if it keeps to numbers:
no look into frames, modules or private names. What is computed is judged elsewhere.
"""

import ast
from collections.abc import Iterator

MODULES = {
    *("numpy", "torch", "math", "cmath", "functools", "itertools", "operator", "collections"),
    *("warnings", "dataclasses", "numbers", "__future__"),
}
NAMES = {
    *("getattr", "setattr", "delattr", "eval", "exec", "compile", "globals", "locals", "vars"),
    *("open", "breakpoint", "memoryview", "attrgetter", "methodcaller"),
    *("sys", "os", "gc", "inspect", "ctypes", "ctypeslib", "builtins", "importlib", "modules"),
    *("threading", "traceback", "linecache", "types", "subprocess", "settrace", "setprofile"),
}
# Attributes of modules that run text or load what runs; harmless as names of one's own.
ATTRIBUTES = {
    *("testing", "runstring", "measure", "rundocs", "load", "loads", "f2py", "typing"),
    *("get_type_hints", "ForwardRef", "singledispatch", "singledispatchmethod", "register"),
}
FRAMES = ("f_", "tb_", "gi_", "cr_", "ag_", "co_")
OWN = {"self", "cls"}
PLAIN = {"__init__", "__call__", "__name__", "__doc__", "__wrapped__"}


def uncountable(source: str) -> str:
    r"""Return what in an answer could reach the counter of lines; an empty text if nothing.

    >>> uncountable("import numpy as np\ndef f(x): return np.exp(x)")
    ''
    >>> uncountable("import gc\ndef f(x): return gc.get_objects()")
    'gc'
    """
    try:
        tree = ast.parse(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""  # it does not run either
    return next(_reaching(tree), "")


def _reaching(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _bad_path(alias.name)
        elif isinstance(node, ast.ImportFrom):
            yield from _bad_path(node.module or ".")
            yield from (alias.name for alias in node.names if _bad(alias.name))
        elif isinstance(node, ast.Name) and (node.id in NAMES or node.id.startswith("__")):
            if node.id not in PLAIN:
                yield node.id
        elif isinstance(node, ast.MatchClass):
            yield from filter(_bad, node.kwd_attrs)
        elif isinstance(node, ast.Attribute) and _bad(node.attr) and not _own(node):
            yield node.attr


def _bad_path(path: str) -> Iterator[str]:
    top, *rest = path.split(".")
    if top not in MODULES or any(map(_bad, rest)):
        yield path


def _bad(name: str) -> bool:
    if name in PLAIN:
        return False
    return name in NAMES | ATTRIBUTES or name.startswith(("_", *FRAMES))


def _own(node: ast.Attribute) -> bool:
    """Say whether this is a private attribute of the answer's own object."""
    own = isinstance(node.value, ast.Name) and node.value.id in OWN
    return own and not node.attr.startswith("__")
