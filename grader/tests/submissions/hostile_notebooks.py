"""Whole files as a hostile, careless or unlucky student hands them in, a row each.

A row has a name, what the file tries, the verdict of the intake, which answer must be taken
("right", the honest one; "other", another cell's, worth nothing; "none"), and the bytes.
"""

import gzip
import io
import json
import pickle
import zipfile
from collections.abc import Callable
from dataclasses import dataclass

from attention_course.exercises import all_exercises

SLUG = "four-steps"
EXERCISE = all_exercises()[SLUG]
RIGHT = f"{EXERCISE.marker}\n{EXERCISE.solution}"
STUB = f"{EXERCISE.marker}\n{EXERCISE.stub}"
OTHER = f"{EXERCISE.marker}\nfour_steps = None\n"


@dataclass(frozen=True)
class File:
    """A file, what it tries, and what must become of it."""

    tries: str
    verdicts: str
    taken: str
    build: Callable[[], bytes]


def code(source: object, *, outputs=(), **metadata) -> dict:
    """Return a code cell."""
    cell = {"cell_type": "code", "execution_count": None, "outputs": list(outputs)}
    return cell | {"id": f"c{len(str(source))}", "metadata": metadata, "source": source}


def words(source: str, kind: object = "markdown", **metadata) -> dict:
    """Return a Markdown cell, or one of another kind."""
    return {"cell_type": kind, "id": "m1", "metadata": metadata, "source": source}


def book(*cells: object, **changed) -> bytes:
    """Return a notebook with these cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": list(cells), "metadata": {"kernelspec": kernel}}
    return packed(content | {"nbformat": 4, "nbformat_minor": 5} | changed)


def packed(content: object) -> bytes:
    """Return JSON as bytes."""
    return json.dumps(content).encode()


def each(name: str, values: tuple, **changed) -> bytes:
    """Return a notebook in whose first cells something is of a wrong kind."""
    return book(*[code("") | {name: value} for value in values], SOLVED, **changed)


def solved(**nbgrader) -> dict:
    """Return the honest answer's cell with nbgrader's metadata."""
    base = {"grade_id": SLUG, "solution": True, "grade": False, "locked": False}
    return code(RIGHT, nbgrader=base | {"schema_version": 3} | nbgrader)


def bomb() -> bytes:
    """Return fifty megabytes of zeros, compressed."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw1.ipynb", bytes(50_000_000))
    return held.getvalue()


class _Command:
    def __reduce__(self):
        return (exec, ("open('attention-hostile', 'w')",))


SOLVED = solved()
HONEST = book(words("# Title"), SOLVED, code("check(four_steps)"))
SAID = {"output_type": "stream", "name": "stdout", "text": "5/5 OK"}
SHOWN = {"text/html": "<script>alert(1)</script>", "image/svg+xml": "<svg onload=alert(1)>"}
SKIPPED = code("assert False", tags=["skip-execution"], nbgrader={"grade": True, "points": 5})
PATCHED = "import numpy as np\nnp.allclose = lambda *a, **k: True"
POINTS = "import builtins, os\nos.environ['POINTS'] = '5'\nbuiltins.assert_part = print"
KERNEL = {"kernelspec": {"name": "bash", "argv": ["sh", "-c", "touch attention-hostile"]}}
WIDGETS = {"widgets": {"x" * 1000: "<script>alert(1)</script>"}, "nbgrader": [1, {"a": None}]}
PICTURE = words("![x](attachment:x.svg)", nbgrader="none")
PICTURE["attachments"] = {"x.svg": {"image/svg+xml": "PHN2Zy8+"}}
COLAB = {"cell_type": "code", "metadata": {"id": "x"}, "source": RIGHT.splitlines(True)}
SHEET = {"cells": [{"cell_type": "code", "input": RIGHT, "language": "python"}]}
SHEETS = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [SHEET]}
DEEP = b'"deep": ' + b"[" * 10_000 + b"]" * 10_000 + b', "nbformat"'
MINOR = b'"nbformat_minor": 5'
PAGE = b"<!doctype html><script>alert(1)</script><h1>Please log in</h1>"
MAGICS = f"{EXERCISE.marker}\n%%bash\n!touch attention-hostile\n%load x.py"

# fmt: off
FILES = {
# Cells that a student may not, or need not, change.
"honest": File("nothing", "OK", "right", lambda: HONEST),
"changed-points": File("to give its answer a thousand points", "OK", "right",
    lambda: book(solved(points=1000, grade=True, grade_id=SLUG))),
"tag-that-skips-tests": File("to have the tests skipped by a tag", "OK", "other",
    lambda: book(code(OTHER, tags=["skip-execution", "raises-exception"]), SKIPPED)),
"deleted-answer": File("to delete its answer and keep a full output", "OK", "none",
    lambda: book(code("print('5/5')", outputs=[SAID]))),
"baked-outputs": File("outputs baked before, with scripts and full points", "OK", "other",
    lambda: book(code(OTHER, outputs=[{"output_type": "display_data", "data": SHOWN}]))),
"rewritten-tests": File("a test cell that patches the comparison", "OK", "other",
    lambda: book(code(OTHER), code(PATCHED, nbgrader={"grade": True}))),
"cell-before": File("a cell before it that patches everything", "OK", "other",
    lambda: book(code(POINTS), code(OTHER))),
"reordered": File("answers in another order", "OK", "right",
    lambda: book(code("check(four_steps)"), SOLVED, words("# Title"))),
"answer-and-stub": File("the answer twice, the stub last", "OK", "right",
    lambda: book(SOLVED, code(STUB))),
"answer-a-thousand-times": File("the same answer a thousand times", "OK", "right",
    lambda: book(*[SOLVED] * 1000)),
"two-answers": File("a right answer first and a wrong one last", "OK", "other",
    lambda: book(SOLVED, code(OTHER))),
"converted-to-markdown": File("an answer turned into Markdown", "OK", "right|none",
    lambda: book(words(RIGHT))),
"converted-to-raw": File("an answer turned into a raw cell", "OK", "right|none",
    lambda: book(words(RIGHT, "raw"))),
"unknown-kind": File("a cell of no kind that there is", "OK|MALFORMED", "right|none",
    lambda: book(words(RIGHT, ["code"]))),
"marker-in-a-text": File("the marker inside a longer text", "OK", "none",
    lambda: book(code(f"x = '''\n{RIGHT}'''"), words(f"Look:\n\n{RIGHT}"))),
"marker-of-another-exercise": File("the marker of what was not asked", "OK", "none",
    lambda: book(code(RIGHT.replace(SLUG, "multi-head-attention")))),
"marker-that-is-a-path": File("a marker that is a path", "OK", "none",
    lambda: book(code(RIGHT.replace(SLUG, "../../etc/passwd")))),
"metadata-lost": File("metadata lost, as after Colab", "OK", "right",
    lambda: book(COLAB, metadata={}, nbformat_minor=0)),
"windows-line-ends": File("a marker with Windows line ends", "OK", "right",
    lambda: book(code(RIGHT.replace("\n", "\r\n")))),
"marker-lost": File("the answer's first line lost, its name kept", "OK", "right|none",
    lambda: book(SOLVED | {"source": EXERCISE.solution})),
"magics": File("magics and shell lines in the answer", "OK", "other",
    lambda: book(code(MAGICS))),
"foreign-kernel": File("a kernel that is another program", "OK", "right",
    lambda: book(SOLVED, metadata=KERNEL)),
"metadata-full-of-script": File("widgets and attachments full of script", "OK", "right",
    lambda: book(PICTURE, SOLVED, metadata=WIDGETS)),
"metadata-of-wrong-kinds": File("metadata of wrong kinds", "OK|MALFORMED", "right|none",
    lambda: each("metadata", (None, [], "x"), metadata=7)),
# Files that are no notebooks.
"empty": File("an empty file", "OK|MALFORMED", "none", lambda: b""),
"white-space": File("nothing but white space", "OK|MALFORMED", "none", lambda: b" \n\t" * 1000),
"truncated": File("half a notebook", "MALFORMED", "none", lambda: HONEST[:-120]),
"something-behind": File("a notebook and more", "MALFORMED", "none", lambda: HONEST + b"{}"),
"a-list": File("JSON that is no notebook", "MALFORMED", "none",
    lambda: packed([json.loads(book(SOLVED))])),
"deep": File("JSON nested a hundred thousand deep", "MALFORMED", "none",
    lambda: b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
"deep-objects": File("objects nested a hundred thousand deep", "MALFORMED", "none",
    lambda: b'{"cells": ' + b'{"a": ' * 100_000),
"deep-metadata": File("metadata nested ten thousand deep", "MALFORMED|OK", "none|right",
    lambda: HONEST.replace(b'"nbformat"', DEEP)),
"huge": File("twenty megabytes", "MALFORMED", "none",
    lambda: book(SOLVED, words("x" * 20_000_000))),
"many-cells": File("a hundred thousand cells", "MALFORMED", "none",
    lambda: book(*[{"cell_type": "code", "source": ""}] * 100_000, SOLVED)),
"brackets-in-a-text": File("thirty thousand brackets that never close", "OK", "right",
    lambda: book(words("[{" * 30_000 + '"' * 1000 + "\\" * 1000), SOLVED)),
"great-number": File("a number of 100,000 digits", "OK|MALFORMED", "right|none",
    lambda: HONEST.replace(MINOR, MINOR[:-1] + b"9" * 100_000)),
"no-numbers": File("numbers that JSON does not have", "OK|MALFORMED", "right|none",
    lambda: HONEST.replace(MINOR, MINOR[:-1] + b'NaN, "a": 1e999')),
"keys-twice": File("every key twice", "OK|MALFORMED", "right|none",
    lambda: HONEST[:-1] + b', "cells": ' + packed([SOLVED]) + b', "nbformat": 4}'),
"cells-no-list": File("cells that are no list", "MALFORMED", "none",
    lambda: book(cells={"0": SOLVED})),
"cells-no-cells": File("cells that are no cells", "MALFORMED", "none",
    lambda: book(1, None, "x", [], SOLVED)),
"sources-of-wrong-kinds": File("sources of wrong kinds", "MALFORMED|OK", "none|right",
    lambda: each("source", (None, 7, [["x"]]))),
"source-in-pieces": File("a source of a hundred thousand pieces", "OK", "right",
    lambda: book(code([RIGHT, *[""] * 100_000]))),
"old-format": File("the format of ten years ago", "MALFORMED", "none",
    lambda: packed(SHEETS)),
"future-format": File("a format of the future", "MALFORMED", "none",
    lambda: book(SOLVED, nbformat=99)),
"format-in-words": File("a format that is a text", "MALFORMED", "none",
    lambda: book(SOLVED, nbformat="4")),
"lone-surrogate": File("half of a pair of surrogates", "OK|MALFORMED", "other|none",
    lambda: book(words("\ud800"), code(f"{OTHER}x = '\ud83d'"))),
"nul": File("NUL bytes in a source", "OK|MALFORMED", "other|none",
    lambda: book(code(f"{OTHER}\0"))),
"byte-order-mark": File("a byte order mark", "OK", "right", lambda: b"\xef\xbb\xbf" + HONEST),
"utf-16": File("UTF-16", "OK|MALFORMED", "right|none",
    lambda: HONEST.decode().encode("utf-16")),
"latin": File("bytes of an old encoding, and some of none", "OK", "right",
    lambda: HONEST.replace(b"# Title", b"# Gr\xfc\xdfe \xff\xfe")),
"gzip": File("a compressed notebook", "MALFORMED", "none",
    lambda: gzip.compress(HONEST, mtime=0)),
"zip-bomb": File("a bomb of zeros, compressed", "MALFORMED", "none", bomb),
"pickle": File("a pickle that runs a command", "MALFORMED", "none",
    lambda: pickle.dumps(_Command())),
"png": File("a picture", "MALFORMED", "none",
    lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40),
"html": File("a page that says: please log in", "OK|MALFORMED", "none", lambda: PAGE),
"python-file": File("a Python file with the marker", "MALFORMED", "none", RIGHT.encode),
"python-file-that-ends": File("a Python file that ends who imports it", "MALFORMED", "none",
    f"{EXERCISE.marker}\nimport os\nos._exit(0)\n".encode),
}
