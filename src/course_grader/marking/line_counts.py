"""Says whether the lines that an answer runs can be counted in good faith.

Where an exercise asks for no loop, lines are counted in the answer's own process, and what can
reach the counter can change it. So an answer earns such a property only if it keeps to numbers:
no look into frames, modules or private names. What is computed is judged elsewhere.
"""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

MODULES = {
    *("numpy", "torch", "math", "cmath", "functools", "itertools", "operator", "collections"),
    *("warnings", "dataclasses", "numbers", "typing", "time", "random", "__future__"),
}
NAMES = {
    *("getattr", "setattr", "delattr", "eval", "exec", "compile", "globals", "locals", "vars"),
    *("open", "breakpoint", "memoryview", "attrgetter", "methodcaller"),
    *("sys", "os", "gc", "inspect", "ctypes", "ctypeslib", "builtins", "importlib", "modules"),
    *("threading", "traceback", "linecache", "types", "subprocess", "settrace", "setprofile"),
    *("copyreg", "contextlib", "update_wrapper", "wraps"),
    # A field's name can be changed, and dataclass runs it as text.
    *("dataclass", "make_dataclass", "field", "fields", "asdict", "astuple"),
}
# Attributes of modules that run text or load what runs; harmless as names of one's own.
ATTRIBUTES = {
    *("testing", "runstring", "measure", "rundocs", "load", "loads", "f2py"),
    *("get_type_hints", "ForwardRef", "evaluate_forward_ref", "NamedTupleMeta"),
    *("singledispatch", "singledispatchmethod", "register"),
}
# Loops that run in C, where no line is counted.
LOOPS = {
    *("map", "starmap", "vectorize", "frompyfunc", "fromiter"),
    *("apply_along_axis", "apply_over_axes"),
}
FOLDS = {"reduce": "functools", "accumulate": "itertools"}
FRAMES = ("f_", "tb_", "gi_", "cr_", "ag_", "co_")
OWN = {"self", "cls"}
PLAIN = {
    *("__init__", "__call__", "__name__", "__doc__", "__wrapped__", "__all__", "__repr__"),
    *("__len__", "__iter__", "__next__", "__getitem__", "__contains__", "__post_init__"),
    *("__add__", "__sub__", "__mul__", "__truediv__", "__matmul__", "__neg__", "__eq__"),
}
# What of sys is a number, and harmless above a definition.
SYS = {"float_info", "maxsize"}
DECORATORS = {"dataclass": ast.ClassDef, "wraps": ast.FunctionDef}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@lru_cache(maxsize=64)
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


def _reaching(tree: ast.Module) -> Iterator[str]:
    free = {id(node) for one in ast.walk(tree) for node in _harmless(one)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    loaded = {n.id for n in names if not isinstance(n.ctx, ast.Store) and id(n) not in free}
    for node, own in _scoped(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from _imported(node, loaded)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if _is_special(node.name) and node.name not in PLAIN:
                yield node.name
        elif isinstance(node, ast.MatchClass):
            yield from filter(_bad, node.kwd_attrs)
        elif id(node) in free:
            continue
        elif isinstance(node, ast.Name):
            if _is_special(node.id):
                yield from {node.id} - PLAIN
            elif not isinstance(node.ctx, ast.Store) and node.id not in own:
                yield from {node.id} & (NAMES | LOOPS | {"type"})
        elif isinstance(node, ast.Attribute) and _reaches(node):
            yield node.attr


def _imported(node: ast.Import | ast.ImportFrom, loaded: set[str]) -> Iterator[str]:
    """Yield what an import brings that could reach the counter; one never used is free."""
    path = node.module or "." if isinstance(node, ast.ImportFrom) else ""
    for alias in node.names:
        name = path or alias.name
        bound = alias.asname or alias.name.split(".")[0]
        top = name.split(".")[0]
        idle = bound not in loaded and top not in MODULES and alias.name != "*"
        number = path == "sys" and alias.name in SYS
        if number or (idle and not getattr(node, "level", 0)):
            continue
        yield from _bad_path(name)
        unnamed = alias.name in DECORATORS and not alias.asname
        if path and not unnamed and (_bad(alias.name) or alias.name in LOOPS | FOLDS.keys()):
            yield alias.name


def _harmless(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that look like a reach and are none."""
    if isinstance(node, ast.Attribute) and node.attr in SYS:
        if isinstance(node.value, ast.Name) and node.value.id == "sys":
            yield node.value
    elif isinstance(node, ast.ClassDef | ast.FunctionDef):
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            named = call.func if call else decorator
            name = getattr(named, "attr", getattr(named, "id", ""))
            one = call and len(call.args) == 1 and not call.keywords
            if isinstance(node, DECORATORS.get(name, ())) and (one or name != "wraps"):
                yield named
    elif isinstance(node, ast.Subscript):
        yield from _types(node.value)
    elif isinstance(node, ast.Call):
        plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        if plain and len(node.args) == 1:
            yield from _types(node.func)
        if isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (found for argument in node.args for found in _types(argument))
        mapped = isinstance(node.func, ast.Name) and node.func.id == "map"
        if plain and mapped and all(map(_is_short, node.args[1:])):
            yield node.func


def _types(node: ast.expr) -> list[ast.expr]:
    return [node] if isinstance(node, ast.Name) and node.id == "type" else []


def _is_short(node: ast.expr) -> bool:
    """Say whether as many steps are taken as stand written here, or as there are axes."""
    if isinstance(node, ast.Tuple | ast.List):
        return not any(isinstance(element, ast.Starred) for element in node.elts)
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _reaches(node: ast.Attribute) -> bool:
    """Say whether fetching this attribute reaches for the counter, or for a loop in C."""
    # reduce and accumulate are loops in the standard library, and none in numpy.
    folds = isinstance(node.value, ast.Name) and node.value.id == FOLDS.get(node.attr)
    return folds or node.attr in LOOPS - {"map"} or (_bad(node.attr) and not _own(node))


def _scoped(tree: ast.Module) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield every node with the names to which the answer itself gives their meaning there."""
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, _of_module(tree))]
    while stack:
        node, own = stack.pop()
        yield node, own
        inner: frozenset[str] = own
        body: Sequence[ast.AST] = ()
        if isinstance(node, _FUNCTIONS):
            body = node.body if isinstance(node.body, list) else [node.body]
            bound, declared = _bound(body)
            inner = (own - declared) | (bound - declared) | _parameters(node.args)
        elif isinstance(node, ast.ClassDef):
            # A class looks for its own names outside all functions if it has none yet.
            body = node.body
            inner = own - _bound(body)[0]
        inside = set(map(id, body))
        children = list(ast.iter_child_nodes(node))
        stack += [(c, inner if id(c) in inside else own) for c in reversed(children)]


def _parameters(args: ast.arguments) -> set[str]:
    several = [arg for arg in (args.vararg, args.kwarg) if arg]
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, *several)}


def _bound(body: Sequence[ast.AST]) -> tuple[set[str], set[str]]:
    """Return the names that a body binds itself, and those that it declares to be others'."""
    bound: set[str] = set()
    declared: set[str] = set()
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.Global):
            declared |= set(node.names)
        elif not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            stack += ast.iter_child_nodes(node)
    return bound, declared


def _of_module(tree: ast.Module) -> frozenset[str]:
    """Return the names that are assigned before anything can use them, and never deleted."""
    own: set[str] = set()
    seen: set[str] = set()
    deleted: set[str] = set()
    for statement in tree.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        used = {n.id for n in names if not isinstance(n.ctx, ast.Store)}
        own |= {t.id for t in targets if isinstance(t, ast.Name)} - seen - used
        seen |= {name.id for name in names}
        deleted |= {name.id for name in names if isinstance(name.ctx, ast.Del)}
    return frozenset(own - deleted)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


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
