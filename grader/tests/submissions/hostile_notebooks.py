"""Whole files as a hostile, careless or unlucky student hands them in, one function each.

Every builder returns the bytes of a file. Beside it stands the verdict of the intake, and which
answer must be taken: "right" (the honest one), "other" (another cell's, worth nothing), "none".
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

    name: str
    build: Callable[[], bytes]
    tries: str
    verdicts: tuple[str, ...]
    taken: str


FILES: dict[str, File] = {}


def file(tries: str, verdicts: str, taken: str):
    """Enter a builder into the table."""

    def enter(build: Callable[[], bytes]) -> Callable[[], bytes]:
        name = build.__name__.strip("_").replace("_", "-")
        FILES[name] = File(name, build, tries, tuple(verdicts.split("|")), taken)
        return build

    return enter


def code(source: str, **metadata) -> dict:
    """Return a code cell."""
    return {
        "cell_type": "code",
        "execution_count": None,
        "id": f"c{len(source)}",
        "metadata": metadata,
        "outputs": [],
        "source": source,
    }


def words(source: str, **metadata) -> dict:
    """Return a Markdown cell."""
    return {"cell_type": "markdown", "id": "m1", "metadata": metadata, "source": source}


def book(*cells: dict, **changed) -> dict:
    """Return a notebook with these cells."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": list(cells), "metadata": {"kernelspec": kernel}}
    return content | {"nbformat": 4, "nbformat_minor": 5} | changed


def packed(content: object) -> bytes:
    """Return JSON as bytes."""
    return json.dumps(content).encode()


def solution_cell(**nbgrader) -> dict:
    """Return the honest answer's cell with nbgrader's metadata."""
    base = {"grade_id": SLUG, "solution": True, "grade": False, "locked": False}
    return code(RIGHT, nbgrader=base | {"schema_version": 3} | nbgrader)


# ---- cells that a student may not, or need not, change ---------------------------------------


@file("nothing", "OK", "right")
def _honest():
    return packed(book(words("# Title"), solution_cell(), code("check(four_steps)")))


@file("to give its answer a thousand points", "OK", "right")
def _changed_points():
    return packed(book(solution_cell(points=1000, grade=True, grade_id=SLUG)))


@file("to have the tests skipped by a tag", "OK", "other")
def _tag_that_skips_tests():
    tests = code("assert False", tags=["skip-execution"], nbgrader={"grade": True, "points": 5})
    return packed(book(code(OTHER, tags=["skip-execution", "raises-exception"]), tests))


@file("to delete its answer and keep a full output", "OK", "none")
def _deleted_answer():
    cell = code("print('5/5')")
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "5/5 OK"}]
    return packed(book(cell))


@file("outputs baked before, with scripts and full points", "OK", "other")
def _baked_outputs():
    cell = code(OTHER)
    page = {"text/html": "<script>alert(1)</script>", "image/svg+xml": "<svg onload=alert(1)>"}
    cell["outputs"] = [{"output_type": "display_data", "data": page, "metadata": {}}]
    return packed(book(cell))


@file("a test cell that patches the comparison", "OK", "other")
def _rewritten_tests():
    tests = code(
        "import numpy as np\nnp.allclose = lambda *a, **k: True", nbgrader={"grade": True}
    )
    return packed(book(code(OTHER), tests))


@file("a cell before it that patches everything", "OK", "other")
def _cell_before():
    first = code(
        "import builtins, os\nos.environ['POINTS'] = '5'\nbuiltins.assert_part = print"
    )
    return packed(book(first, code(OTHER)))


@file("answers in another order", "OK", "right")
def _reordered():
    return packed(book(code("check(four_steps)"), solution_cell(), words("# Title")))


@file("the answer twice, the stub last", "OK", "right")
def _answer_and_stub():
    return packed(book(solution_cell(), code(STUB)))


@file("the same answer a thousand times", "OK", "right")
def _answer_a_thousand_times():
    return packed(book(*[solution_cell()] * 1000))


@file("a right answer first and a wrong one last", "OK", "other")
def _two_answers():
    return packed(book(solution_cell(), code(OTHER)))


@file("an answer turned into a Markdown cell", "OK", "right|none")
def _converted_to_markdown():
    return packed(book(words(RIGHT)))


@file("an answer turned into a raw cell", "OK", "right|none")
def _converted_to_raw():
    return packed(book({"cell_type": "raw", "metadata": {}, "source": RIGHT}))


@file("a cell of a kind that does not exist", "OK|MALFORMED", "right|none")
def _unknown_kind():
    return packed(book({"cell_type": ["code"], "metadata": {}, "source": RIGHT}))


@file("the marker inside a longer text", "OK", "none")
def _marker_in_a_text():
    return packed(book(code(f"x = '''\n{RIGHT}'''"), words(f"Look:\n\n{RIGHT}")))


@file("the marker of an exercise that was not asked", "OK", "none")
def _marker_of_another_exercise():
    return packed(book(code(RIGHT.replace(SLUG, "multi-head-attention"))))


@file("a marker that is a path", "OK", "none")
def _marker_that_is_a_path():
    return packed(book(code(RIGHT.replace(SLUG, "../../etc/passwd"))))


@file("metadata lost, as after Colab", "OK", "right")
def _metadata_lost():
    cell = {"cell_type": "code", "metadata": {"id": "x"}, "source": RIGHT.splitlines(True)}
    return packed({"cells": [cell], "nbformat": 4, "nbformat_minor": 0, "metadata": {}})


@file("a marker with Windows line ends", "OK", "right")
def _windows_line_ends():
    return packed(book(code(RIGHT.replace("\n", "\r\n"))))


@file("the answer's first line lost, its name kept", "OK", "right|none")
def _marker_lost():
    cell = solution_cell()
    cell["source"] = EXERCISE.solution
    return packed(book(cell))


@file("magics and shell lines in the answer", "OK", "other")
def _magics():
    return packed(
        book(code(f"{EXERCISE.marker}\n%%bash\n!touch attention-hostile\n%load x.py"))
    )


@file("a kernel that is another program", "OK", "right")
def _foreign_kernel():
    kernel = {"kernelspec": {"name": "bash", "argv": ["sh", "-c", "touch attention-hostile"]}}
    return packed(book(solution_cell(), metadata=kernel))


@file("widgets, attachments and metadata full of script", "OK", "right")
def _metadata_full_of_script():
    extra = {"widgets": {"x" * 1000: "<script>alert(1)</script>"}, "nbgrader": [1, {"a": None}]}
    cell = words("![x](attachment:x.svg)", nbgrader="none")
    cell["attachments"] = {"x.svg": {"image/svg+xml": "PHN2Zy8+"}}
    return packed(book(cell, solution_cell(), metadata=extra))


@file("metadata of every wrong kind", "OK|MALFORMED", "right|none")
def _metadata_of_wrong_kinds():
    cells = [code("1"), code("2"), code("3"), solution_cell()]
    for cell, metadata in zip(cells, (None, [], "x"), strict=False):
        cell["metadata"] = metadata
    return packed(book(*cells, metadata=7))


# ---- files that are no notebooks --------------------------------------------------------


@file("an empty file", "OK|MALFORMED", "none")
def _empty():
    return b""


@file("nothing but white space", "OK|MALFORMED", "none")
def _white_space():
    return b" \n\t" * 1000


@file("half a notebook", "MALFORMED", "none")
def _truncated():
    return _honest()[:-120]


@file("a notebook with something behind it", "MALFORMED", "none")
def _something_behind():
    return _honest() + b"{}"


@file("JSON that is no notebook", "MALFORMED", "none")
def _a_list():
    return packed([book(solution_cell())])


@file("JSON nested a hundred thousand deep", "MALFORMED", "none")
def _deep():
    return b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@file("objects nested a hundred thousand deep", "MALFORMED", "none")
def _deep_objects():
    return b'{"cells": ' + b'{"a": ' * 100_000


@file("metadata nested ten thousand deep beside an answer", "MALFORMED|OK", "none|right")
def _deep_metadata():
    deep = b"[" * 10_000 + b"]" * 10_000
    return _honest().replace(b'"nbformat"', b'"deep": ' + deep + b', "nbformat"')


@file("twenty megabytes", "MALFORMED", "none")
def _huge():
    return packed(book(solution_cell(), words("x" * 20_000_000)))


@file("a hundred thousand cells", "MALFORMED", "none")
def _many_cells():
    return packed(book(*[{"cell_type": "code", "source": ""}] * 100_000, solution_cell()))


@file("thirty thousand brackets that never close, in a text", "OK", "right")
def _brackets_in_a_text():
    return packed(book(words("[{" * 30_000 + '"' * 1000 + "\\" * 1000), solution_cell()))


@file("a number of a hundred thousand digits", "OK|MALFORMED", "right|none")
def _great_number():
    return _honest().replace(b'"nbformat_minor": 5', b'"nbformat_minor": ' + b"9" * 100_000)


@file("numbers that JSON does not have", "OK|MALFORMED", "right|none")
def _no_numbers():
    return _honest().replace(b'"nbformat_minor": 5', b'"nbformat_minor": NaN, "a": 1e999')


@file("every key twice", "OK|MALFORMED", "right|none")
def _keys_twice():
    return _honest()[:-1] + b', "cells": ' + packed([solution_cell()]) + b', "nbformat": 4}'


@file("cells that are no list", "MALFORMED", "none")
def _cells_no_list():
    return packed(book() | {"cells": {"0": solution_cell()}})


@file("cells that are no cells", "MALFORMED", "none")
def _cells_no_cells():
    return packed(book() | {"cells": [1, None, "x", [], solution_cell()]})


@file("sources of every wrong kind", "MALFORMED|OK", "none|right")
def _sources_of_wrong_kinds():
    cells = [code(""), code(""), code(""), solution_cell()]
    for cell, source in zip(cells, (None, 7, [["x"]]), strict=False):
        cell["source"] = source
    return packed(book(*cells))


@file("a source of a hundred thousand pieces", "OK", "right")
def _source_in_pieces():
    return packed(book(code([]) | {"source": [*RIGHT, *[""] * 100_000]}))


@file("the format of ten years ago", "MALFORMED", "none")
def _old_format():
    sheet = {"cells": [{"cell_type": "code", "input": RIGHT, "language": "python"}]}
    return packed({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [sheet]})


@file("a format of the future", "MALFORMED", "none")
def _future_format():
    return packed(book(solution_cell(), nbformat=99))


@file("a format that is a text", "MALFORMED", "none")
def _format_in_words():
    return packed(book(solution_cell(), nbformat="4"))


@file("half of a pair of surrogates in a name and a source", "OK|MALFORMED", "other|none")
def _lone_surrogate():
    return packed(book(words("\ud800"), code(f"{OTHER}x = '\ud83d'")))


@file("NUL bytes in a source", "OK|MALFORMED", "other|none")
def _nul():
    return packed(book(code(f"{OTHER}\0")))


@file("a byte order mark", "OK", "right")
def _byte_order_mark():
    return b"\xef\xbb\xbf" + _honest()


@file("UTF-16", "OK|MALFORMED", "right|none")
def _utf_16():
    return _honest().decode().encode("utf-16")


@file("bytes of an old encoding, and some of none", "OK", "right")
def _latin():
    return _honest().replace(b"# Title", b"# Gr\xfc\xdfe \xff\xfe")


@file("a compressed notebook", "MALFORMED", "none")
def _gzip():
    return gzip.compress(_honest(), mtime=0)


@file("a bomb of zeros, compressed", "MALFORMED", "none")
def _zip_bomb():
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("hw1.ipynb", bytes(50_000_000))
    return held.getvalue()


class _Command:
    def __reduce__(self):
        return (exec, ("open('attention-hostile', 'w')",))


@file("a pickle that runs a command", "MALFORMED", "none")
def _pickle():
    return pickle.dumps(_Command())


@file("a picture", "MALFORMED", "none")
def _png():
    return b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


@file("a page of a site that says: please log in", "OK|MALFORMED", "none")
def _html():
    return b"<!doctype html><script>alert(1)</script><h1>Please log in</h1>"


@file("a Python file with the marker", "OK", "right")
def _python_file():
    return RIGHT.encode()


@file("a Python file that ends the process that imports it", "OK", "other")
def _python_file_that_ends():
    return f"{EXERCISE.marker}\nimport os\nos._exit(0)\n".encode()
