"""What a widget's script says of a state: Node runs ``describe.js`` of the widget's folder.

A stored notebook has each widget's fallback in it, so Node is needed where notebooks are stored
or compared (``STORES`` is set there), and nowhere else: not in a reader's kernel.
"""

import atexit
import json
import subprocess
from collections.abc import Mapping
from functools import cache
from io import TextIOWrapper
from typing import Any, cast

from attention_course.widgets.kit.compose import WIDGETS

STORES = "ATTENTION_COURSE_STORES"


def describe(folder: str, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the script in a widget's folder says of a state.

    Args:
        folder: of the widget.
        state: its traits by name, ``limits`` included.

    Returns:
        ``readouts``: the numbers that it shows, by name; ``sentence``; and, where it has a
        table for readers without scripts, ``head``, ``rows`` and ``caption``.

    Raises:
        RuntimeError: if there is no Node.
        ValueError: if the script fails.
    """
    asks, answers = _node()
    asks.write(json.dumps({"folder": folder, "state": state}) + "\n")
    asks.flush()
    said: dict[str, Any] = json.loads(answers.readline())
    if "error" in said:
        script = f"{folder}/describe.js"
        raise ValueError(f"describe: {script} must take the state, got {said['error']}")
    # JSON holds what is not finite as a word.
    return said | {"readouts": {name: float(x) for name, x in said["readouts"].items()}}


@cache
def _node() -> tuple[TextIOWrapper, TextIOWrapper]:
    """Start Node once for all widgets of a process; return what it reads, and what it writes.

    It ends when its input does.
    """
    command, pipe = ["node", str(WIDGETS / "kit" / "described.mjs")], subprocess.PIPE
    try:
        node = subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8")
    except FileNotFoundError:
        raise RuntimeError(
            "describe: Node must be on the path, because a widget's script says what a "
            "notebook stores of it, got no node"
        ) from None
    atexit.register(node.communicate)
    return cast(TextIOWrapper, node.stdin), cast(TextIOWrapper, node.stdout)
