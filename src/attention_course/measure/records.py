"""Recorded results: every stored number carries where it came from.

A long run (several seeds, a benchmark) is done by a script in ``benchmarks/``. It calls
:func:`record`; the chapter calls :func:`recorded` and draws what it finds.
"""

import datetime
import importlib.metadata
import json
import os
import platform
import sys
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

_PACKAGES = ("numpy", "torch", "plotly", "triton")


def provenance(script: str, **more: Any) -> dict[str, Any]:
    """Describe the run that is about to be stored.

    Args:
        script: path of the script inside the repository, with its arguments.
        **more: whatever else the reader needs to repeat it (seeds, seconds, budget).

    Returns:
        Script, date (UTC), versions and the kind of machine; never its name or paths.
    """
    path = PurePosixPath(script.split()[0] if script.strip() else "/")
    if path.is_absolute() or path.parts[0] in ("..", "~"):
        raise ValueError(
            f"provenance: script must be a path inside the repository, got {script!r}"
        )
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    torch = sys.modules.get("torch")
    return {
        "script": script,
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "packages": versions,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPU cores",
        "threads": torch.get_num_threads() if torch else 1,
        **more,
    }


def record(path: Path | str, result: Any, **described: Any) -> Path:
    """Write ``result`` with its provenance as JSON.

    Args:
        path: the file to write; by convention ``src/attention_course/data/recorded/NAME.json``.
        result: anything JSON can hold.
        **described: passed to :func:`provenance`; ``script`` is required.

    Returns:
        The path written.
    """
    path = Path(path)
    content = {"provenance": provenance(**described), "result": result}
    try:
        # NaN and Infinity are not in JSON, and a browser would refuse the file.
        text = json.dumps(content, indent=1, allow_nan=False, sort_keys=True)
    except (ValueError, TypeError) as error:
        expected = "what JSON can hold, with finite numbers only"
        raise ValueError(f"record: result must be {expected}, got: {error}") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")
    return path


def recorded(name: str) -> tuple[Any, dict[str, Any]]:
    """Read a result that ships with the course, and its provenance.

    ``name`` is that of a file without ``.json`` in ``attention_course/data/recorded``.
    """
    folder = resources.files("attention_course") / "data" / "recorded"
    file = folder / f"{name}.json"
    if not file.is_file():
        there = sorted(f.name.removesuffix(".json") for f in folder.iterdir() if f.is_file())
        raise ValueError(f"recorded: name must be one of {there}, got {name!r}")
    content = json.loads(file.read_text(encoding="utf-8"))
    return content["result"], content["provenance"]


def recorded_runs(folder: str) -> list[Any]:
    """Read the results of all records in a folder of ``data/recorded``, by their names.

    >>> {run["seed"] for run in recorded_runs("small_world")} <= {0, 1, 2}
    True
    """
    place = resources.files("attention_course") / "data" / "recorded" / folder
    files = sorted(place.iterdir(), key=lambda file: file.name) if place.is_dir() else []
    names = [file.name.removesuffix(".json") for file in files if file.name.endswith(".json")]
    if not names:
        raise ValueError(f"recorded_runs: folder must hold records, got {folder!r}")
    return [recorded(f"{folder}/{name}")[0] for name in names]
