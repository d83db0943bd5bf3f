"""What a part of the course hands on."""

from collections.abc import Mapping
from types import ModuleType


def public_names(names: Mapping[str, object]) -> list[str]:
    """Return a package's ``__all__``: what it imports by name, but its files."""
    return sorted(
        name
        for name, thing in names.items()
        if not name.startswith("_") and not isinstance(thing, ModuleType)
    )
