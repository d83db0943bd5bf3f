"""The parts of a translator as one text: what a notebook runs, and what can be kept."""

import ast
import inspect
import linecache
import re
import sys
from collections.abc import Mapping
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

from attention_course._source import source_of
from attention_course.assembled.slots import LINES, TorchHeads
from attention_course.exercises.bank import targets

# In front of the course's names, so that a reader's own function may be called softmax.
PREFIX = "course_"
CONSTANTS = ("PAD", "START", "END", "ROOM", "LONGEST")
# Where a reader's part may have names from.
THERE = {"numpy", *sys.stdlib_module_names} - {"__main__", "builtins"}
_HEAD = '''"""A translator from English to French, from parts of {whose}.

It needs NumPy, and beside it {weights}:  python {file} "The girl sings."
"""

import re
import sys
from difflib import get_close_matches
from functools import partial
from pathlib import Path

import numpy as np
'''
_TAIL = r'''
def translate(sentence, width=1):
    """Return the French of an English sentence with words of the small world."""
    with np.load(Path(__file__).with_name("{weights}")) as arrays:
        p = {prefix}weights_from(arrays{settings})
        english, french = arrays["english"].tolist(), arrays["french"].tolist()
    text = re.sub("[’‘`´]", "'", sentence.lower()).replace("neighbor", "neighbour")
    text = re.sub(r"\b(do|does|did|is|are|was|were)n[' ]?t\b", r"\1 not", text)
    for short, long in {{"'s": " is", "'re": " are", "'ll": " will", "!": "."}}.items():
        text = text.replace(short, long)
    words = re.findall(r"[.?]|[^\W\d_]+(?:-[^\W\d_]+)*", text)
    if words and words[-1] not in (".", "?"):
        words.append("?" if words[0] in ("does", "do", "is", "are", "who") else ".")
    for word in words or [""]:
        if word not in english:
            near = ", ".join(get_close_matches(word, english[3:], 3, 0))
            raise SystemExit(f"Not translated: no word {{word!r}}. The nearest are: {{near}}.")
    source = [english.index(word) for word in words]
    return " ".join(french[n] for n in {prefix}translated(p, source, width) if n > 2)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit('How to call it:  python {file} "The girl sings."')
    print(translate(" ".join(sys.argv[1:])))
'''


@cache
def course_source(line: str) -> str:
    """Return all the course's parts of a line, named with the prefix."""
    slots, helpers, *_ = LINES[line]
    places = [*(slot.course for slot in slots.values()), *helpers]
    names = "|".join([*CONSTANTS, *(place.rpartition(".")[2] for place in places)])
    text = "\n\n\n".join(source_of(place, lines=None) for place in places)
    text = text.replace(".mT", ".swapaxes(-1, -2)")  # which NumPy has from 2 on
    return _renamed(text, names, rf"{PREFIX}\1") + "\n"


def _renamed(text: str, names: str, new: str) -> str:
    """Return code with other names; what stands in quotes, or after a dot, stays."""
    return re.sub(rf"(?<![\w.\"'])({names})\b(?![\"'])", new, text)


def aliases(line: str) -> dict[str, str]:
    """Return the names by which a reader's part may call another, with the file's for each.

    They are those that pages show, those of the exercises, and those of the slots.
    """
    _, helpers, *_ = LINES[line]
    found = {name: PREFIX + name for name in (one.rpartition(".")[2] for one in helpers)}
    for slot, place in reversed(LINES[line].slots.items()):
        asked = [targets()[place.exercise]] if place.exercise and not place.adapter else []
        found |= dict.fromkeys((*asked, slot), PREFIX + place.name)
    for place in LINES[line].slots.values():
        found[place.name] = PREFIX + place.name
    return found


def whole_file(line: str, mine: Mapping[str, Any], weights: str, file: str) -> str:
    """Return a file that runs with NumPy alone.

    Args:
        line: which translator it is.
        mine: the reader's parts, by the names of their slots.
        weights: name of the file with the weights.
        file: name of the file itself.

    Raises:
        ValueError: if a reader's part is written where it cannot be read, or needs more than
            NumPy and Python's own modules; of a part in torch the course's takes the place.
    """
    imports: dict[str, None] = {}
    pieces: dict[str, str] = {}
    bound, called = [], aliases(line)
    for name, part in mine.items():
        key = PREFIX + LINES[line].slots[name].name
        if isinstance(part, TorchHeads):
            bound.append(f"# {name}: the reader's needs torch; the course's part stands here.")
            continue
        own: dict[str, str] = {}
        part_name = _collected(name, part, own, imports, called)
        if any(re.search(rf"\b{key}\b", text) for text in own.values()):
            # There the course's part is meant: its name is about to be the reader's.
            imports[f"the_courses_{name} = {key}"] = None
            own = {one: _renamed(text, key, f"the_courses_{name}") for one, text in own.items()}
        for taken in [one for one, text in own.items() if pieces.get(one, text) != text]:
            new = f"{taken}_of_{name}"
            own = {
                new if one == taken else one: _renamed(text, taken, new)
                for one, text in own.items()
            }
            part_name = new if part_name == taken else part_name
        pieces |= own
        bound.append(f"{key} = {part_name}")
    # A reader's part is bound first: then a name for its slot means it.
    late = [text for one, text in pieces.items() if text.startswith(f"{one} = {PREFIX}")]
    bound += [text for text in late if text not in bound]
    pieces = {one: text for one, text in pieces.items() if text not in late}
    course = [name for name in LINES[line].slots if name not in mine]
    named = {"the course": course, "the reader": [*mine]}
    whose = " and ".join(f"{x} ({', '.join(names)})" for x, names in named.items() if names)
    parts = [_HEAD.format(whose=whose, weights=weights, file=file), course_source(line)]
    parts += ["\n\n".join(text for text in ("\n".join(imports), *pieces.values()) if text)]
    names = next(iter(LINES[line].models.values()))
    settings = "".join(f', arrays["{name}"].item()' for name in names)
    tail = _TAIL.format(prefix=PREFIX, weights=weights, settings=settings, file=file)
    parts += ["\n".join(bound), tail]
    return "\n\n".join(part for part in parts if part).rstrip() + "\n"


def _collected(
    slot: str,
    part: Any,
    pieces: dict[str, str],
    imports: dict[str, None],
    called: Mapping[str, str],
) -> str:
    """Put a function or class, and all that it uses, into ``pieces``; return its name."""
    node, text, space = _definition(slot, part)
    if node.name in pieces:
        return node.name
    pieces[node.name] = text
    local = {n.arg for n in ast.walk(node) if isinstance(n, ast.arg)}
    for used in sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name)}):
        # What begins with the prefix is in the file already.
        if used == node.name or used not in space or used.startswith(PREFIX):
            continue
        value = space[used]
        if used in called and value is space.get(called[used]):
            if used not in local:
                pieces[used] = f"{used} = {called[used]}"
            continue
        module = isinstance(value, ModuleType)
        home = value.__name__ if module else getattr(value, "__module__", None) or ""
        if home.partition(".")[0] in THERE:
            line = f"import {home}" if module else f"from {home} import {value.__name__}"
            imports[f"{line} as {used}"] = None
        elif isinstance(value, type | FunctionType):
            found = _collected(slot, value, pieces, imports, called)
            if found != used:
                pieces[used] = f"{used} = {found}"
        elif isinstance(value, int | float | str | None | tuple):
            pieces[used] = f"{used} = {value!r}"
        else:
            raise ValueError(
                f"source: {slot} must need NumPy, numbers and its own functions alone, "
                f"got {used}, of type {type(value).__name__}"
            )
    # What it uses stands above it, because a default value is needed when it is defined.
    pieces[node.name] = pieces.pop(node.name)
    return node.name


def _definition(
    slot: str, part: Any
) -> tuple[ast.FunctionDef | ast.ClassDef, str, dict[str, Any]]:
    """Return the top-level definition of a function or class, its text, and its module."""
    functions = [v for v in vars(part).values() if inspect.isfunction(v)] if (
        isinstance(part, type)) else [inspect.unwrap(part)]  # fmt: skip
    if functions and isinstance(functions[0], FunctionType):
        code = functions[0].__code__
        text = "".join(linecache.getlines(code.co_filename))
        for node in ast.parse(text).body if text else ():
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = min(x.lineno for x in (node, *node.decorator_list))
                inside = first <= code.co_firstlineno <= (node.end_lineno or 0)
                if inside and node.name == part.__name__:
                    lines = text.splitlines()[first - 1 : node.end_lineno]
                    return node, "\n".join(lines) + "\n", functions[0].__globals__
    raise ValueError(
        f"source: {slot} must be a function or class from a cell or a file, written with def "
        f"or class, got {part!r}"
    )


def namespace(line: str) -> dict[str, Any]:
    """Run the course's parts of a line and return their names."""
    file = f"<attention_course.assembled {line}>"
    text = "from functools import partial\nimport numpy as np\n" + course_source(line)
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {}
    exec(compile(text, file, "exec"), space)
    return space
