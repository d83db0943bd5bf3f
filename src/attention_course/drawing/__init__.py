"""Figures, diagrams and the colours of both; what is asked for is loaded, nothing else."""

from importlib import import_module
from typing import Any

_MODULES = (
    "decoding_diagrams",
    "diagrams",
    "flow_graphs",
    "palette",
    "path_diagrams",
    "pattern_diagrams",
    "plots",
    "small_world",
    "transformer_diagrams",
)
_WHERE = {
    "Diagram": "diagrams",
    "aligned_network": "diagrams",
    "bars": "plots",
    "diagram": "diagrams",
    "fixed_vector_network": "diagrams",
    "flow_graph": "flow_graphs",
    "growing_cache": "decoding_diagrams",
    "guessing_ahead": "decoding_diagrams",
    "heads_network": "diagrams",
    "heatmap": "plots",
    "lines": "plots",
    "patterns": "pattern_diagrams",
    "measured": "measurements",
    "path_network": "path_diagrams",
    "shared_pages": "decoding_diagrams",
    "transformer_network": "transformer_diagrams",
}

__all__ = [
    "Diagram",
    "aligned_network",
    "bars",
    "diagram",
    "fixed_vector_network",
    "flow_graph",
    "growing_cache",
    "guessing_ahead",
    "heads_network",
    "heatmap",
    "lines",
    "measured",
    "path_network",
    "patterns",
    "shared_pages",
    "transformer_network",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name in _WHERE:
        return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *__all__})
