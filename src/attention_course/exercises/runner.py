"""Run an answer and record outputs, errors and side effects.

The only file of the course that enters the sandbox. It imports nothing of the course, so that
it can run alone beside an untrusted answer.
``check`` uses it in the reader's own session, the grader inside the sandbox: the same calls,
the same observations. What is right is decided elsewhere, by :mod:`.examine`, from the bytes
that come out.
"""

import __future__

import ast
import builtins
import dis
import gc
import io
import json
import struct
import sys
import traceback
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

LONGEST_TEXT = 200
FILE_NAME = "<answer>"
# Below this line of an answer stands what it uses of other cells. It is run first.
HELPER_CELLS_MARKER = "# ---- from other cells of the notebook; run first ----"
# What is in a notebook's other cells. An answer may call it outside its functions: nothing
# comes of it.
NOTEBOOK = ("check", "failing_case", "hint", "own_exercise")
# What a notebook shows something with. An answer may call it anywhere: nothing is shown.
SHOWS = ("display", "get_ipython")
# Under this name a loaded answer keeps which statements raised and were left out.
_SKIPPED = "$skipped"


@dataclass(frozen=True)
class Result:
    """Stands, among the arguments of a call, for what an earlier call returned."""

    of: int


class Blocks(Sequence[tuple[np.ndarray, np.ndarray]]):
    """Pairs of arrays that are handed over one at a time.

    All are made in the same memory: who asks for the next one has the last one no more.

    Args:
        pairs: the pairs, again and again.
        factors: of each block, what its first array is multiplied by.
    """

    def __init__(self, pairs: Sequence[tuple[np.ndarray, np.ndarray]], factors: np.ndarray):
        self.pairs, self.factors = pairs, factors
        self._order: Sequence[int] = range(len(factors))
        longest = max(len(first) for first, _ in pairs)
        self._memory = [np.empty((longest, x.shape[1])) for x in pairs[0]]

    def __len__(self) -> int:
        """Return how many blocks there are."""
        return len(self._order)

    def __getitem__(self, place: Any) -> Any:
        """Return a block, or fewer blocks that share the memory."""
        if isinstance(place, slice):
            fewer = copy(self)
            fewer._order = self._order[place]
            return fewer
        number = self._order[place]
        for memory in self._memory:
            memory[:] = np.nan
        pair = self.pairs[number % len(self.pairs)]
        block = tuple(x[: len(y)] for x, y in zip(self._memory, pair, strict=True))
        np.multiply(pair[0], self.factors[number], out=block[0])
        block[1][:] = pair[1]
        return block

    def __repr__(self) -> str:
        """Return what is seen of them without asking for one."""
        return f"<{len(self)} blocks; each is made in the memory of the last>"


class NextLogits:
    """Stands for a model: from the words so far, the logits of the next one.

    Args:
        table: the logits for each step and last word; after the last step it begins again.
    """

    def __init__(self, table: np.ndarray):
        self.table = table

    def __call__(self, words: Sequence[int]) -> np.ndarray:
        """Return logits that belong to the caller."""
        logits: np.ndarray = self.table[(len(words) - 1) % len(self.table), words[-1]]
        return logits.copy()

    def __repr__(self) -> str:
        """Return what it is called with, and what it knows."""
        return f"<function from a list of words below {self.table.shape[2]} to logits>"


@dataclass(frozen=True)
class Call:
    """One call of the answer.

    Args:
        target: a name that the answer defines, or with ``on`` a method's name. Three names are
            special, each with ``on``: ``$load`` sets a module's parameters from a dictionary of
            arrays, ``$parameters`` returns the sorted names of its parameters as one text,
            ``$get`` returns the attribute that the first argument names.
        args: arguments in order: arrays, numbers, texts, None, dictionaries of arrays,
            :class:`Blocks`, :class:`NextLogits` or a :class:`Result`. A list may be in several
            calls.
        kwargs: arguments by name.
        on: the number of the earlier call whose result owns the method.
        gradients: of which arguments the gradient is wanted (torch only): the place of an
            argument, its name, or ``"parameter:NAME"``. What is differentiated is the sum of
            the outputs times fixed numbers.
        returns: the outputs' names; empty if the result is kept but not compared.
    """

    target: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    on: int | None = None
    gradients: tuple[Any, ...] = ()
    returns: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What an answer did: its outputs by name, or the error that came instead.

    ``values`` hold float64 or bool arrays or texts; ``kinds`` the dtype each came in;
    ``changed`` the arguments that the answer overwrote; ``state`` what it changed in the
    session; ``skipped`` which of its statements raised while it was loaded, and what.
    """

    names: list[str] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    state: list[str] = field(default_factory=list)
    error: str = ""
    message: str = ""
    line: int = 0
    skipped: list[str] = field(default_factory=list)


class WrongReturnError(TypeError):
    """The answer returned something that the contract does not know."""


class ForbiddenError(RuntimeError):
    """The answer calls what it is asked to build."""

    line: int | None = None


def load(source: str, forbidden: Sequence[str] = (), lenient: bool = False) -> dict[str, Any]:
    """Run an answer's source in a module of its own and return what it defines.

    Args:
        source: the source.
        forbidden: names that it may not fetch or import.
        lenient: leave out what raises, statement by statement, such as a test of its own that
            fails or an import of what is not there.

    Raises:
        ForbiddenError: if it names what it may not use.
        Exception: whatever the source raises, unless that is left out.
    """
    # Windows' editors put a byte order mark in front, which compile does not take.
    source = source.removeprefix("\ufeff")
    code = _compiled(source)
    refuse(code, forbidden)
    space = vars(types.ModuleType("answer"))
    with input_refused():
        if lenient:
            space |= {name: _Absent(f"only a notebook has {name}") for name in NOTEBOOK}
            space |= dict.fromkeys(SHOWS, IDLE)
            skipped: list[str] = []

            def note(error: BaseException, line: int) -> None:
                if not isinstance(error, ModuleNotFoundError):
                    skipped.append(error_line(error, line))

            run_each(statements(source), space, note)
            space[_SKIPPED] = skipped
        else:
            run_each([code], space)
    return space


def _compiled(code: Any, file: str = FILE_NAME, mode: str = "exec", flags: int = 0) -> Any:
    """Compile code in which ``await`` may stand outside functions, as in a notebook."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    return compile(code, file, mode, flags, dont_inherit=True)


def statements(source: str, file: str = FILE_NAME) -> list[types.CodeType]:
    """Return a cell's code statement by statement, what came along first.

    A last line that is an expression gives its value.

    Raises:
        SyntaxError: if it is no Python.
    """
    code = _compiled(source, file)
    lines = enumerate(io.StringIO(source, newline=None), 1)
    along = next(
        (number for number, line in lines if line.rstrip("\n") == HELPER_CELLS_MARKER), 0
    )
    flags = code.co_flags & __future__.annotations.compiler_flag
    try:
        body: list[ast.stmt] = []
        for node in sorted(ast.parse(source).body, key=lambda node: node.lineno < along):
            if isinstance(node, ast.Import):  # each by itself: one may not be there
                body += [ast.copy_location(ast.Import([one]), node) for one in node.names]
            else:
                body.append(node)
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        codes = [_compiled(ast.Module([node], []), file, flags=flags) for node in body]
        if isinstance(last, ast.Expr):
            codes.append(_compiled(ast.Expression(last.value), file, "eval", flags))
    # Deeply nested code compiles as a whole but not from its tree: run it whole.
    except RecursionError:
        return [code]
    return codes


def run_each(
    codes: Sequence[types.CodeType],
    space: dict[str, Any],
    failed: Callable[[BaseException, int], None] | None = None,
) -> Any:
    """Run statements and return what the last one gives.

    Args:
        codes: the statements.
        space: the names.
        failed: takes the error of one that raises, and its line, and the next one is run. What
            it fetches from a module that is not there raises that again where it is used.

    Raises:
        BaseException: what a statement raises, unless ``failed`` takes it.
    """
    value = None
    for code in codes:
        try:
            value = eval(code, space)
            if code.co_flags & _WAITS:
                value = _run_to_end(value)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            if failed is None:
                raise
            if isinstance(error, ModuleNotFoundError):
                for step in dis.get_instructions(code):
                    if step.opname == "STORE_NAME":
                        space[step.argval] = _Absent(str(error))
            value = failed(
                error, last_line(error, file=code.co_filename) or code.co_firstlineno
            )
    return value


_WAITS = 0x80  # inspect.CO_COROUTINE


def _run_to_end(coroutine: Any) -> Any:
    """Run to its end what waits for nothing else: no loop of events is there."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as ended:
        return ended.value


def error_line(error: BaseException, line: int) -> str:
    """Return which line raised what."""
    said = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": ")
    return f"line {line} raised {said}"


@contextmanager
def input_refused() -> Iterator[None]:
    """Let ``input`` raise inside the block: where it is graded nothing can be typed."""

    def asked(prompt: object = "", /) -> str:
        raise EOFError("input() waits for typed text: write the value into your code instead")

    earlier, builtins.input = builtins.input, asked
    try:
        yield
    finally:
        builtins.input = earlier


class _Idle:
    """Stands for what a notebook shows something with: it takes anything and does nothing."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self


IDLE = _Idle()


class _Absent:
    """Stands for what would have come from a module that is not there."""

    def __init__(self, why: str):
        self._why = why

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise ModuleNotFoundError(self._why)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        raise ModuleNotFoundError(self._why)

    __getitem__ = __iter__ = __len__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __call__
    __str__ = __format__ = __call__


def refuse(code: types.CodeType, forbidden: Sequence[str], modules: Sequence[str] = ()) -> None:
    """Raise if code fetches an attribute or imports a name that it is asked to build itself.

    Args:
        code: of a module or a function; what is defined inside counts too.
        forbidden: names. One like ``np.append`` is refused only as a module's attribute or in
            an import, because lists and a student's own objects may have it too; one without a
            dot is refused whoever owns it.
        modules: names that are modules' where the code runs, beside those that it imports.

    Raises:
        ForbiddenError: and says which name, and in which line.
    """
    if forbidden:
        _refuse(code, {name.split(".")[-1]: name for name in forbidden}, set(modules))


def _refuse(code: types.CodeType, forbidden: dict[str, str], modules: set[str]) -> None:
    """Read the steps one after the other; a name that is given a module is one from then on."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in _IDLE]
    # A pattern like object(name=x) fetches attributes too; a star imports every name.
    texts = [c for c in code.co_consts if isinstance(c, tuple)]
    hidden = {name for group in texts for name in group if name in (*forbidden, "*")}
    matches = any(step.opname == "MATCH_CLASS" for step in steps)
    if forbidden and ("*" in hidden or (hidden and matches)):
        name = min(hidden)
        raise ForbiddenError(f"{forbidden.get(name, name)} is not allowed in this exercise")
    of_module = False  # whether what was fetched last is a module or a part of one
    for step in steps:
        fetches = step.opname in ("LOAD_ATTR", "LOAD_METHOD")
        imports = step.opname in ("IMPORT_NAME", "IMPORT_FROM")
        name = str(step.argval).split(".")[-1]
        if name in forbidden and (
            imports or (fetches and (of_module or "." not in forbidden[name]))
        ):
            error = ForbiddenError(f"{forbidden[name]} is not allowed in this exercise")
            error.line = _line_of(step)
            raise error
        # One step may store or load several names at once; the last one stays on top.
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if step.opname.startswith(_STORES):
            modules |= {names[0]} if of_module else set()
        if imports:
            of_module = True
        else:
            named = step.opname.startswith(_NAMES) or fetches
            of_module = (named and names[-1] in modules) or (fetches and of_module)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            _refuse(constant, forbidden, modules)


_PLACES = ("NAME", "GLOBAL", "FAST", "DEREF", "CLASSDEREF")
_STORES = tuple(f"STORE_{place}" for place in _PLACES)
_NAMES = (*_STORES, *(f"LOAD_{place}" for place in _PLACES))
# Steps between a module that is fetched and the name that it gets.
_IDLE = ("EXTENDED_ARG", "SWAP", "COPY", "POP_TOP")


def _line_of(step: dis.Instruction) -> int:
    position = getattr(step, "positions", None)
    return (position.lineno if position else None) or 0


def run(
    defined: dict[str, Any],
    calls: Sequence[Call],
    tensors: bool = False,
    watched: bool = False,
) -> Outcome:
    """Make the calls one after the other and record their outcomes.

    Args:
        defined: what the answer defines, by name.
        calls: what to call.
        tensors: hand over torch tensors and take their gradients; arrays otherwise.
        watched: the memory of arrays and generators is looked at from outside: no array is
            copied before, and nothing is put back. :func:`begin` must have been called.

    Returns:
        The outcome; an error of the answer is part of it and is not raised. What it changed in
        the session is part of it too, and is put back.
    """
    if tensors:
        import torch  # noqa: F401 (before the session is looked at)

    outcome = Outcome(skipped=list(defined.get(_SKIPPED, ())))
    results: list[Any] = []
    given = [x for call in calls for x in (*call.args, *call.kwargs.values())]
    given += [y for x in given if isinstance(x, dict) for y in x.values()]
    kept = {call.on for call in calls} | {x.of for x in given if isinstance(x, Result)}
    with _own_session(outcome, watched), input_refused(), _collecting_seldom():
        for call in calls:
            try:
                result, leaves, owner = _one(defined, call, results, tensors, outcome, watched)
                _write_down(outcome, call, result, leaves, owner)
            except (Exception, SystemExit) as error:
                outcome.error, outcome.message = type(error).__name__, str(error)
                outcome.line = getattr(error, "line", 0) or last_line(error, defined)
                break
            results.append(result if len(results) in kept else None)
    return outcome


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Search for garbage seldom: to an answer that ends in lists it is most of its time."""
    earlier = gc.get_threshold()
    gc.set_threshold(50_000, *earlier[1:])
    try:
        yield
    finally:
        gc.set_threshold(*earlier)


def _one(
    defined: dict[str, Any],
    call: Call,
    results: list[Any],
    tensors: bool,
    outcome: Outcome,
    watched: bool,
) -> tuple[Any, dict[int | str, Any], Any]:
    """Make one call; return its result, the arguments by name and the object it was made on."""
    owner = None if call.on is None else results[call.on]
    if owner is None and call.target not in defined:
        own = [x for x, it in defined.items() if getattr(it, "__module__", "") == "answer"]
        instead = f"{', '.join(own[:3])}, not" if own else "no"
        raise NameError(f"the answer defines {instead} {call.target}")
    named: dict[int | str, Any] = dict(enumerate(call.args))
    named.update(call.kwargs.items())
    leaves = {
        name: _argument(value, results, tensors, name in call.gradients, watched)
        for name, value in named.items()
    }
    copies = {name: _copy(value) for name, value in leaves.items()}
    args = [leaves[i] for i in range(len(call.args))]
    kwargs = {name: leaves[name] for name in call.kwargs}
    if isinstance(owner, list) and not hasattr(owner, call.target):
        owner = np.array(owner)
    if call.target.startswith("$"):
        result = _SPECIAL[call.target](owner, *args, **kwargs)
    else:
        function = defined[call.target] if owner is None else getattr(owner, call.target)
        owner = getattr(function, "__self__", function)
        result = function(*args, **kwargs)
    outcome.changed += [
        str(name) for name, value in leaves.items() if not _same(value, copies[name])
    ]
    return result, leaves, owner


def _write_down(
    outcome: Outcome, call: Call, result: Any, leaves: dict[int | str, Any], owner: Any
) -> None:
    if not call.returns:
        return
    outputs = _outputs(result, call.returns)
    for name, value in zip(call.returns, outputs, strict=True):
        _append(outcome, name, value)
    if not call.gradients:
        return
    total = sum((value * _weights(value)).sum() for value in outputs)
    for key in call.gradients:
        text = str(key)
        if text.startswith("parameter:"):
            leaf = dict(owner.named_parameters())[text.removeprefix("parameter:")]
        else:
            leaf = leaves[key]
        gradient = _gradient(total, leaf)
        _append(outcome, f"gradient of {text.removeprefix('parameter:')}", gradient)


def _gradient(total: Any, leaf: Any) -> Any:
    import torch

    if not (isinstance(total, torch.Tensor) and total.requires_grad):
        return torch.zeros_like(leaf)
    (gradient,) = torch.autograd.grad(total, leaf, retain_graph=True, allow_unused=True)
    return torch.zeros_like(leaf) if gradient is None else gradient


def _weights(value: Any) -> Any:
    import torch

    weights = np.cos(np.arange(value.numel()) + 1.0).reshape(tuple(value.shape))
    return torch.from_numpy(weights).to(value.dtype)


def _outputs(result: Any, names: Sequence[str]) -> list[Any]:
    if len(names) == 1:
        return [result]
    wanted = f"expected {len(names)} results ({', '.join(names)})"
    if result is None:
        raise WrongReturnError(f"{wanted}, got None; does the function end without return?")
    if not isinstance(result, tuple | list) or len(result) != len(names):
        size = f" of {len(result)}" if isinstance(result, tuple | list) else ""
        raise WrongReturnError(f"{wanted}, got {type(result).__name__}{size}")
    return list(result)


def _append(outcome: Outcome, name: str, value: Any) -> None:
    if isinstance(value, str):
        value, kind = value[:LONGEST_TEXT], "text"
    else:
        value, kind = _array(name, value)
    outcome.names.append(name)
    outcome.values.append(value)
    outcome.kinds.append(kind)


def _array(name: str, value: Any) -> tuple[np.ndarray, str]:
    if "torch" in sys.modules and isinstance(value, sys.modules["torch"].Tensor):
        value = value.detach().cpu().numpy()
    if value is None:
        raise WrongReturnError(f"{name} is None; does the function end without return?")
    try:
        array = np.array(value, subok=False)
    except ValueError:
        array = np.array(None)
    if array.dtype.kind not in "fiub":
        raise WrongReturnError(
            f"{name} must be an array of numbers, got {type(value).__name__} "
            f"of dtype {array.dtype}"
        )
    kind = str(array.dtype)
    return (array if kind == "bool" else array.astype(np.float64, copy=False)), kind


def _argument(
    value: Any, results: list[Any], tensors: bool, wanted: bool, watched: bool
) -> Any:
    if isinstance(value, Result):
        return results[value.of]
    if isinstance(value, dict):
        given = {key: (inner, results, tensors, False, watched) for key, inner in value.items()}
        return {key: _argument(*inner) for key, inner in given.items()}
    if not isinstance(value, np.ndarray):
        return value
    value = value if watched else value.copy(order="K")
    if not tensors:
        return value
    import torch

    leaf = torch.from_numpy(value)
    return leaf.requires_grad_() if wanted else leaf


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: _copy(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [_copy(inner) for inner in value]
    return value.detach().clone() if hasattr(value, "detach") else None


def _same(value: Any, copy: Any) -> bool:
    """Say whether an argument is what it was, byte by byte; numbers and texts cannot change."""
    if copy is None:
        return True
    if isinstance(copy, dict):
        return list(value) == list(copy) and all(_same(value[key], copy[key]) for key in copy)
    if isinstance(copy, list):
        return len(value) == len(copy) and all(map(_same, value, copy))
    if hasattr(value, "detach"):
        value, copy = value.detach().numpy(), copy.numpy()
    same = value.shape == copy.shape and value.dtype == copy.dtype
    return same and value.tobytes() == copy.tobytes()


def changed(before: Sequence[Call], after: Sequence[Call]) -> list[str]:
    """Return which arguments differ between calls and what has become of them."""
    pairs = [
        (dict(enumerate(one.args)) | one.kwargs, dict(enumerate(two.args)) | two.kwargs)
        for one, two in zip(before, after, strict=True)
    ]
    return [
        str(name)
        for one, two in pairs
        for name in one
        if not _same(two[name], _copy(one[name]))
    ]


def _load_parameters(owner: Any, parameters: dict[str, Any]) -> None:
    owner.load_state_dict(parameters)


def _parameter_names(owner: Any) -> str:
    return ", ".join(sorted(name for name, _ in owner.named_parameters()))


_SPECIAL: dict[str, Callable[..., Any]] = {
    "$load": _load_parameters,
    "$parameters": _parameter_names,
    "$get": getattr,
}


# What of the session an answer must leave as it is: its memory shows it to the grader. The rest
# is put back, and is no part of a grade.
GENERATORS = "NumPy's random generator", "torch's random generator"
# Held here, so that an answer that replaces them hides nothing.
_GET_STATE, _SET_STATE = np.random.get_state, np.random.set_state
_GET_ERR, _SET_ERR = np.geterr, np.seterr
# A state of the generators that no answer's own seed gives by chance.
_NUMPY_STATE = np.random.RandomState([1706, 3762]).get_state()
_TORCH_SEED = 17_063_762


def begin() -> dict[str, Any]:
    """Let the generators begin in a state of their own, the same each time, and return it.

    An answer that seeds one changes it, whatever the session was before.
    """
    torch, began = _torch(), {"NumPy's random generator": _NUMPY_STATE}
    _SET_STATE(_NUMPY_STATE)
    if torch is not None:
        torch.default_generator.manual_seed(_TORCH_SEED)
        began["torch's random generator"] = torch.get_rng_state()
    return began


def generators() -> Iterator[tuple[int, int]]:
    """Yield where the state of each generator that has begun lies in memory, and its length."""
    began, torch = begin(), _torch()
    key = began["NumPy's random generator"][1].tobytes()
    yield np.random.mtrand._rand._bit_generator.ctypes.state_address, len(key) + 4
    if torch is not None:
        import ctypes

        # The object holds its numbers in the order in which its state has them.
        words = began["torch's random generator"].numpy().view(np.uint64)[3:627].astype("<u4")
        place = torch.default_generator._cdata
        at = ctypes.string_at(place, 1 << 13).find(words.tobytes())
        if at >= 0:  # another torch may keep them elsewhere: then only the runner sees them
            yield place + at, words.nbytes


@contextmanager
def _own_session(outcome: Outcome, watched: bool) -> Iterator[None]:
    """Write down what the block changes in the session, and put it back, unless watched."""
    torch = _torch()
    kept = _session(torch)
    before = kept if watched else kept | begin()
    try:
        yield
    finally:
        after = _session(torch)
        outcome.state = [name for name in before if _mark(after[name]) != _mark(before[name])]
        if not watched:
            _SET_STATE(kept["NumPy's random generator"])
        _SET_ERR(**kept["NumPy's error settings"])
        if torch is not None:
            torch.set_grad_enabled(kept["torch's gradient mode"])
            torch.set_default_dtype(kept["torch's default dtype"])
            if not watched:
                torch.set_rng_state(kept["torch's random generator"])


def _torch() -> Any:
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "get_default_dtype") else None


def _session(torch: Any) -> dict[str, Any]:
    """Return what an answer should leave alone in the session it runs in."""
    found: dict[str, Any] = {
        "NumPy's random generator": _GET_STATE(),
        "NumPy's error settings": _GET_ERR(),
    }
    if torch is not None:
        found["torch's gradient mode"] = torch.is_grad_enabled()
        found["torch's default dtype"] = torch.get_default_dtype()
        found["torch's random generator"] = torch.get_rng_state()
    return found


def _mark(state: Any) -> Any:
    """Return a state as something that can be compared."""
    if isinstance(state, tuple):
        return tuple(map(_mark, state))
    if hasattr(state, "numpy"):
        state = state.numpy()
    return state.tobytes() if isinstance(state, np.ndarray) else state


def last_line(
    error: BaseException, defined: Mapping[str, Any] = {}, file: str = FILE_NAME
) -> int:
    """Return the last line of the answer that the error went through; 0 if it is unknown."""
    frames = traceback.extract_tb(error.__traceback__)
    files = {file}
    if all(frame.filename != file for frame in frames):
        files = {_file_of(value) for value in list(defined.values())}
    return ([frame.lineno or 0 for frame in frames if frame.filename in files] or [0])[-1]


def _file_of(value: Any) -> str:
    """Return the file in which a function, or a class's method, was written."""
    function = getattr(value, "__init__", value) if isinstance(value, type) else value
    return getattr(getattr(function, "__code__", None), "co_filename", FILE_NAME)


# ---- bytes ----------------------------------------------------------------------------------


# Where an array begins among the bytes of calls, it may be used as it lies there.
_ALIGNED = 64


def pack_calls(calls: Sequence[Call]) -> bytes:
    """Return calls as bytes: a length, a header in JSON, the arrays one after the other."""
    arrays: list[np.ndarray] = []
    lists: list[list[Any]] = []

    def value(x: Any) -> Any:
        if isinstance(x, list):
            known = [i for i, one in enumerate(lists) if one is x]
            lists.append(x)
            return {"again": known[0]} if known else {"list": [value(inner) for inner in x]}
        if isinstance(x, Blocks):
            return {"blocks": [value(x.pairs), value(x.factors)]}
        if isinstance(x, NextLogits):
            return {"logits": value(x.table)}
        if isinstance(x, np.ndarray):
            order = "F" if x.flags.f_contiguous and not x.flags.c_contiguous else "C"
            arrays.append(x)
            return {"array": [x.dtype.str, list(x.shape), order]}
        if isinstance(x, Result):
            return {"result": x.of}
        if isinstance(x, dict):
            return {"items": [[key, value(inner)] for key, inner in x.items()]}
        if isinstance(x, tuple):
            return {"tuple": [value(inner) for inner in x]}
        return {"plain": x}

    header = [
        {
            "target": call.target,
            "args": [value(x) for x in call.args],
            "kwargs": [[name, value(x)] for name, x in call.kwargs.items()],
            "on": call.on,
            "gradients": list(call.gradients),
            "returns": list(call.returns),
        }
        for call in calls
    ]
    text = json.dumps(header).encode()
    text += b" " * (-(4 + len(text)) % _ALIGNED)
    body = b"".join(x.tobytes(order="A") + b"\0" * (-x.nbytes % _ALIGNED) for x in arrays)
    return struct.pack("<I", len(text)) + text + body


def unpack_calls(data: Any, start: int = 0) -> list[Call]:
    """Return the calls that :func:`pack_calls` packed; their arrays are the bytes themselves.

    Args:
        data: the bytes, or memory that holds them.
        start: where they begin.
    """
    size = struct.unpack_from("<I", data, start)[0]
    at = start + 4 + size
    header = json.loads(data[start + 4 : at])
    lists: list[list[Any]] = []

    def value(x: dict[str, Any]) -> Any:
        nonlocal at
        kind, content = next(iter(x.items()))
        if kind == "array":
            dtype, shape, order = content
            array: np.ndarray = np.ndarray(shape, dtype, data, at, order=order)
            at += array.nbytes + -array.nbytes % _ALIGNED
            return array
        if kind == "result":
            return Result(content)
        if kind == "items":
            return {key: value(inner) for key, inner in content}
        if kind == "list":
            lists.append([])
            number = len(lists) - 1
            lists[number] += map(value, content)
            return lists[number]
        if kind == "again":
            lists.append(lists[content])
            return lists[content]
        if kind == "blocks":
            return Blocks(*map(value, content))
        if kind == "logits":
            return NextLogits(value(content))
        if kind == "tuple":
            return tuple(map(value, content))
        return content

    return [
        Call(
            entry["target"],
            tuple(value(x) for x in entry["args"]),
            {name: value(x) for name, x in entry["kwargs"]},
            entry["on"],
            tuple(entry["gradients"]),
            tuple(entry["returns"]),
        )
        for entry in header
    ]


def pack_outcome(outcome: Outcome, most: int) -> bytes:
    """Return an outcome as bytes: a length, a header of at most 4 KiB in JSON, the arrays.

    Args:
        outcome: of the calls.
        most: how many bytes the arrays may have together; if they have more, only their
            shapes are written.
    """
    arrays = [np.ascontiguousarray(x) for x in outcome.values if not isinstance(x, str)]
    fits = sum(x.nbytes for x in arrays) <= most
    header = {
        "values": [
            [name, kind, value if isinstance(value, str) else list(value.shape)]
            for name, kind, value in zip(
                outcome.names, outcome.kinds, outcome.values, strict=True
            )
        ],
        "body": fits,
        "changed": outcome.changed[:8],
        "state": outcome.state[:8],
        "error": outcome.error[:80],
        "message": outcome.message[:LONGEST_TEXT],
        "line": outcome.line,
        "skipped": [text[:LONGEST_TEXT] for text in outcome.skipped[:8]],
    }
    text = json.dumps(header).encode()
    return struct.pack("<I", len(text)) + text + b"".join(x.tobytes() for x in arrays if fits)
