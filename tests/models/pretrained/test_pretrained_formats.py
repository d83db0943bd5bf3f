"""GGUF: a file written here byte by byte is read again; broken ones are refused."""

import struct

import numpy as np
import pytest

from attention_course.models.pretrained.formats import q4_1, q8_0, read_gguf


def text(words):
    content = words.encode()
    return struct.pack("<Q", len(content)) + content


def gguf(values=b"", n_values=0, arrays=(), version=3):
    """Write a file by the specification: header, table, arrays on multiples of 32 bytes."""
    table, data = b"", b""
    for name, shape, kind, content in arrays:
        data += b"\0" * (-len(data) % 32)
        sizes = struct.pack(f"<{len(shape)}Q", *shape[::-1])
        table += text(name) + struct.pack("<I", len(shape)) + sizes
        table += struct.pack("<IQ", kind, len(data))
        data += content
    head = struct.pack("<4sIQQ", b"GGUF", version, len(arrays), n_values) + values + table
    return head + b"\0" * (-len(head) % 32) + data


def write(tmp_path, content):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    return path


def test_header_and_arrays_come_back(tmp_path):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    values = text("name") + struct.pack("<I", 8) + text("Tiny")
    values += text("base") + struct.pack("<If", 6, 1e5)
    values += text("list") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("Ġb")
    content = gguf(values, 3, [("x", (2, 3), 0, x.tobytes()), ("y", (6,), 0, x.tobytes())])
    header, arrays = read_gguf(write(tmp_path, content))
    assert header == {"name": "Tiny", "base": 1e5, "list": ["a", "Ġb"]}
    np.testing.assert_array_equal(arrays["x"], x)
    np.testing.assert_array_equal(arrays["y"], x.ravel())


def test_eight_bits_by_loops():
    rng = np.random.RandomState(0)
    rows, wanted = [], []
    for _ in range(3):
        d, q = np.float16(rng.rand()), rng.randint(-128, 128, 32).astype(np.int8)
        rows.append(np.frombuffer(d.tobytes() + q.tobytes(), np.uint8))
        wanted.append([float(d) * int(n) for n in q])
    np.testing.assert_allclose(q8_0(np.array(rows)), wanted, rtol=1e-6)


def test_four_bits_by_loops(tmp_path):
    rng = np.random.RandomState(0)
    rows, wanted = [], []
    for _ in range(4):
        d, m = (np.float16(x) for x in rng.randn(2))
        q = rng.randint(16, size=32)
        packed = bytes(int(q[i]) + 16 * int(q[i + 16]) for i in range(16))
        rows.append(np.frombuffer(d.tobytes() + m.tobytes() + packed, np.uint8))
        wanted.append([float(d) * int(n) + float(m) for n in q])
    np.testing.assert_allclose(q4_1(np.array(rows)), wanted, rtol=1e-6, atol=1e-6)
    content = gguf(arrays=[("W", (2, 64), 3, np.array(rows).tobytes())])
    read = read_gguf(write(tmp_path, content))[1]["W"]
    np.testing.assert_allclose(read, np.reshape(wanted, (2, 64)), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gguf(version=2), "must be a GGUF file of version 3, got b'GGUF' 2"),
        (b"PK\3\4" + b"\0" * 40, "must be a GGUF file"),
        (b"GGUF", "must hold 24 more bytes, got 4"),
        (gguf(arrays=[("x", (32,), 2, bytes(18))]), "float32, Q4_1 or Q8_0, got format 2"),
        (gguf(arrays=[("x", (32,), 8, bytes(34))])[:-1], "must hold .* bytes, got"),
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path, content, message):
    with pytest.raises(ValueError, match=message):
        read_gguf(write(tmp_path, content))
