"""The workbench of a page: a reader's parts, as texts, become a translator and run.

``site/static/workbench.js`` calls it, in the Python that the page loads. What it says is JSON.
"""

import base64
import json
import warnings
from collections.abc import Callable
from importlib import resources
from inspect import isfunction
from pathlib import Path
from typing import Any

from attention_course.assembled.answers import course_part, mistakes_of, part_from
from attention_course.assembled.slots import SLOTS
from attention_course.assembled.translator import AssembledTranslator, assemble
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.in_page import as_main
from attention_course.exercises.runner import error_line
from attention_course.exercises.stopping import EndlessError, stopped_after

LIMIT_S = 10.0
MODEL = "transformer-1-4"
_WEIGHTS = f"data/checkpoints/small_world/english-{MODEL}.safetensors"


def run_bench(bench: str, say: Callable[[str], Any]) -> bool:
    """Translate a sentence with a reader's parts and with the course's, and say what differs.

    Args:
        bench: JSON with the ``sentence``; for each of the reader's ``slots`` a ``text`` or the
            name of a ``mistake``; and ``weights``, a checkpoint in base64, where there is none.
        say: takes the JSON of what is found: the words of ``mine`` and of the ``course``'s;
            ``first``, the result that departs first; ``errors`` by slot; what was ``printed``;
            the slots whose parts ``ran``; the ``file`` of these parts or, where there is none,
            why they are ``unkept``. Of a sentence that cannot be read, ``sentence`` says why.
    """
    asked = json.loads(bench)
    _put_weights(asked.get("weights", ""))
    printed: list[str] = []
    errors: dict[str, str] = {}
    parts: dict[str, Any] = {}
    with as_main(printed.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for slot, given in asked["slots"].items():
            text = given.get("text") or mistakes_of(slot)[given["mistake"]]
            try:
                with stopped_after(LIMIT_S, LIMIT_S):
                    parts[slot] = part_from(slot, text)
            except BaseException as error:
                errors[slot] = _while_read(slot, error)
        try:
            found = _compared(asked["sentence"], parts, errors)
        except ValueError as error:
            found = {"sentence": str(error)}
    say(json.dumps(found | {"errors": errors, "printed": "".join(printed)[:20_000]}))
    return True


def _compared(sentence: str, parts: dict[str, Any], errors: dict[str, str]) -> dict[str, Any]:
    """Compare; a part that does not end is left out, and all begins again."""
    while True:
        translator = assemble(model=MODEL, on_error="course", **parts)
        for part in parts.values():
            _space_of(part).update(translator.names)
        try:
            with stopped_after(LIMIT_S, LIMIT_S):
                found = translator.compare(sentence)
                if "beam" in parts and not found.first:  # which the greedy loop never calls
                    found = translator.compare(sentence, width=3)
            break
        except EndlessError as error:
            where = getattr(error, "__notes__", [""])[0]
            slot = where.partition(" ")[0]
            if slot not in parts:
                raise
            errors[slot] = f"{where}: it still ran after {LIMIT_S:.0f} seconds"
            del parts[slot]
    for note in translator.notes:
        slot, _, _ = note.partition(" ")
        errors.setdefault(slot, note.rpartition(";")[0])
    mine, course = found.mine.split(), found.course.split()
    said = {"mine": mine, "course": course, "first": str(found.first or "")}
    return said | {"ran": [slot for slot in parts if slot not in errors]} | _kept(translator)


def _kept(translator: AssembledTranslator) -> dict[str, str]:
    """Return the parts as one file, or why they cannot be kept."""
    try:
        return {"file": translator.source()}
    except ValueError as error:
        return {"unkept": str(error)}


def _space_of(part: Any) -> dict[str, Any]:
    """Return the names that the code of a part sees."""
    functions = (
        [f for f in vars(part).values() if isfunction(f)] if isinstance(part, type) else []
    )
    space: dict[str, Any] = (functions or [part])[0].__globals__
    return space


def _while_read(slot: str, error: BaseException) -> str:
    """Say what went wrong before the part was there, and where."""
    if isinstance(error, EndlessError):
        return f"{slot}: it still ran after {LIMIT_S:.0f} seconds"
    at, line = error.__traceback__, 0
    while at:
        line = at.tb_lineno if at.tb_frame.f_code.co_filename.startswith("<your") else line
        at = at.tb_next
    line = getattr(error, "lineno", None) or line
    return str(error) if str(error).startswith(slot) else f"{slot}: {error_line(error, line)}"


def _put_weights(content: str) -> None:
    """Put the weights that a page brings where they are looked for."""
    path = Path(str(resources.files("attention_course"))) / _WEIGHTS
    if content and not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))


def about() -> dict[str, Any]:
    """Return what a page keeps, by its name there: the slots, and the weights in base64."""
    slots = {
        name: {
            "exercise": slot.exercise,
            "title": exercise_named(slot.exercise).title if slot.exercise else "",
            "mistakes": list(mistakes_of(name)),
            "course": course_part(name),
        }
        for name, slot in SLOTS.items()
    }
    weights = (resources.files("attention_course") / _WEIGHTS).read_bytes()
    return {"acSlots": slots, "acWeights": base64.b64encode(weights).decode()}
