"""What the setup cell of every chapter calls."""

import importlib.metadata
import importlib.util
import platform
import re
import sys

_FLOORS = {"numpy": "2.0", "plotly": "5.24", "ipywidgets": "7.7.1", "anywidget": "0.9.18"}


def check_environment(torch: bool = True) -> None:
    """Print the versions in use and warn, without installing anything, if one is too old.

    Args:
        torch: whether the chapter needs torch.

    Raises:
        ModuleNotFoundError: if the chapter needs torch and it is not there; the message says
            how to install the CPU build.

    Taught in ``why/rnn-bottleneck``.
    """
    if torch and importlib.util.find_spec("torch") is None:
        raise ModuleNotFoundError(
            "this chapter needs torch, and it is not installed. On Colab it is there; on a "
            "laptop `make environment` installs the CPU build."
        )
    for package, floor in _FLOORS.items():
        try:
            version = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            print(f"warning: {package} {floor} or newer is not installed", file=sys.stderr)
            continue
        if _numbers(version) < _numbers(floor):
            print(f"warning: {package} {version} is older than {floor}", file=sys.stderr)
    print(f"Ready: Python {platform.python_version()[:4]}, {', '.join(_versions(torch))}.")


def _versions(torch: bool) -> list[str]:
    packages = ["numpy", "plotly"] + (["torch"] if torch else [])
    return [f"{p} {importlib.metadata.version(p).split('+')[0]}" for p in packages]


def _numbers(version: str) -> tuple[int, ...]:
    """Return the leading numbers: (2, 1) for "2.1rc3" and for "2.1+cpu"."""
    return tuple(int(part) for part in re.match(r"[0-9.]*[0-9]", version).group().split("."))
