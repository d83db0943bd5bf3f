"""The public names, recorded: ``python tools/public_names.py`` takes over a change.

A name is public if ``import attention_course as ac`` gives it, or ``__all__`` of a part does.
Every change against the last commit's record raises the version (``tools/stamp.py``): a reader
who has installed the older one is told so. From the first tag on, a name may come and may not
go, because released notebooks use it.
"""

import subprocess
import sys
from inspect import ismodule
from pathlib import Path

import attention_course as ac

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "repository" / "public_names.txt"


def main() -> int:
    """Record the names; return 1 and say why if they may not be."""
    found = refusals(*committed(), ac.__version__, public_names(), released())
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        lines = [f"# version {ac.__version__}", *sorted(public_names())]
        RECORD.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return min(len(found), 1)


def public_names() -> set[str]:
    """Return every public name as a reader writes it."""
    parts = {name: value for name in ac.__all__ if ismodule(value := getattr(ac, name))}
    inner = {
        f"ac.{part}.{name}"
        for part, module in parts.items()
        if module is not ac.reference  # its names are those of ac itself
        for name in getattr(module, "__all__", ())
    }
    return inner | {f"ac.{name}" for name in ac.__all__}


def read() -> tuple[str, set[str]]:
    """Return the recorded version and names."""
    return _taken_apart(RECORD.read_text(encoding="utf-8"))


def committed(root: Path = ROOT) -> tuple[str, set[str]]:
    """Return the version and names that the last commit has on record, else those on record."""
    command = ["git", "show", f"HEAD:{RECORD.relative_to(ROOT).as_posix()}"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    return read() if done.returncode else _taken_apart(done.stdout)


def _taken_apart(text: str) -> tuple[str, set[str]]:
    first, *names = text.splitlines()
    return first.removeprefix("# version "), set(names)


def released() -> bool:
    """Say whether a version was tagged."""
    command = ["git", "tag", "--list", "v*"]
    return bool(
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    )


def refusals(
    old_version: str, old: set[str], version: str, names: set[str], tagged: bool
) -> list[str]:
    """Return why the names may not be recorded."""
    gone = sorted(old - names) if tagged else []
    found = [f"{name} was released and is gone" for name in gone]
    if old != names and version == old_version:
        found.append("the public names change: raise the version first (tools/stamp.py)")
    return found


if __name__ == "__main__":
    sys.exit(main())
