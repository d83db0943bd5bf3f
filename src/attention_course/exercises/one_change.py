"""Writes one place of an answer otherwise: which places can be, and in whose order.

It stands alone, with Python's own modules and NumPy: the grader runs its text in the sandbox,
where a stranger's code may be taken apart. Nothing of an answer is run here.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import islice

import numpy as np

# So many changes are made, in the order that a seed gives; of so many places at most.
MOST, PLACES = 12, 60
# Characters of an answer, of which the bank's longest has a tenth; and of what is then shown.
LONGEST, SHOWN = 20_000, 600
_OTHER_AXIS = {-1: -2, -2: -1, 0: 1, 1: 0, 2: 1, -3: -2}
# For a comparison one that differs where both sides are equal, and the opposite.
_COMPARED = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
_LEFT_OUT = {
    ast.Div: "what it is divided by is left out",
    ast.Mult: "a factor is left out",
    ast.Add: "what is added is left out",
    ast.Sub: "what is subtracted is left out",
}
_SIGNS = {
    ast.Div: ("/", "*", "it is multiplied and not divided"),
    ast.Mult: ("*", "/", "it is divided and not multiplied"),
    ast.Add: ("+", "-", "it is subtracted and not added"),
    ast.Sub: ("-", "+", "it is added and not subtracted"),
}
_FUNCTIONS = {
    "max": "min",
    "amax": "amin",
    "maximum": "minimum",
    "sum": "mean",
    "exp": "exp2",
    "triu": "tril",
    "tril": "triu",
    "sin": "cos",
    "cos": "sin",
    "zeros": "ones",
    "ones": "zeros",
    "argmax": "argmin",
}
_WITHOUT = ("exp", "sqrt", "tanh", "log", "abs", "flip", "cumsum", "float", "relu", "round")
_LOOSE = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Lambda)
# In these nothing is changed: what is raised, texts whose places Python 3.11 confuses, and
# loops that might not end.
_PASSED_OVER = (ast.Raise, ast.Assert, ast.JoinedStr, ast.arguments, ast.While)
_UNSEEN = {"exec", "eval", "compile", "__import__"}


@dataclass(frozen=True)
class Change:
    """One place of an answer that is written otherwise.

    Args:
        what: the change in words.
        start: where the place begins, in bytes of the source.
        end: where it ends.
        text: what then is there.
        where: the function or class that it is in.
        line: in which of its lines.
    """

    what: str
    start: int
    end: int
    text: str
    where: str = ""
    line: int = 0

    def made(self, source: str) -> str:
        """Return a source with the change in it."""
        whole = source.encode()
        # Places are counted in bytes, as ast counts columns.
        return (whole[: self.start] + self.text.encode() + whole[self.end :]).decode()

    def shown(self, source: str) -> tuple[str, str]:
        """Return the lines that change, as they were, and what is there then."""
        changed = self.made(source)
        first, last = (source.encode()[:at].count(b"\n") for at in (self.start, self.end))
        more = changed.count("\n") - source.count("\n")
        before = "\n".join(source.split("\n")[first : last + 1])
        return before, "\n".join(changed.split("\n")[first : last + 1 + more])


def drawn(source: str, target: str, seed: str) -> list[Change]:
    """Return the first changes of a seed's order, in what an answer reaches from a name.

    A change has the same place in the order wherever its function stands: in a cell, or in
    what is taken along with it.

    Raises:
        ValueError: if nothing can be changed; says why.
    """
    if len(source) > LONGEST:
        raise ValueError(f"its code is longer than {LONGEST} characters")
    try:
        ordered: dict[bytes, Change] = {}
        for at, change in _reachable(source, target):
            start, end = change.start - at, change.end - at
            key = f"{seed}\0{change.where}\0{start}\0{end}\0{change.text}"
            ordered[hashlib.sha256(key.encode(errors="surrogatepass")).digest()] = change
        found = [ordered[digest] for digest in sorted(ordered)[:PLACES]]
        return list(islice(_kept(source, found), MOST))
    except (SyntaxError, UnicodeError, RecursionError, MemoryError) as error:
        raise ValueError("its code is nested too deeply, or is no Python") from error


def every(source: str, target: str) -> list[Change]:
    """Return all changes, in their order, of code that its reader trusts."""
    found = (change for _, change in _reachable(source, target))
    return list(_kept(source, sorted(found, key=lambda change: (change.start, change.end))))


def _reachable(source: str, target: str) -> Iterator[tuple[int, Change]]:
    """Yield each change in what is reached from a name, and where its block begins."""
    place = _Places(source)
    for name, block in _reached(ast.parse(source), target).items():
        if isinstance(block, ast.Assign | ast.AnnAssign) and not _has_code(block):
            continue  # a constant
        at = place.lines[_first_line(block) - 1]
        for change in _in_block(block, place):
            line = source.encode()[at : change.start].count(b"\n") + 1
            yield at, replace(change, where=name, line=line)


def drawn_as_bytes(source: str, target: str, seed: str) -> np.ndarray:
    """Return the same as the bytes of its JSON: what comes out of a sandbox."""
    text = json.dumps([asdict(one) for one in drawn(source, target, seed)])
    return np.frombuffer(text.encode(), np.uint8)


def _reached(tree: ast.Module, target: str) -> dict[str, ast.stmt]:
    """Return what a name needs of a module's functions, classes and assignments.

    Raises:
        ValueError: if some of it runs code that cannot be seen.
    """
    given: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            given[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            given |= {one.id: node for one in targets if isinstance(one, ast.Name)}
    found: dict[str, ast.stmt] = {}
    waiting = [target]
    while waiting:
        name = waiting.pop()
        if name in given and name not in found:
            found[name] = given[name]
            names = {x.id for x in ast.walk(given[name]) if isinstance(x, ast.Name)}
            if names & _UNSEEN:
                raise ValueError(f"{min(names & _UNSEEN)} runs code that cannot be seen")
            waiting += sorted(names)
    return found


def _kept(source: str, found: Iterable[Change]) -> Iterator[Change]:
    """Yield changes that leave Python, and not what was; without idle brackets."""
    was, seen = _tree(source), set[str]()
    for change in found:
        if len(change.text) > SHOWN or max(map(len, change.shown(source))) > SHOWN:
            continue
        came = _tree(change.made(source))
        if came in ("", was) or came in seen:
            continue
        seen.add(came)
        bare = replace(change, text=change.text[1:-1])
        idle = change.text.startswith("(") and _tree(bare.made(source)) == came
        yield bare if idle else change


def _tree(source: str) -> str:
    """Return what Python reads, and nothing if it cannot."""
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError):
        return ""


def _has_code(block: ast.stmt) -> bool:
    return any(isinstance(one, ast.Lambda) for one in ast.walk(block))


def _first_line(node: ast.stmt) -> int:
    return min(one.lineno for one in (node, *getattr(node, "decorator_list", ())))


class _Places:
    """Where the expressions of a source are in its bytes."""

    def __init__(self, source: str):
        self.whole = source.encode()
        self.lines = [0]
        for line in self.whole.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)

    def of(self, node: ast.expr) -> tuple[int, int]:
        """Return where one begins and ends."""
        start = self.lines[node.lineno - 1] + node.col_offset
        return start, self.lines[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def text(self, node: ast.expr) -> str:
        """Return what is there, in brackets where it could fall apart."""
        start, end = self.of(node)
        text = self.whole[start : min(end, start + 2 * SHOWN)].decode(errors="ignore")
        return f"({text})" if isinstance(node, _LOOSE) else text

    def swapped(self, what: str, first: ast.expr, second: ast.expr) -> Change:
        """Return the change in which two expressions change places."""
        (start, middle), (end, last) = self.of(first), self.of(second)
        between = self.whole[middle : min(end, middle + SHOWN)].decode(errors="ignore")
        return Change(what, start, last, self.text(second) + between + self.text(first))

    def between(
        self, what: str, first: ast.expr, second: ast.expr, sign: str, new: str
    ) -> Iterator[Change]:
        """Yield the change of a sign between two expressions."""
        start, end = self.of(first)[1], self.of(second)[0]
        text = self.whole[start : min(end, start + SHOWN)].decode(errors="ignore")
        if text.strip(" ()") == sign:
            yield Change(what, start, end, text.replace(sign, new))


def _in_block(block: ast.stmt, place: _Places) -> Iterator[Change]:
    """Yield the changes in a function, a class or an assignment."""
    waiting: list[ast.AST] = [block]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, _PASSED_OVER):
            yield from _of_node(node, place)
            waiting += ast.iter_child_nodes(node)


def _of_node(node: ast.AST, place: _Places) -> Iterator[Change]:
    """Yield the changes at one node of the tree."""
    match node:
        case ast.BinOp():
            yield from _of_operation(node, place)
        case ast.AugAssign(target, operator, value) if type(operator) in _SIGNS:
            sign = f"{_SIGNS[type(operator)][0]}="
            yield from place.between("what was there is left out", target, value, sign, "=")
        case ast.Compare(left, [_], [right]):
            sign = place.whole[place.of(left)[1] : place.of(right)[0]].decode().strip(" ()")
            for other in _COMPARED.get(sign, ()):
                yield from place.between("the comparison is another", left, right, sign, other)
        case ast.BoolOp(operator, [left, right]):
            sign, other = ("and", "or") if isinstance(operator, ast.And) else ("or", "and")
            yield from place.between(f"{sign} is {other}", left, right, sign, other)
        case ast.UnaryOp(ast.Invert() | ast.Not(), operand):
            yield Change("what is negated is not", *place.of(node), place.text(operand))
        case ast.UnaryOp(ast.USub(), operand) if not _is_whole(operand):
            yield Change("the minus sign is left out", *place.of(node), place.text(operand))
        case ast.Attribute(value, "T" | "mT"):
            yield Change("a transpose is left out", *place.of(node), place.text(value))
        case ast.IfExp(test) | ast.If(test):
            other = f"(not {place.text(test)})"
            yield Change("the condition is the opposite", *place.of(test), other)
        case ast.Slice(lower, upper, None):
            for bound, which in ((lower, "begins"), (upper, "ends")):
                if bound:
                    yield Change(f"where the slice {which} is left out", *place.of(bound), "")
        case ast.Constant(int(number)) if not isinstance(number, bool):
            yield Change(f"{number} is {number + 1}", *place.of(node), str(number + 1))
        case ast.Return(ast.Tuple([first, second])):
            yield place.swapped("the two results change places", first, second)
        case ast.Call():
            yield from _of_call(node, place)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)


def _of_operation(node: ast.BinOp, place: _Places) -> Iterator[Change]:
    """Yield what becomes of two operands and a sign."""
    if isinstance(node.op, ast.MatMult):
        yield place.swapped("two matrices change places", node.left, node.right)
    elif type(node.op) in _LEFT_OUT:
        largest = isinstance(node.op, ast.Sub) and "max" in place.text(node.right)
        what = "the largest is not subtracted" if largest else _LEFT_OUT[type(node.op)]
        yield Change(what, *place.of(node), place.text(node.left))
        sign, other, said = _SIGNS[type(node.op)]
        yield from place.between(said, node.left, node.right, sign, other)


def _of_call(node: ast.Call, place: _Places) -> Iterator[Change]:
    """Yield what becomes of a call: its axes, its arguments, or all of it left out."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    for keyword in node.keywords:
        yield from _of_keyword(keyword, place)
    if name in _FUNCTIONS:
        end = place.of(node.func)[1]
        other = _FUNCTIONS[name]
        yield Change(f"{name} is {other}", end - len(name), end, other)
    if any(isinstance(one, ast.Starred) for one in node.args):
        return
    if name in _WITHOUT and len(node.args) == 1:
        yield Change(f"{name} is left out", *place.of(node), place.text(node.args[0]))
    elif name == "swapaxes":
        array = node.args[0] if len(node.args) == 3 else node.func
        array = (
            array.value if isinstance(array, ast.Attribute) and array is node.func else array
        )
        yield Change("two axes are not swapped", *place.of(node), place.text(array))
    elif name == "where" and len(node.args) == 3:
        yield place.swapped("the two cases change places", *node.args[1:])
    elif len(node.args) == 2:
        yield place.swapped("two arguments change places", *node.args)


def _of_keyword(keyword: ast.keyword, place: _Places) -> Iterator[Change]:
    """Yield another axis, or one that is not kept."""
    match keyword.value:
        case ast.Constant(value) | ast.UnaryOp(ast.USub(), ast.Constant(value)):
            negative = isinstance(keyword.value, ast.UnaryOp)
            if keyword.arg == "keepdims" and value is True:
                yield Change("the axis is not kept", *place.of(keyword.value), "False")
            elif keyword.arg == "axis" and type(value) is int:
                other = _OTHER_AXIS.get(-value if negative else value, 0)
                yield Change("it goes along another axis", *place.of(keyword.value), str(other))
