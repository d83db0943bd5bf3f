"""Reads an exercise from its folder; CONTRIBUTING says what is in one."""

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from attention_course.exercises import probing
from attention_course.exercises.exercise import (
    Edits,
    Exercise,
    Probe,
    Right,
    Variant,
    Wrong,
)
from attention_course.exercises.runner import Call

STATEMENT = re.compile(
    r"\+\+\+\n(?P<settings>.*?)^\+\+\+\n(?P<statement>.*?)"
    r"^## Contract\n(?P<contract>.*?)^## Hints\n(?P<hints>.*)",
    re.S | re.M,
)
NEEDED = {
    "title": str,
    "chapter": str,
    "family": str,
    "target": str,
    "minutes": int,
    "points": dict,
}
OPTIONAL = {"uses": str, "tests": str, "forbidden": list, "rtol": float, "atol": float}
# What a variant may replace, word for word; "stub" is code and keeps its lines.
REPLACED = ("contract", "statement", "stub", "hints")


def load_exercise(folder: Path) -> Exercise:
    """Return the exercise of a folder, which is called by its slug.

    Raises:
        ValueError: if a file or a field is missing, unknown or of another kind, or if what a
            row wants to replace does not stand exactly once in the solution.
    """
    settings, parts = _statement(folder)
    solution = _read(folder / "solution.py")
    probes = _module(folder / "probes.py")
    variants, together, weak = _variants(folder, probes)
    exercise = Exercise(
        slug=folder.name,
        statement=_reflowed(parts["statement"]),
        contract=_items(parts["contract"], "- "),
        stub=_read(folder / "stub.py"),
        solution=solution,
        hints=_items(parts["hints"], r"\d+\. "),
        probes=_probes(folder, probes, "PROBES"),
        isolating=_probes(folder, probes, "ISOLATING"),
        wrong=_wrong(folder, solution),
        right=_right(folder),
        variants=variants,
        together=together,
        weak=weak,
        launch=getattr(probes, "launch", None),
        **settings,
    )
    if (exercise.uses == "triton") != (exercise.launch is not None):
        raise _error(folder / "probes.py", "a function launch where uses is triton", "none")
    answers: tuple[Wrong | Right, ...] = (*exercise.wrong, *exercise.right)
    for answer in answers:
        exercise.source_of(answer)
    return exercise


def load_settings(folder: Path) -> dict[str, Any]:
    """Return what is between the plus signs of a folder's ``statement.md``.

    Raises:
        ValueError: if a field is missing, unknown or of another kind.
    """
    return _statement(folder)[0]


def _statement(folder: Path) -> tuple[dict[str, Any], dict[str, str]]:
    path = folder / "statement.md"
    found = STATEMENT.fullmatch(_read(path))
    if not found:
        raise _error(
            path,
            "settings between two lines +++, the statement, ## Contract and ## Hints",
            "another order",
        )
    settings = _parsed(path, found["settings"])
    for name, kind in NEEDED.items():
        if name not in settings:
            raise _error(path, f"a setting {name}", f"only {', '.join(settings)}")
        _require(path, name, settings[name], kind)
    for part, points in settings["points"].items():
        _require(path, f"points for {part}", points, int)
    for name in settings.keys() - NEEDED:
        if name not in OPTIONAL:
            raise _error(path, f"settings among {', '.join(NEEDED | OPTIONAL)}", repr(name))
        _require(path, name, settings[name], OPTIONAL[name])
    if "forbidden" in settings:
        settings["forbidden"] = tuple(settings["forbidden"])
    return settings, found.groupdict()


def _probes(folder: Path, module: ModuleType, name: str) -> tuple[Probe, ...]:
    probes = getattr(module, name, None if name == "PROBES" else ())
    if not isinstance(probes, tuple) or not all(isinstance(p, Probe) for p in probes):
        raise _error(folder / "probes.py", f"a tuple {name} of Probe", repr(probes)[:60])
    return probes


def _wrong(folder: Path, solution: str) -> tuple[Wrong, ...]:
    """Return an exercise's own mistakes and the common ones that fit its solution."""
    own, path = _mistakes(folder / "mistakes.toml"), folder.parent / "common.toml"
    names = {wrong.name for wrong in own}
    common = []
    for wrong in _mistakes(path) if path.exists() else ():
        found = [list(re.finditer(pattern, solution, re.M)) for pattern, _ in wrong.edits]
        if wrong.name not in names and all(len(matches) == 1 for matches in found):
            pairs = zip(found, wrong.edits, strict=True)
            edits = tuple((match[0], match.expand(new)) for [match], (_, new) in pairs)
            common.append(replace(wrong, edits=edits))
    return (*own, *common)


def _mistakes(path: Path) -> tuple[Wrong, ...]:
    found = []
    for family, rows in _parsed(path, _read(path)).items():
        _require(path, family, rows, dict)
        for name, row in rows.items():
            where = f"{family}: {name}"
            hint, *texts = _texts(path, where, row)
            edits, source = _change(path, where, texts)
            found.append(Wrong(name, family, _joined(hint), edits, source))
    return tuple(found)


def _right(folder: Path) -> tuple[Right, ...]:
    path = folder / "right.toml"
    rows = _parsed(path, _read(path))
    return tuple(
        Right(name, *_change(path, name, _texts(path, name, row))) for name, row in rows.items()
    )


def _variants(
    folder: Path, probes: ModuleType
) -> tuple[tuple[Variant, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the other conventions, which may be laid together, and which forms are weak."""
    path = folder / "variants.toml"
    tables = _parsed(path, _read(path)) if path.exists() else {}
    together, weak = tables.pop("together", []), tables.pop("weak", [])
    _require(path, "together", together, list)
    _require(path, "weak", weak, list)
    for form in together:
        parts = form.split("+") if isinstance(form, str) else []
        if len(parts) < 2 or len(set(parts)) < len(parts) or not set(parts) <= tables.keys():
            expected = f"together: names among {', '.join(tables)}, joined by +"
            raise _error(path, expected, repr(form))
    found = (_variant(path, name, table, probes) for name, table in tables.items())
    return tuple(found), tuple(together), tuple(weak)


def _variant(path: Path, name: str, table: Any, probes: ModuleType) -> Variant:
    _require(path, name, table, dict)
    known = {"wrap", "adapt", "open_mask", "probes", "mistakes", *REPLACED}
    if not {"wrap", "contract"} <= table.keys() <= known:
        raise _error(
            path,
            f"[{name}] with wrap, contract and what it needs of {', '.join(sorted(known))}",
            ", ".join(table),
        )
    given: dict[str, Any] = {
        part: _pairs(path, f"{name}.{part}", table.get(part, []), code=part == "stub")
        for part in REPLACED
    }
    for part in ("probes", "mistakes"):
        given[part] = {
            old: None if new is False and part == "mistakes" else _said(path, old, new)
            for old, new in table.get(part, {}).items()
        }
    if "adapt" in table:
        function, *places = _listed(table["adapt"])
        adapt = _function(path, "adapt", function, probes)
        given["adapt"] = partial(adapt, places=places) if places else adapt
    if "open_mask" in table:
        given["open_mask"] = tuple(_texts(path, "open_mask", table["open_mask"]))
        given["opened"] = _function(path, "open_mask", "open_mask", probes)
    return Variant(name, wrap=table["wrap"], **given)


def _function(path: Path, key: str, name: Any, probes: ModuleType) -> Callable[..., Call]:
    found = getattr(probes, str(name), getattr(probing, str(name), None))
    if found is None:
        expected = f"{key}, a function of probes.py or of exercises/probing.py"
        raise _error(path, expected, repr(name))
    function: Callable[..., Call] = found
    return function


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) and value else [value]


def _said(path: Path, old: str, new: Any) -> tuple[str, str]:
    """Return the new name and hint of a probe or a mistake; a text alone is the new hint."""
    texts = [_joined(text) for text in _texts(path, old, new)]
    if len(texts) > 2:
        raise _error(path, f"{old}: a hint, or a name and a hint", f"{len(texts)} texts")
    return (old, texts[0]) if len(texts) == 1 else (texts[0], texts[1])


def _change(path: Path, where: str, texts: Sequence[str]) -> tuple[Edits, str]:
    """Return the edits that texts in pairs stand for, or the program that one text is."""
    if len(texts) == 1:
        return (), texts[0]
    return _pairs(path, where, texts, code=True), ""


def _pairs(path: Path, where: str, texts: Sequence[str], *, code: bool) -> Edits:
    """Return texts as pairs of what is found and what replaces it.

    Code of several lines stands as it does in the solution; only the first line's indentation
    does not count. Prose of several lines is one line.
    """
    if len(texts) % 2:
        raise _error(path, f"{where}: pairs of find and replace", f"{len(texts)} texts")
    each = [
        (text.lstrip(" ") if "\n" in text else text) if code else _joined(text)
        for text in texts
    ]
    return tuple(zip(each[::2], each[1::2], strict=True))


def _texts(path: Path, where: str, row: Any) -> list[str]:
    """Return a row as texts: a text alone is a row of one."""
    texts = [row] if isinstance(row, str) else row
    if not isinstance(texts, list) or not texts or not all(isinstance(t, str) for t in texts):
        raise _error(path, f"{where}: texts in brackets", repr(row)[:60])
    return texts


def _items(text: str, mark: str) -> tuple[str, ...]:
    """Return the items of a Markdown list, each in one line."""
    return tuple(_joined(item) for item in re.split(rf"^{mark}", text, flags=re.M)[1:])


def _reflowed(text: str) -> str:
    """Return paragraphs, each in one line; lists, tables and code keep their lines."""
    paragraphs = re.split(r"\n\n+", text.strip())
    kept = ("- ", "|", "```", "$$")
    return "\n\n".join(p if p.startswith(kept) else _joined(p) for p in paragraphs)


def _joined(text: str) -> str:
    """Return prose in one line."""
    return " ".join(text.split())


def _module(path: Path) -> ModuleType:
    """Run a Python file that lies in no package."""
    if not path.exists():
        raise _missing(path)
    spec = spec_from_file_location(f"{path.parent.name}.{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _error(path, "TOML", str(error)) from error


def _read(path: Path) -> str:
    if not path.exists():
        raise _missing(path)
    return path.read_text(encoding="utf-8")


def _require(path: Path, name: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise _error(path, f"{name}: {kind.__name__}", repr(value)[:60])


def _missing(path: Path) -> ValueError:
    there = ", ".join(sorted(p.name for p in path.parent.glob("*.*"))) or "nothing"
    return ValueError(f"load_exercise: {path.parent.name} must hold {path.name}, has {there}")


def _error(path: Path, expected: str, got: str) -> ValueError:
    where = f"{path.parent.name}/{path.name}"
    return ValueError(f"load_exercise: {where} must have {expected}, got {got}")
