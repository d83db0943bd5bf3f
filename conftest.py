"""Loads the tools for every pytest run, with nbval and without.

Colab has neither jaxtyping nor nbval, so its run (``make colab``) does without them.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))

import shape_checks  # noqa: E402  (it lies in tools)

if shape_checks.AVAILABLE:
    shape_checks.install()

here = {"nbval_course": "nbval", "costs": "psutil"}
pytest_plugins = [
    "pytester",
    "looked_at",
    *(p for p, needs in here.items() if find_spec(needs)),
]
