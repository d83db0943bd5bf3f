"""Reads a cell as IPython does, and what a paste brings along: notebook, page and grader alike.

A cell may hold what Python does not know: commands (``%``, ``!``, ``?``), prompts, spaces and
quotes of a word processor. Its text is gone through once and nothing in it is run; each line
keeps its number. Only what Python cannot parse as it stands is read differently.
"""

import ast
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

SPACES = "\xa0\u1680\u2000-\u200a\u202f\u205f\u3000"
IDLE = "\xad\u200b-\u200d\u2060\ufeff"
SINGLE, DOUBLE = "\u2018\u2019\u201a\u201b", "\u201c\u201d\u201e\u201f"
_ODD = re.compile(f"[{SPACES}{IDLE}{SINGLE}{DOUBLE}\u2013\u2212]")
_BLANK = f"[ \t{SPACES}{IDLE}]*+"
_TOKEN = re.compile(
    r"(?P<comment>\#[^\n]*)"
    r'|(?P<text>"""(?:[^\\]|\\.)*?(?:"""|\Z)|' + r"'''(?:[^\\]|\\.)*?(?:'''|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"?|' + r"'(?:[^'\\\n]|\\.)*'?)"
    rf'|(?P<triple>[{DOUBLE}]{{3}}.*?[{DOUBLE}"]{{3}})'
    rf'|(?P<double>[{DOUBLE}][^{DOUBLE}"\n]*[{DOUBLE}"])'
    rf"|(?P<single>[{SINGLE}][^{SINGLE}'\n]*[{SINGLE}'])"
    rf"|(?P<spaces>[{SPACES}{IDLE}]+)"
    r"|(?P<minus>[\u2013\u2212])"
    r"|(?P<opened>[(\[{])|(?P<closed>[)\]}])|(?P<end>\n)|\\\n"
    rf"|[^\#\"'()\[\]{{}}\n\\{SPACES}{IDLE}{SINGLE}{DOUBLE}\u2013\u2212]+|.",
    re.DOTALL,
)
# A line that begins with one of a notebook's signs, ends with a question mark, or assigns what
# a command gives; it may go on behind a backslash.
_COMMAND = re.compile(
    rf"(?P<indent>{_BLANK})(?:%time[ \t]++(?P<timed>[^-\n][^\n]*+)"
    r"|(?P<command>[%!?,;/](?:[^\\\n]|\\.)*+"
    r"|[^\n#'\"?]*+\?\??[ \t]*+(?=\n|\Z)"
    r"|[\w., *\t\[\]]++=[ \t]*+[%!](?:[^\\\n]|\\.)*+))",
    re.DOTALL,
)
_PROMPT = rf"{_BLANK}(?:>>>|In \[\d*\]:)"
_PROMPTED = re.compile(rf"{_PROMPT}[^\n]*(?:\n{_BLANK}(?:>>>|\.\.\.)[^\n]*)*")
_EACH_PROMPT = re.compile(rf"^{_BLANK}(?:>>>|\.{{3,}}:?|In \[\d*\]:)[ \t{SPACES}]?", re.M)
_RESULTS = re.compile(rf"(?:\n(?!{_PROMPT})[ \t]*+\S[^\n]*+)+")
# What is said of what was read differently; commands are named one by one.
_SAID = {
    "spaces": "spaces that Python does not know were read as plain ones",
    "quotes": "typographic quotes were read as plain ones",
    "minus": "typographic minus signs were read as -",
    "prompts": "prompts were left out",
    "results": "what stands below prompts was taken for results and left out",
}


@dataclass(frozen=True)
class Reading:
    """A way to read a cell.

    Args:
        source: its lines as Python.
        said: what was read differently, a clause each; none if all stands as it was typed.
    """

    source: str
    said: tuple[str, ...] = ()


@dataclass
class _Noted:
    """In which lines what was read differently."""

    lines: dict[str, list[int]] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)

    def __call__(self, what: str, line: int) -> None:
        found = self.lines.setdefault(what, [])
        if line not in found[-1:]:
            found.append(line)

    def said(self) -> Iterator[str]:
        """Yield the clauses."""
        if self.commands:
            few = ", ".join(self.commands[:3]) + ", …" * (len(self.commands) > 3)
            yield f"commands of the notebook were left out: {few}"
        for what, found in self.lines.items():
            few = ", ".join(map(str, found[:3])) + ", …" * (len(found) > 3)
            yield f"{_SAID[what]} (line{'s' * (len(found) > 1)} {few})"


def readings(source: str) -> list[Reading]:
    r"""Return the ways to read a cell, the plainest first; of these the first that is Python.

    >>> [one.source for one in readings("%pip install x\ny = 1")]
    ['%pip install x\ny = 1', '# %pip install x\ny = 1']
    """
    source = source.removeprefix("\ufeff")
    found = [Reading(source)]
    for results in (False, True):
        one = _read(source, results)
        if one.source not in [each.source for each in found]:
            found.append(one)
    return found


def chosen(ways: Sequence[Reading], is_python: Callable[[str], bool]) -> Reading:
    """Return the first way that is Python; if none is, the one that changes least in words."""
    found = (one for one in ways if is_python(one.source))
    return next(found, ways[min(1, len(ways) - 1)])


def read(source: str) -> Reading:
    """Return a cell as Python, read by whoever wrote it; nothing of it is run."""
    return chosen(readings(source), _is_python)


def _is_python(source: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def in_notebook() -> None:
    """Let a notebook read its cells so too, before IPython sees to commands and prompts."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    transforms = getattr(shell, "input_transformers_cleanup", None)
    if transforms is not None and _typed not in transforms:
        transforms.insert(0, _typed)


def _typed(lines: list[str]) -> list[str]:
    """Return a cell's lines with plain spaces, quotes and signs; commands are IPython's."""
    source = "".join(lines).removeprefix("\ufeff")
    if _ODD.search(source) and not source.lstrip().startswith("%%") and not _is_python(source):
        reading = _read(source, results=False, commands=True)
        for one in reading.said:
            print(f"Read differently: {one}.")
        source = reading.source
    return source.splitlines(keepends=True)


def _read(source: str, results: bool, commands: bool = False) -> Reading:
    """Read a cell from its beginning to its end.

    Args:
        source: the cell.
        results: leave out what stands directly below prompts and has none.
        commands: keep the notebook's commands as they stand.
    """
    text = re.sub("\r\n?", "\n", source)
    out, noted = list[str](), _Noted()
    at, line, depth, before = 0, 1, 0, ""
    starts = True
    while at < len(text):
        if starts and (found := _PROMPTED.match(text, at)):
            noted("prompts", line)
            kept = _EACH_PROMPT.sub("", found[0])
            below = _RESULTS.match(text, found.end()) if results else None
            end = below.end() if below else found.end()
            if below:
                noted("results", line + found[0].count("\n") + 1)
                kept += below[0].replace("\n", "\n# ")
            text, at = kept + text[end:], 0
        if starts and (found := _COMMAND.match(text, at)):
            out.append(_command(found, noted, line, before) if not commands else found[0])
            kind = ""
        else:
            found = _TOKEN.match(text, at)
            assert found is not None  # it takes any character
            kind = found.lastgroup or ""
            out.append(_plain(found, kind, noted, line))
        depth = max(0, depth + (kind == "opened") - (kind == "closed"))
        starts = kind == "end" and not depth
        if kind not in ("end", "comment", "spaces") and found[0].strip():
            before = found[0].rstrip()[-1]
        line += found[0].count("\n")
        at = found.end()
    return Reading(*_without_margin("".join(out), tuple(noted.said())))


def _command(found: re.Match[str], noted: _Noted, line: int, before: str) -> str:
    """Return what stands for a command: a comment; in a block of its own, with a statement."""
    indent = re.sub(_BLANK, lambda blank: _spaces(blank[0]), found["indent"])
    if found["timed"]:
        noted.commands.append(f"%time (line {line})")
        return indent + found["timed"]
    text = found["command"]
    short = text.partition("\n")[0].strip()
    noted.commands.append(f"{short[:40]}{'…' * (len(short) > 40)} (line {line})")
    comment = "# " + text.replace("\n", "\n# ")
    return f"{indent}pass  {comment}" if before == ":" else comment


def _plain(found: re.Match[str], kind: str, noted: _Noted, line: int) -> str:
    """Return a piece of code with the characters that Python knows."""
    piece = found[0]
    if kind == "spaces":
        noted("spaces", line)
        return _spaces(piece)
    if kind == "minus":
        noted("minus", line)
        return "-"
    if kind in ("single", "double", "triple"):
        noted("quotes", line)
        mark, width = "'" if kind == "single" else '"', 3 if kind == "triple" else 1
        return mark * width + piece[width:-width] + mark * width
    return piece


def _spaces(text: str) -> str:
    return re.sub(f"[{SPACES}]", " ", re.sub(f"[{IDLE}]", "", text))


def _without_margin(source: str, said: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Leave out the indentation that all lines share, comments aside."""
    lines = source.splitlines(keepends=True)
    code = [x for x in lines if x.strip() and not x.lstrip().startswith("#")]
    margin = code[0][: -len(code[0].lstrip())] if code else ""
    if not margin or not all(line.startswith(margin) for line in code):
        return source, said
    bare = "".join(line.removeprefix(margin) for line in lines)
    return bare, (*said, "the indentation of the whole cell was left out")
