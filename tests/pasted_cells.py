"""Cells as people type and paste them: each an answer to *four steps*, with what comes along.

A notebook, the page and the grader read each of them: one table for all three.
"""

import re
from dataclasses import dataclass

from attention_course.exercises import exercise_named

FOUR = exercise_named("four-steps")
MARKED = f"{FOUR.marker}\nimport numpy as np\n\n\n{FOUR.solution}"
HEAD = "def four_steps(q, k, v):\n"
WRONG = f"{HEAD}    return k @ q, v\n"
STUB = f"{HEAD}    raise NotImplementedError\n"
assert HEAD in MARKED


@dataclass(frozen=True)
class Case:
    """A cell, and what is said of it.

    Args:
        source: the cell.
        right: whether the answer in it is right.
        says: what the page and, where it says so too, the grader say of the rest.
        notes: what the grader says instead; nothing if it is silent.
        stops: a notebook shows the error and never comes to the answer.
    """

    source: str
    right: bool = True
    says: str = ""
    notes: str | None = None
    stops: bool = False


def above(*lines: str) -> str:
    """Return the answer's cell with lines below its first one."""
    return MARKED.replace("\n", "\n" + "\n".join([*lines, ""]), 1)


def below(*lines: str) -> str:
    """Return the answer's cell with lines at its end."""
    return "\n".join([MARKED.rstrip(), "", "", *lines, ""])


def inside(line: str) -> str:
    """Return the answer's cell with a line at the beginning of its function."""
    end = re.search(rf'{re.escape(HEAD)}( +""".*?"""\n)?', MARKED, re.S).end()
    return f"{MARKED[:end]}    {line}\n{MARKED[end:]}"


def prompted(source: str, first: str = ">>> ", more: str = "... ") -> str:
    """Return a source as a console shows it."""
    starts = re.compile(r"(?m)^(?=\S)").sub(first, source)
    return re.sub(rf"(?m)^(?!{re.escape(first)}).*", lambda line: more + line[0], starts)


SESSION = prompted(MARKED.partition("\n")[2].replace("\n\n", "\n"))
LEFT_OUT, SPACES = "commands of the notebook were left out: ", "were read as plain ones (line"
CELLS = {
    "a magic above": Case(above("%matplotlib inline"), says=f"{LEFT_OUT}%matplotlib inline"),
    "a timed cell": Case(f"%%time\n{MARKED}", says=f"{LEFT_OUT}%%time (line 1)"),
    "an install": Case(above("%pip install einops"), says="%pip install einops (line 2)"),
    "a shell line": Case(below("!true \\", "  it’s"), says=f"{LEFT_OUT}!true"),
    "what a shell line gives": Case(below("files = !true"), says="files = !true"),
    "help": Case(below("np.exp?"), says="np.exp?"),
    "a magic inside": Case(inside("%pip list"), says="%pip list"),
    "a magic alone in a block": Case(below("if True:", "    %pip list"), says="%pip list"),
    "a timed constant": Case(
        above("%time ONE = 1.0").replace("k @ q", "ONE * k @ q"), says=f"{LEFT_OUT}%time"
    ),
    "display": Case(below("display(1)"), says="1\n", notes=""),
    "display inside": Case(inside("display(k.shape)"), notes=""),
    "a wait": Case(below("import asyncio", "await asyncio.sleep(0)"), notes=""),
    "an end": Case(below("quit()"), says="raised SystemExit"),
    "an error below": Case(below("1 / 0"), says="raised ZeroDivisionError: division by zero"),
    "an error above": Case(above("1 / 0"), says="line 2 raised ZeroDivision", stops=True),
    "a question": Case(below('name = input("name? ")'), says="raised EOFError: input() waits"),
    "a question inside": Case(
        inside("input()"), right=False, says="waits for typed text", notes=""
    ),
    "prompts": Case(f"{FOUR.marker}\n{SESSION}", says="prompts were left out (line 2"),
    "prompts and results": Case(
        f"{FOUR.marker}\n{SESSION}\n>>> four_steps\n<function four_steps at 0x7f>\n",
        says="taken for results",
        stops=True,
    ),
    "a notebook's prompts": Case(
        f"{FOUR.marker}\n{prompted(MARKED.partition(chr(10))[2], 'In [3]: ', '   ...: ')}",
        says="prompts were left out",
    ),
    "spaces of a web page": Case(MARKED.replace("    ", "\xa0" * 4), says=SPACES),
    "other odd spaces": Case(
        MARKED.replace(" = ", "\u2009=\u3000").replace("def", "\u200bdef"), says=SPACES
    ),
    "typographic quotes": Case(
        below("print(“it’s”, ‘done’)"), says="typographic quotes were read as plain ones (line"
    ),
    "typographic minus": Case(MARKED.replace(" - ", " \u2212 "), says="minus signs"),
    "a byte order mark": Case(f"\ufeff{MARKED}"),
    "Windows line ends": Case(MARKED.replace("\n", "\r\n")),
    "tabs": Case(MARKED.replace("    ", "\t")),
    "tabs and spaces mixed": Case(inside("x = 1").replace("    x", "\tx"), right=False),
    "all of it indented": Case(
        "    " + MARKED.replace("\n", "\n    "), says="the indentation of the whole cell"
    ),
    "an import of what is not there": Case(
        below("import no_torch"), says="the notebook has the rest", notes=""
    ),
    "the answer after a first draft": Case(MARKED.replace("def", f"{WRONG}\n\ndef", 1)),
    "a draft after the answer": Case(below(WRONG), right=False),
    "the stub after the answer": Case(below(STUB), right=False),
    "an open bracket": Case(below("print("), right=False),
    "another language": Case(f"%%bash\n{FOUR.marker}\nls -l | wc\n", right=False),
}
# An answer in two cells: the marked one, and another that is run before it or after it.
TWO = {
    "a helper above": (
        "import numpy as np\n\n\ndef soft(x):\n    e = np.exp(x - x.max())\n"
        "    return e / e.sum()\n",
        f"{FOUR.marker}\n{HEAD}    weights = soft(k @ q)\n    return weights, weights @ v\n",
    ),
    "a wrong one above": (WRONG, MARKED),
}
