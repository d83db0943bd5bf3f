"""Parses replies from the sandbox, in which an answer may have forged every byte."""

import json
import math
import re
import struct
from typing import Any

import numpy as np

from attention_course.exercises.protocol import Outcome

LONGEST_HEADER = 1 << 16
MOST_VALUES, MOST_AXES, LONGEST_NAME, LONGEST_TEXT = 1024, 16, 200, 200
MOST_ELEMENTS = 1 << 40
_KEYS = {"values", "body", "changed", "state", "error", "message", "line", "skipped"}


class ReplyError(ValueError):
    """The bytes are no reply."""


def frames(data: bytes) -> list[bytes]:
    """Return the outcomes in a reply, each as its bytes.

    Raises:
        ReplyError: if the lengths before them do not add up to the reply, or it is empty.
    """
    found, at = [], 0
    while at < len(data):
        if at + 4 > len(data):
            raise ReplyError("frames: the reply ends within a length")
        size = struct.unpack_from("<I", data, at)[0]
        at += 4 + size
        if at > len(data):
            raise ReplyError("frames: the reply ends within an outcome")
        found.append(data[at - size : at])
    if not found:
        raise ReplyError("frames: the reply holds no outcome")
    return found


def parse(data: bytes) -> Outcome:
    """Return the outcome that the bytes stand for.

    Nothing is unpickled and nothing is executed. The header has at most 64 KiB; the body has
    exactly the bytes that the shapes in the header ask for, and none if the worker left it out.

    Raises:
        ReplyError: if anything is not exactly as the worker writes it.
    """
    if len(data) < 4:
        raise ReplyError("parse: the reply has no length")
    size = struct.unpack_from("<I", data)[0]
    if size > LONGEST_HEADER or 4 + size > len(data):
        raise ReplyError(f"parse: the header may have {LONGEST_HEADER} bytes, has {size}")
    header = _header(data[4 : 4 + size])
    values = [_value(entry) for entry in _list(header["values"], MOST_VALUES)]
    arrays = _bodies(values, data[4 + size :], _is(header["body"], bool))
    return Outcome(
        names=[name for name, _, _ in values],
        values=arrays,
        kinds=[kind for _, kind, _ in values],
        changed=[_text(x, LONGEST_NAME) for x in _list(header["changed"], 8)],
        state=[_text(x, LONGEST_NAME) for x in _list(header["state"], 8)],
        error=_text(header["error"], 80),
        message=_text(header["message"], LONGEST_TEXT),
        line=_whole(header["line"], 1 << 31),
        skipped=[_text(x, LONGEST_TEXT) for x in _list(header["skipped"], 8)],
    )


def _header(data: bytes) -> dict[str, Any]:
    try:
        header = json.loads(data.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ReplyError("parse: the header is no JSON") from error
    if not isinstance(header, dict) or set(header) != _KEYS:
        raise ReplyError("parse: the header must have exactly the keys of an outcome")
    return header


def _refuse(text: str) -> None:
    raise ReplyError(f"parse: the header may not hold {text}")


def _value(entry: Any) -> tuple[str, str, Any]:
    """Return a value's name, its kind, and its text or shape."""
    if not isinstance(entry, list) or len(entry) != 3:
        raise ReplyError("parse: a value has a name, a kind and a shape")
    name, kind = _text(entry[0], LONGEST_NAME), _text(entry[1], 16)
    if kind == "text":
        return name, kind, _text(entry[2], LONGEST_TEXT)
    if not re.fullmatch(r"(bool|u?int\d{1,3}|float\d{1,3}|longdouble)", kind, re.A):
        raise ReplyError("parse: a kind is text or the name of a dtype of numbers")
    shape = tuple(_whole(x, MOST_ELEMENTS) for x in _list(entry[2], MOST_AXES))
    if math.prod(max(x, 1) for x in shape) > MOST_ELEMENTS:
        raise ReplyError("parse: a shape is larger than any array can be")
    return name, kind, shape


def _bodies(values: list[tuple[str, str, Any]], body: bytes, there: bool) -> list[Any]:
    """Return the texts and arrays; where the body was left out, arrays of NaN of that shape."""
    sizes = [_size(kind, content) for _, kind, content in values]
    if len(body) != (sum(sizes) if there else 0):
        raise ReplyError("parse: the body must have the bytes that the shapes ask for")
    found, at = [], 0
    for (_, kind, content), size in zip(values, sizes, strict=True):
        if kind == "text":
            found.append(content)
        elif not there:
            missing = np.False_ if kind == "bool" else np.float64("nan")
            found.append(np.broadcast_to(missing, content))
        else:
            found.append(_array(kind, content, body[at : at + size]))
        at += size
    return found


def _size(kind: str, content: Any) -> int:
    if kind == "text":
        return 0
    return math.prod(content) * (1 if kind == "bool" else 8)


def _array(kind: str, shape: tuple[int, ...], data: bytes) -> np.ndarray:
    if kind != "bool":
        return np.frombuffer(data, "<f8").reshape(shape)
    numbers = np.frombuffer(data, np.uint8)
    if numbers.size and numbers.max() > 1:
        raise ReplyError("parse: True and False are written as 1 and 0")
    return numbers.astype(bool).reshape(shape)


def _is(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ReplyError(f"parse: expected {kind.__name__}, got {type(value).__name__}")
    return value


def _list(value: Any, most: int) -> list[Any]:
    if len(_is(value, list)) > most:
        raise ReplyError(f"parse: a list may have {most} entries, has {len(value)}")
    return value


def _text(value: Any, most: int) -> str:
    if len(_is(value, str)) > most:
        raise ReplyError(f"parse: a text may have {most} characters, has {len(value)}")
    return value.encode("utf-8", "replace").decode()


def _whole(value: Any, most: int) -> int:
    if not 0 <= _is(value, int) <= most:
        raise ReplyError(f"parse: a whole number must be from 0 to {most}")
    return value
