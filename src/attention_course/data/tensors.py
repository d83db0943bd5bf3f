"""Read and write safetensors files with NumPy alone."""

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import numpy as np

_NAMES: dict[str, type[np.generic]] = {"F16": np.float16, "F32": np.float32}
_NAMES |= {"F64": np.float64, "I64": np.int64, "I8": np.int8}
_CODES = {np.dtype(kind): name for name, kind in _NAMES.items()}


def write_tensors(path: Path | str, arrays: Mapping[str, np.ndarray], **about: str) -> Path:
    """Write arrays by name.

    Args:
        path: the file to write.
        arrays: of float16, float32, float64, int64 or int8.
        **about: texts that go into the header.

    Returns:
        The path.

    Source:
        The safetensors format: length of the header (8 bytes), header (JSON), numbers.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(tensor_bytes(arrays, **about))
    return path


def tensor_bytes(arrays: Mapping[str, np.ndarray], **about: str) -> bytes:
    """Return what :func:`write_tensors` writes.

    Args:
        arrays: as there.
        **about: as there.

    Returns:
        The content of a file.

    Source:
        The safetensors format.

    >>> read_tensors(tensor_bytes({"v_a": np.ones(3, np.int8)}))[0]["v_a"].dtype
    dtype('int8')
    """
    header: dict[str, object] = {"__metadata__": about}
    blocks, end = [], 0
    # In one order, so that the same arrays give the same bytes and the same hash.
    for name, array in sorted(arrays.items()):
        if array.dtype not in _CODES:
            raise ValueError(
                f"write_tensors: arrays must have a dtype of {sorted(_NAMES)}, "
                f"got {array.dtype} in {name}"
            )
        block = np.ascontiguousarray(array).tobytes()
        span = [end, end := end + len(block)]
        code = _CODES[array.dtype]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": span}
        blocks.append(block)
    text = json.dumps(header, ensure_ascii=False).encode()
    # Numbers begin at a multiple of eight bytes, so that a reader can map them.
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(blocks)


def read_tensors(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read what :func:`write_tensors`, or the safetensors package, has written.

    Args:
        content: of the file.

    Returns:
        The arrays by name, and the texts of the header.

    Raises:
        ValueError: if the content is no such file.

    Source:
        The safetensors format.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_tensors(Path(folder) / "a", {"v_a": np.ones(3)}, seed="0")
    ...     content = path.read_bytes()
    >>> read_tensors(content)
    ({'v_a': array([1., 1., 1.])}, {'seed': '0'})
    """
    size = int.from_bytes(content[:8], "little")
    if not 0 < size <= len(content) - 8:
        raise ValueError(
            f"read_tensors: content must start with the length of a header, got {size}"
        )
    header = json.loads(content[8 : 8 + size])
    about = header.pop("__metadata__", {})
    arrays = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        block = content[8 + size + start : 8 + size + end]
        arrays[name] = np.frombuffer(block, _NAMES[entry["dtype"]]).reshape(entry["shape"])
    return arrays, about


def load_checkpoint(name: str) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read trained weights of the course.

    Args:
        name: file name without ``.safetensors`` in ``attention_course/data/checkpoints``.

    Returns:
        The arrays by name, and where they come from.

    Raises:
        ValueError: if there are none of that name.

    Source:
        The script that the header names.
    """
    folder = resources.files("attention_course") / "data" / "checkpoints"
    file = folder / f"{name}.safetensors"
    if not file.is_file():
        there = sorted(f.name for f in folder.iterdir()) if folder.is_dir() else []
        raise ValueError(f"load_checkpoint: name must be one of {there}, got {name!r}")
    return read_tensors(file.read_bytes())


def unpack_translator(content: bytes) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read what :mod:`attention_course.data.packed` has packed: a model in eight bits.

    Args:
        content: the bytes.

    Returns:
        The weights in single precision, by the names that torch gives them, and the header.

    Raises:
        ValueError: if the content is no such file.

    >>> packed = {"W": np.array([[127, -64]], np.int8), "W.scale": np.array([1 / 127])}
    >>> unpack_translator(tensor_bytes(packed))[0]["W"].round(2).tolist()
    [[1.0, -0.5]]
    """
    packed, about = read_tensors(content)
    arrays = {k: a.astype(np.float32) for k, a in packed.items() if not k.endswith(".scale")}
    for name in arrays:
        if f"{name}.scale" in packed:
            arrays[name] *= packed[f"{name}.scale"].astype(np.float32)[:, None]
    return arrays, about
