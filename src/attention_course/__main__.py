"""What of the course runs on this machine, what does not, and what would mend it.

python -m attention_course
"""

import importlib.metadata
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec

from attention_course import __version__
from attention_course.environment import FLOORS, not_there, numbers_of, python_version


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield what is asked, what is here, and what would mend it (nothing if all is well)."""
    missing = not_there(*FLOORS)
    old = [
        f"{package} {importlib.metadata.version(package)} (older than {floor})"
        for package, floor in FLOORS.items()
        if package not in missing
        and numbers_of(importlib.metadata.version(package)) < numbers_of(floor)
    ]
    mend = (
        f"python -m pip install -U {' '.join([*missing, *(each.split()[0] for each in old)])}"
    )
    found = ", ".join([*(f"{package} is missing" for package in missing), *old])
    yield "Chapters without training", found or "run", mend if found else ""
    torch = not not_there("torch")
    if torch:
        yield "Chapters that train a model", found or "run", ""
    else:
        yield (
            "Chapters that train a model",
            "torch is missing",
            "make lab, in the course's folder, brings torch's CPU build",
        )
    if find_spec("jupyterlab"):
        yield "Notebooks with their widgets", "open in JupyterLab", ""
    else:
        yield (
            "Notebooks with their widgets",
            "JupyterLab is missing",
            "make lab, in the course's folder; or upload a notebook to Colab",
        )
    yield "GPU cells", *_gpu(torch)
    yield "Triton kernels", *_triton(torch)
    compiler = shutil.which("c++") or shutil.which("g++")
    runs = "runs" if torch else "torch is missing"
    yield "torch.compile on the CPU", *((runs, "") if compiler else ("no C++ compiler", "g++"))


def _gpu(torch: bool) -> tuple[str, str]:
    if torch:
        from torch import cuda

        if cuda.is_available():
            major, minor = cuda.get_device_capability()
            return f"run on {cuda.get_device_name()} (compute capability {major}.{minor})", ""
    return "show what was recorded: no CUDA device is here", "a runtime with a GPU, as on Colab"


def _triton(torch: bool) -> tuple[str, str]:
    if not find_spec("triton"):
        return (
            "are read only: Triton is missing",
            "on Linux: python -m pip install triton (1 GB)",
        )
    compiled = torch and not _gpu(torch)[1]
    return ("are compiled" if compiled else "run in Triton's interpreter, slowly"), ""


def main() -> int:
    """Print the table; the exit status is 1 if a chapter without training cannot run."""
    table = list(rows())
    print(f"Attention, Measured {__version__}, on Python {python_version()}")
    for what, here, mend in table:
        print(f"{what + ':':30}{here}")
        if mend:
            print(f"{'':32}to mend it: {mend}")
    return int(bool(table[0][2]))


if __name__ == "__main__":
    sys.exit(main())
