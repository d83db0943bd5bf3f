"""Parses a stranger's code in a child process first, which has little memory and time.

Python's own parser can be made to take minutes and gigabytes: a dotted name of 50,000
characters is enough. Where the child gives up, the grader's process does not begin.
"""

import ast
import marshal
import signal
import subprocess
import sys
import warnings
from collections.abc import Sequence

MOST_MEMORY, MOST_CPU_S = 512 << 20, 4
# Says of each source, in one digit, whether it is Python. A tree is made, as it is here later.
_CHILD = f"""
import marshal, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_AS, ({MOST_MEMORY}, {MOST_MEMORY}))
resource.setrlimit(resource.RLIMIT_CPU, ({MOST_CPU_S}, {MOST_CPU_S + 1}))
for source in marshal.load(sys.stdin.buffer):
    try:
        compile(source, "<cell>", "exec", 0x400, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        sys.stdout.write("0")
    else:
        sys.stdout.write("1")
"""


class UnparsableError(ValueError):
    """Some code asks for more than a parser may take."""


def are_python(sources: Sequence[str]) -> list[bool]:
    """Say of each source whether Python can parse it; none of them is trusted.

    Raises:
        UnparsableError: if parsing them takes more memory or time than any honest code.
        OSError: if the child was killed from outside; nothing is known about the code.

    >>> are_python(["x = 1", "x = ("])
    [True, False]
    """
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _CHILD],
        input=marshal.dumps([source.removeprefix("\ufeff") for source in sources]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode == -signal.SIGKILL:
        raise OSError("the process that parses was killed, by none of its own limits")
    if done.returncode or len(done.stdout) != len(sources):
        raise UnparsableError(
            f"its code takes more than {MOST_MEMORY >> 20} MiB or {MOST_CPU_S} s to be parsed"
        )
    return [letter == ord("1") for letter in done.stdout]


def tree_of(source: str) -> ast.Module:
    """Parse code here, after the child has, without a word about its style.

    Raises:
        SyntaxError: if it is no Python.
        ValueError: if it holds a character that no code may hold, or is nested too deeply.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source.removeprefix("\ufeff"))
        except (RecursionError, MemoryError) as error:
            raise UnparsableError("its code is nested too deeply") from error
