"""Trained weights that the wheel leaves out: fetched once, and known by their SHA-256."""

import hashlib
import os
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from attention_course._setup_cell import COURSE, UNSET, release_of

# Of 2 MB and more. `make take-home` puts these files beside the wheel, for the release.
RELEASED = {"words": "098d70208828bfa2786a36d39460237b6f687f0929859485a5f44a63166e12bf"}


def released(name: str) -> bytes:
    """Return the weights of a name, kept from an earlier call or fetched from the release.

    Args:
        name: a key of ``RELEASED``.

    Raises:
        OSError: if they cannot be fetched, or are others; it says which file to put where.
    """
    file, address = f"{name}.safetensors", release_of(COURSE)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    kept = cache / "attention-course" / file
    with suppress(OSError):
        return _same(name, kept.read_bytes())
    try:
        content = _same(name, _fetched(f"{address}{file}"))
    except (OSError, HTTPException) as error:
        raise OSError(
            f"load_checkpoint: {file} must be fetched from {address}, and cannot be ({error}). "
            "Try again with a network; or take it from there, or from a clone's "
            f"src/attention_course/data/checkpoints, and put it into {kept.parent}"
        ) from error
    with suppress(OSError):  # a folder that is full or forbidden: the next call fetches again
        kept.parent.mkdir(parents=True, exist_ok=True)
        # Two processes may fetch at once, and neither may read half a file.
        part = kept.with_name(f"{file}.{os.getpid()}")
        part.write_bytes(content)
        part.replace(kept)
    return content


def _fetched(address: str) -> bytes:
    if UNSET in address:
        raise OSError("this copy of the course has no public address")
    with urlopen(address, timeout=30) as answer:
        content: bytes = answer.read()
    return content


def _same(name: str, content: bytes) -> bytes:
    found = hashlib.sha256(content).hexdigest()
    if found != RELEASED[name]:
        raise OSError(
            f"its SHA-256 must be {RELEASED[name]}, got {found} of {len(content):,} bytes"
        )
    return content
