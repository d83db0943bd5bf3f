"""Figures, diagrams and the colours of both; a module is loaded when it is first asked for."""

from importlib import import_module
from types import ModuleType

_MODULES = ["diagrams", "flow_graphs", "palette", "plots", "transformer_diagrams"]


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*_MODULES]
