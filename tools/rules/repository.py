"""What every file of the repository must be like, whatever its kind."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from rules.notebooks import LARGEST_FILE, foreign_installs, tolerances

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "src" / "attention_course" / "data"
TEXT = {
    ".py", ".js", ".mjs", ".css", ".md", ".ipynb", ".toml", ".yml", ".yaml", ".txt", ".bib",
    ".json", ".html", ".cfg", ".sh", "",
}  # fmt: skip
SKIPPED = {".git", ".venv", "node_modules", "_build", ".make", "__pycache__", ".hypothesis"}

# The words are put together here so that this file does not complain of itself.
# Ann is the person to whom an invented path belongs in the tests.
MACHINE_PATH = re.compile(r"(?<![\w./~>-])/(?:root|home(?!/ann\b)|work|opt|Users|mnt)/\w\w")
CONFLICT = re.compile(r"(<{7}|>{7})( |$)")
REGISTRIES = [f"{name}.org" for name in ("pypi", "files.pythonhosted", "registry.npmjs")]
REGISTRIES += ["registry.yarnpkg" + ".com", "repo.anaconda" + ".com", "conda.anaconda" + ".org"]
TORCH_INDEX = ".".join(("download", "pytorch", "org"))
PROVENANCE = ("script", "date", "python", "packages", "machine")


def files() -> list[Path]:
    """Return every file that is, or would be, in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode == 0:
        paths = [ROOT / name for name in run.stdout.split("\0") if name]
        return sorted({path for path in paths if path.is_file()})
    paths = (path for path in ROOT.rglob("*") if path.is_file())
    return sorted(path for path in paths if not SKIPPED & set(path.parts))


def text_complaints(path: Path, text: str) -> Iterator[str]:
    """Yield what a text must not contain: a machine's paths, a registry, a loose ±."""
    if "tests" not in path.parts and path.suffix in (".md", ".toml", ".js", ".html"):
        for paragraph in text.split("\n\n"):
            yield from tolerances(paragraph)
    for number, line in enumerate(text.splitlines(), start=1):
        if CONFLICT.match(line):
            yield f"line {number} is the mark of a merge that was not finished"
        if (found := MACHINE_PATH.search(line)) and "vendor" not in path.parts:
            yield f"line {number} names a path of one machine: {found[0]}"
        yield from (f"line {number} names {host}" for host in REGISTRIES if host in line)
        at_home = path.name == "Makefile" or path.parent.name == "binder"
        if TORCH_INDEX in line and not at_home:
            yield f"line {number} names {TORCH_INDEX}: that belongs in Makefile and binder/"


def install_complaints(path: Path, text: str) -> list[str]:
    """Return the lines of a page of the book that install anything but this course."""
    return foreign_installs(text) if path.suffix == ".md" and "book" in path.parts else []


def size_complaint(path: Path) -> str | None:
    """Return a complaint if the file is larger than a repository should hold."""
    size = path.stat().st_size
    return f"{size} bytes, more than {LARGEST_FILE}" if size > LARGEST_FILE else None


def is_text(path: Path) -> bool:
    """Say whether the file is text that people or programs read."""
    return path.suffix in TEXT and b"\0" not in path.read_bytes()[:2000]


def data_folders() -> list[Path]:
    """Return the folders in which corpora and weights ship with the package."""
    found = (path for path in DATA.rglob("*") if path.is_dir())
    return sorted(p for p in found if not {"recorded", "__pycache__"} & {p.name, p.parent.name})


def data_complaints(folder: Path) -> Iterator[str]:
    """Yield what is missing beside a corpus: where it comes from, and its licence."""
    names = [path.name for path in folder.iterdir() if path.is_file()]
    if not names:
        return
    notes = "\n".join(
        path.read_text(encoding="utf-8") for path in folder.iterdir() if path.suffix == ".md"
    )
    if "PROVENANCE.md" not in names:
        yield "PROVENANCE.md does not say where the data come from"
    licensed = any(name.upper().startswith(("LICENSE", "LICENCE", "COPYING")) for name in names)
    if not licensed and not re.search(r"licen[cs]e", notes, re.IGNORECASE):
        yield "no licence lies beside the data"
    for name in names:
        known = name.endswith((".md", ".py")) or name.upper().startswith(("LICEN", "COPYING"))
        if not known and name not in notes:
            yield f"{name} is not described in the .md file beside it"


def recorded_complaints(path: Path) -> list[str]:
    """Return what a recorded result's provenance leaves out."""
    content = json.loads(path.read_text(encoding="utf-8"))
    stated = content.get("provenance", {})
    found = [f"its provenance does not state {key}" for key in PROVENANCE if key not in stated]
    script = str(stated.get("script", "")).split()
    if not script or not (ROOT / script[0]).is_file():
        found.append(f"its script {' '.join(script)!r} is not in the repository")
    return found
