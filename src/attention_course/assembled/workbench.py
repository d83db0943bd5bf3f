"""The workbench of a page: a reader's parts, as texts, become a translator and run.

``site/static/workbench.js`` calls it, in the Python that the page loads. What it says is JSON.
"""

import base64
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from attention_course.assembled.answers import course_part, mistakes_of, part_from, stub_of
from attention_course.assembled.one_file import PREFIX, aliases
from attention_course.assembled.slots import LINES, line_of
from attention_course.assembled.translator import (
    MODEL,
    Comparison,
    assemble,
    file_of,
    listed,
    why_unused,
)
from attention_course.data.world import vocabulary
from attention_course.exercises.bank import exercise_named
from attention_course.exercises.in_page import as_main
from attention_course.exercises.runner import error_line
from attention_course.exercises.stopping import EndlessError, stopped_after

LIMIT_S = 10.0
_SLOW = "It is slow, or this call does not end; a shorter sentence may do: “The cat runs”"


def run_bench(bench: str, say: Callable[[str], Any]) -> bool:
    """Translate a sentence with a reader's parts and with the course's, and say what differs.

    Args:
        bench: JSON with the ``model`` and the ``sentence``; for each of the reader's ``slots``
            a ``text`` or the name of a ``mistake``; and ``weights``, a checkpoint in base64,
            where there is none.
        say: takes the JSON of what is found: the words of ``mine`` and of the ``course``'s;
            ``first``, the result that departs first, ``by`` greedy or beam, and the ``verdict``
            on both; ``errors`` by slot, and which may be only ``slow``; the slots whose parts
            ``ran``, which of them are ``yours``, and which are ``unused``, with the reason; the
            ``file`` of these parts, and what there is to say of the ``whole``; what was
            ``printed``. Of a sentence that cannot be read, ``sentence`` says why.
    """
    asked = json.loads(bench)
    model = asked.get("model", MODEL)
    _put_weights(model, asked.get("weights", ""))
    printed: list[str] = []
    errors: dict[str, str] = {}
    parts: dict[str, Any] = {}
    spaces: dict[str, dict[str, Any]] = {}
    with as_main(printed.append), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for slot, given in asked["slots"].items():
            spaces[slot] = {}
            try:
                with stopped_after(LIMIT_S, LIMIT_S):
                    parts[slot] = part_from(slot, _text_of(slot, given), spaces[slot])
            except BaseException as error:
                errors[slot] = _wrong(slot, error)
        try:
            found, by, good = _compared(model, asked["sentence"], parts, spaces, errors)
            texts = {slot: one["text"] for slot, one in asked["slots"].items() if "text" in one}
            told = _told(model, found, by, good, errors, texts)
        except ValueError as error:
            why = str(error).removeprefix("read_sentence: ").replace("english", "English")
            told = {"sentence": why}
    say(json.dumps(told | {"errors": errors, "printed": "".join(printed)[:20_000]}))
    return True


def _text_of(slot: str, given: dict[str, str]) -> str:
    """Return the text of a part, or of the mistake that stands for it."""
    if "mistake" not in given:
        return given["text"]
    name, texts = given["mistake"], mistakes_of(slot)
    if name not in texts:  # a browser may have kept it from another edition
        raise ValueError(f"{slot}: mistake must be among {', '.join(texts)}, got {name}")
    return texts[name]


def _compared(
    model: str,
    sentence: str,
    parts: dict[str, Any],
    spaces: dict[str, dict[str, Any]],
    errors: dict[str, str],
) -> tuple[Comparison, str, dict[str, Any]]:
    """Compare; a part that ends the run, or never ends, is left out, and all begins again.

    Returns:
        The comparison, by which loop, and the parts that did not fail.
    """
    own = {slot: {*space} for slot, space in spaces.items()}
    while True:
        translator = assemble(model=model, on_error="course", **parts)
        names = {
            name: translator.names[key] for name, key in aliases(line_of(model)).items()
        } | translator.names
        for slot, space in spaces.items():
            # In its own slot a part's name is the course's part: it would call itself for ever.
            guarded = translator.names[PREFIX + translator.slots[slot].name]
            space |= {
                name: guarded.args[-1] if one is guarded else one
                for name, one in names.items()
                if name not in own[slot]
            }
        try:
            with stopped_after(LIMIT_S, LIMIT_S):
                found, by = translator.compare(sentence), "greedy"
                if "beam" in parts:  # which the greedy loop never calls
                    beamed = translator.compare(sentence, width=3)
                    if not found.first:
                        found, by = beamed._replace(unused=found.unused), "beam"
            break
        except BaseException as error:
            where = getattr(error, "__notes__", [""])[0]
            slot = where.partition(" ")[0]
            if slot not in parts:
                raise
            errors[slot] = _wrong(where, error)
            del parts[slot]
    for note in translator.notes:
        slot, _, _ = note.partition(" ")
        errors.setdefault(slot, note.rpartition(";")[0])
    return found, by, {slot: part for slot, part in parts.items() if slot not in errors}


def _told(
    model: str,
    found: Comparison,
    by: str,
    good: dict[str, Any],
    errors: dict[str, str],
    texts: dict[str, str],
) -> dict[str, Any]:
    """Return what the page hears of a comparison."""
    unused = {slot: why_unused(by) for slot, by in found.unused.items() if slot in good}
    ran = [slot for slot in good if slot not in unused]
    taken: dict[tuple[str, ...], list[str]] = {}
    for slot in unused:
        taken.setdefault(found.unused[slot], []).append(slot)
    said = {
        "mine": found.mine.split(),
        "course": found.course.split(),
        "by": by,
        "first": str(found.first or ""),
        "verdict": _verdict(found, bool(errors), taken),
        "ran": ran,
        "yours": [slot for slot in ran if slot in texts],
        "unused": unused,
        "slow": [slot for slot, wrong in errors.items() if _SLOW in wrong],
    }
    whole = []
    right = not (errors or found.first or found.word)
    if right and {*LINES[line_of(model)].slots} <= {*good} & {*texts}:
        which = f"All {len(ran)} parts that ran" if unused else "All slots"
        whole.append(f"{which} are yours: this is your {line_of(model)}.")
    try:
        file = assemble(model=model, **good).source()
        held = json.dumps({slot: text for slot, text in texts.items() if slot in good})
        said["file"] = f"{file}\n\n# The workbench loads this line again.\n# slots: {held}\n"
        if errors and said["yours"]:
            whole.append(f"In the file the course’s part stands in for {', '.join(errors)}.")
    except ValueError as error:
        said["unkept"] = str(error)
        whole.append(f"It cannot be kept as one file: {error}.")
    return said | {"whole": " ".join(whole)}


def _verdict(
    found: Comparison, failed: bool, taken: Mapping[tuple[str, ...], Sequence[str]]
) -> str:
    """Say whether words and results are the course's; praise nothing where a part failed.

    Of parts that are not called it says which of the reader's have ``taken`` them over.
    """
    said = [found.note] if found.note else []
    if found.word:
        at, mine, course = (one or "nothing" for one in found.word)
        said.append(f"Word {at} differs: “{mine}” where the course’s is “{course}”.")
    elif not failed:
        said.append("The same words.")
    if found.first:
        said.append(f"What departs first: {found.first}.")
    elif not failed:
        said.append("No result departs.")
    for callers, slots in taken.items():
        who = f"Your {listed(callers)} {'take' if len(callers) > 1 else 'takes'} over"
        said.append(f"{who if callers else 'Not called:'} {listed(slots)}.")
    return " ".join(said)


def _wrong(where: str, error: BaseException) -> str:
    """Say where and at which line of a part an error came; ``where`` begins with its slot."""
    if isinstance(error, EndlessError):
        calls = [*getattr(error, "__notes__", []), "0", "0"][1]
        said = f"{where}: it still ran after {LIMIT_S:.0f} seconds"
        return said if calls == "0" else f"{said} (calls before: {calls}). {_SLOW}"
    at, line = error.__traceback__, 0
    while at:
        line = at.tb_lineno if at.tb_frame.f_code.co_filename.startswith("<your") else line
        at = at.tb_next
    line = getattr(error, "lineno", None) or line
    return str(error) if str(error).startswith(where) else f"{where}: {error_line(error, line)}"


def _weights_of(model: str) -> Path:
    """Return where a model's weights are looked for."""
    folder = Path(str(resources.files("attention_course"))) / "data/checkpoints/small_world"
    return folder / f"english-{model}.safetensors"


def _put_weights(model: str, content: str) -> None:
    """Put the weights that a page brings where they are looked for."""
    path = _weights_of(model)
    if content and not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(content))


def about() -> dict[str, Any]:
    """Return what a page keeps, by its name there: slots, models, and weights in base64."""
    slots = {name: slot for line in LINES.values() for name, slot in line.slots.items()}
    told = {
        name: {
            "exercise": slot.exercise,
            "title": exercise_named(slot.exercise).title if slot.exercise else "",
            "mistakes": list(mistakes_of(name)),
            "course": course_part(name),
            "stub": stub_of(name),
        }
        for name, slot in slots.items()
    }
    models = {
        model: {"label": label, "line": name, "slots": [*line.slots], "file": file_of(model)}
        for name, line in LINES.items()
        for label, model in line.shown.items()
    }
    weights = {
        f"acWeights-{model}": base64.b64encode(_weights_of(model).read_bytes()).decode()
        for model in models
    }
    words = " ".join(word for word in vocabulary("english") if word.isalpha() or "-" in word)
    return {"acSlots": {"slots": told, "models": models, "words": words}, **weights}
