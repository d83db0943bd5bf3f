"""GGUF, a file format of quantised models: a header, a table of arrays, blocks of numbers."""

import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from attention_course._shapes import Float, Shaped

MAGIC, VERSION, ALIGNED = b"GGUF", 3, 32
_TEXT, _LIST = 8, 9
_NUMBERS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?",
    10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_BYTES = {0: 4, 3: 20 / 32, 8: 34 / 32}  # of a number: float32, Q4_1, Q8_0


def read_gguf(path: Path | str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Read a model: what its header says, and its arrays in float32.

    Args:
        path: of a file whose arrays are float32, Q4_1 or Q8_0.

    Returns:
        The header's values and the arrays, both by name. An array's last axis is contiguous,
        as in NumPy; the file lists its axes the other way round.

    Raises:
        ValueError: if the file is no such file, or an array has another format.

    Source:
        The GGUF specification, version 3.
    """
    content = Path(path).read_bytes()
    stream = BytesIO(content)
    magic, version, n_arrays, n_values = struct.unpack("<4sIQQ", _take(stream, 24))
    if magic != MAGIC or version != VERSION:
        got = f"{magic!r} {version}"
        raise ValueError(f"read_gguf: path must be a GGUF file of version {VERSION}, got {got}")
    header = dict(_named_value(stream) for _ in range(n_values))
    table = [_array_entry(stream) for _ in range(n_arrays)]
    start = -(-stream.tell() // ALIGNED) * ALIGNED
    return header, {
        name: _array(content, start + offset, shape, kind)
        for name, shape, kind, offset in table
    }


def q8_0(blocks: Shaped[np.ndarray, "n 34"]) -> Float[np.ndarray, "n 32"]:
    r"""Read blocks of 32 numbers in eight bits each, with one scale.

    .. math:: x_i = d\, q_i

    Args:
        blocks: each row a scale in half precision, then 32 whole numbers from -128 to 127.

    Returns:
        The numbers.

    Source:
        The GGUF specification.

    >>> row = np.frombuffer(np.float16(0.5).tobytes() + bytes([2] * 32), np.uint8)
    >>> float(q8_0(row[None])[0, 0])
    1.0
    """
    d = _halves(blocks[:, :2])
    return d * np.ascontiguousarray(blocks[:, 2:]).view(np.int8)


def q4_1(blocks: Shaped[np.ndarray, "n 20"]) -> Float[np.ndarray, "n 32"]:
    r"""Read blocks of 32 numbers in four bits each, with a scale and a smallest number.

    .. math:: x_i = d\, q_i + m

    Args:
        blocks: each row d and m in half precision, then 16 bytes: the first 16 numbers in
            their lower halves, the last 16 in their upper halves.

    Returns:
        The numbers.

    Source:
        The GGUF specification.

    >>> row = np.array([0.5, 1.0], np.float16).tobytes() + bytes([2 + 16 * 3] * 16)
    >>> q4_1(np.frombuffer(row, np.uint8)[None])[0, [0, 31]].tolist()
    [2.0, 2.5]
    """
    d, m = _halves(blocks[:, :2]), _halves(blocks[:, 2:4])
    packed = blocks[:, 4:]
    return d * np.concatenate([packed & 15, packed >> 4], axis=1) + m


def _halves(pairs: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(pairs).view(np.float16).astype(np.float32)


def _array(content: bytes, start: int, shape: tuple[int, ...], kind: int) -> np.ndarray:
    size = int(np.prod(shape) * _BYTES[kind])
    if start + size > len(content):
        raise ValueError(f"read_gguf: path must hold {start + size} bytes, got {len(content)}")
    raw = np.frombuffer(content, np.uint8, size, start)
    if kind == 0:
        return raw.view(np.float32).reshape(shape)
    read, width = (q4_1, 20) if kind == 3 else (q8_0, 34)
    return read(raw.reshape(-1, width)).astype(np.float32).reshape(shape)


def _array_entry(stream: BytesIO) -> tuple[str, tuple[int, ...], int, int]:
    name = _text(stream)
    (n_axes,) = struct.unpack("<I", _take(stream, 4))
    shape = struct.unpack(f"<{n_axes}Q", _take(stream, 8 * n_axes))[::-1]
    kind, offset = struct.unpack("<IQ", _take(stream, 12))
    if kind not in _BYTES:
        raise ValueError(f"read_gguf: {name} must be float32, Q4_1 or Q8_0, got format {kind}")
    return name, shape, kind, offset


def _named_value(stream: BytesIO) -> tuple[str, Any]:
    name = _text(stream)
    (kind,) = struct.unpack("<I", _take(stream, 4))
    return name, _value(stream, kind)


def _value(stream: BytesIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(stream)
    if kind == _LIST:
        inner, n = struct.unpack("<IQ", _take(stream, 12))
        return [_value(stream, inner) for _ in range(n)]
    form = _NUMBERS[kind]
    return struct.unpack(form, _take(stream, struct.calcsize(form)))[0]


def _text(stream: BytesIO) -> str:
    (size,) = struct.unpack("<Q", _take(stream, 8))
    return _take(stream, size).decode()


def _take(stream: BytesIO, n: int) -> bytes:
    taken = stream.read(n)
    if len(taken) < n:
        raise ValueError(f"read_gguf: path must hold {n} more bytes, got {len(taken)}")
    return taken
