"""Attention, Measured: the code behind the course.

>>> import numpy as np
>>> import attention_course as ac
>>> ac.softmax(np.zeros(2))
array([0.5, 0.5])

``ac`` has the functions of ``reference`` by name, what a chapter calls (``assemble``,
``break_it``, ``check``, ``explore``, ``hint``, ``hold``, ``predict``, ``recorded_by``,
``show``, ``spread``, ``train_with``), and the parts: ``ac.layers``, ``ac.data`` and so on.
Each is loaded when it is first asked for. The import alone loads neither torch nor plotly nor
ipywidgets.

The examples in the docstrings paste after ``import numpy as np``, ``import torch`` and, for a
function of ``layers``, ``from attention_course.layers import *``; so in every part.
"""

from importlib import import_module as _load
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if _TYPE_CHECKING:
    from attention_course import (
        assembled,
        benchmarks,
        data,
        drawing,
        exercises,
        kernels,
        layers,
        measure,
        models,
        reference,
        training,
        widgets,
    )
    from attention_course.assembled import assemble, train_with
    from attention_course.environment import check_environment, missing_packages
    from attention_course.exercises import break_it, check, failing_case, hint
    from attention_course.page import hold, predict, recorded_by, show, spread
    from attention_course.reference import *  # noqa: F403
    from attention_course.widgets import explore

__version__ = "0.6.0"

_PARTS = (
    "assembled",
    "benchmarks",
    "data",
    "drawing",
    "exercises",
    "kernels",
    "layers",
    "measure",
    "models",
    "reference",
    "training",
    "widgets",
)
# Public names that are in another part than ``reference``.
_ELSEWHERE = {
    "assemble": "assembled",
    "break_it": "exercises",
    "check": "exercises",
    "check_environment": "environment",
    "explore": "widgets",
    "failing_case": "exercises",
    "hint": "exercises",
    "hold": "page",
    "missing_packages": "environment",
    "predict": "page",
    "recorded_by": "page",
    "show": "page",
    "spread": "page",
    "train_with": "assembled",
}


def __getattr__(name: str) -> _Any:
    if name in _PARTS:
        return _load(f"{__name__}.{name}")
    if name in _ELSEWHERE:
        return getattr(_load(f"{__name__}.{_ELSEWHERE[name]}"), name)
    reference = _load(f"{__name__}.reference")
    if name == "__all__":
        return sorted({*_PARTS, *_ELSEWHERE, *reference.__all__})
    if name in reference.__all__:
        return getattr(reference, name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message, name=name, obj=_load(__name__))


def __dir__() -> list[str]:
    return sorted({*__getattr__("__all__"), *(n for n in globals() if n.startswith("__"))})
