"""What the setup cell of every chapter calls."""

import importlib
import importlib.metadata
import importlib.util
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import attention_course
from attention_course._setup_cell import COURSE, UNSET, version_of, wheel_of

FLOORS = {"numpy": "2.0", "plotly": "5.24", "ipywidgets": "7.7.1"}
FLOORS |= {"anywidget": "0.9.18", "tqdm": "4.66"}


# What pip takes for a name and for a version.
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(
    r"(?i)v?(?:\d+!)?\d+(?:\.\d+)*(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?"
    r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?(?:[-_.]?dev[-_.]?\d*)?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?"
)


class _NotReadyError(ImportError):
    """The notebook cannot run here; the message has the line that mends it."""

    def _render_traceback_(self) -> list[str]:
        """Show the message alone (IPython calls this)."""
        return str(self).splitlines()


def missing_packages() -> str:
    """Return what ``%pip install`` needs to bring what is not there; nothing if all is there.

    Beside the names of the missing packages it holds pip to the versions that are installed:
    what the host brings stays as it is.
    """
    missing = not_there(*FLOORS)
    if not missing:
        return ""
    held = Path(tempfile.mkdtemp()) / "installed.txt"
    held.write_text("".join(sorted(_installed())), encoding="utf-8")
    return f'--constraint "{held}" {" ".join(missing)}'


def _installed() -> Iterator[str]:
    """Yield what pip can be held to: each package once, as Python finds it.

    A broken update leaves a folder such as ``~umpy``, or one without metadata, and an older
    copy may lie behind the one in use. pip would refuse the whole list, or find no version.
    """
    seen: set[str] = set()
    for found in importlib.metadata.distributions():
        with suppress(Exception):  # unreadable metadata
            name, version = found.metadata["Name"] or "", found.version or ""
            key = re.sub(r"[-_.]+", "-", name).lower()
            if _NAME.fullmatch(name) and _VERSION.fullmatch(version) and key not in seen:
                seen.add(key)
                yield f"{name}=={version}\n"


def check_environment(version: str = "", torch: bool = True, drawing: bool = True) -> None:
    """Print the versions in use; refuse what cannot work, and install nothing.

    If the course is older than the ``version`` that the notebook was written for, or a package
    is missing (``torch``, and for ``drawing`` more than NumPy), the message of an ImportError
    has the line that mends it. A package older than those that were tried is a warning.
    """
    if version and not re.fullmatch(r"\d+(\.\d+)+\w*", version):
        said = 'version must be like "0.2.0" or empty'
        raise ValueError(f"check_environment: {said}, got {version!r}")
    here = attention_course.__version__
    if version and numbers_of(here) < numbers_of(version):
        _refuse_older(version, here)
    importlib.invalidate_caches()
    floors = FLOORS if drawing else {"numpy": FLOORS["numpy"]}
    if missing := not_there(*floors, *(["torch"] if torch else [])):
        _refuse_missing(missing)
    for package, floor in floors.items():
        installed = importlib.metadata.version(package)
        if numbers_of(installed) < numbers_of(floor):
            print(f"warning: {package} {installed} is older than {floor}", file=sys.stderr)
    print(f"Ready: Python {python_version()}, {', '.join(_versions(torch, drawing))}.")


def _refuse_older(wanted: str, here: str) -> NoReturn:
    source = f'"{wheel_of(COURSE.removesuffix(version_of(COURSE)) + wanted)}"'
    where = ""
    if UNSET in COURSE:
        source, where = "-e FOLDER", " No public address is set, so FOLDER is where the newer"
        where += " course lies (`make lab` there does all this)."
    raise _NotReadyError(
        f"This notebook was written for version {wanted} of the course, and {here} is loaded. "
        f"Run this line, then restart the kernel.{where}\n"
        f"    %pip install -q --no-deps {source}"
    )


def _refuse_missing(missing: list[str]) -> NoReturn:
    names = " ".join(missing)
    cpu = " (`make lab` in the course's folder brings torch's CPU build.)"
    raise _NotReadyError(
        f"This notebook needs {names.replace(' ', ', ')}: not installed. Run this line, then "
        f"the first cell again.{cpu if 'torch' in missing else ''}\n"
        f"    %pip install -q {names}"
    )


def not_there(*packages: str) -> list[str]:
    """Return which of these packages are not installed."""
    return [package for package in packages if importlib.util.find_spec(package) is None]


def python_version() -> str:
    """Return the version of Python in two numbers, such as "3.11"."""
    return ".".join(platform.python_version_tuple()[:2])


def _versions(torch: bool, drawing: bool) -> list[str]:
    packages = ["numpy"] + ["plotly"] * drawing + ["torch"] * torch
    return [f"{p} {importlib.metadata.version(p).split('+')[0]}" for p in packages]


def numbers_of(version: str) -> tuple[int, ...]:
    """Return the leading numbers: (2, 1) for "2.1rc3" and for "2.1+cpu"."""
    found = re.match(r"[0-9.]*[0-9]", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
