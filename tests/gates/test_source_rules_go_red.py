"""The rules about source files, data and addresses: each complains of one seeded defect."""

import json

import pytest
from rules.repository import (
    PROVENANCE,
    TORCH_INDEX,
    data_complaints,
    install_complaints,
    recorded_complaints,
    size_complaint,
    text_complaints,
)
from rules.source import ROOT, import_complaints

GATE = pytest.mark.gate


@pytest.mark.parametrize(
    ("part", "source"),
    [
        pytest.param("reference", "from attention_course.layers import Attention",
            marks=GATE("import directions", "reference imports layers")),
        pytest.param("reference", "def f():\n    import torch",
            marks=GATE("reference is NumPy only", "torch imported inside a function")),
        pytest.param("data", "from attention_course import measure",
            marks=GATE("data and measure stand alone", "data imports measure")),
        pytest.param("layers", "import jaxtyping",
            marks=GATE("nothing that Colab lacks at import", "jaxtyping imported directly")),
        pytest.param("exercises", "def f():\n    from course_grader.sandbox import sandbox",
            marks=GATE("the course stands without its grader", "exercises import the grader")),
        pytest.param("grader", "from attention_course.exercises.check import said_report",
            marks=GATE("what the grader needs", "the grader imports more than the protocol")),
        pytest.param("drawing", "from book import anything",
            marks=GATE("nothing imports from the book", "drawing imports book")),
    ],
)  # fmt: skip
def test_a_wrong_import_is_noticed(part, source):
    assert len(import_complaints(part, source)) == 1


def test_a_right_import_is_not():
    fallback = "try:\n    import jaxtyping\nexcept ModuleNotFoundError:\n    pass"
    assert import_complaints("_shapes", fallback) == []
    assert import_complaints("layers", "import torch\nimport attention_course._shapes") == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("see " + "/home" + "/someone/x",
            marks=GATE("no machine's paths", "a home folder in a page")),
        pytest.param("It is right in 0.41 ± 0.05 of the rows.",
            marks=GATE("± is a spread over runs, on every page", "a tolerance in a page")),
        pytest.param("<" * 7 + " HEAD",
            marks=GATE("no merge is left unfinished", "a mark of git's in a page")),
        pytest.param("from https://" + "pypi" + ".org/simple",
            marks=GATE("no registry's address", "a package index in a page")),
        pytest.param(f"--index-url https://{TORCH_INDEX}/whl/cpu",
            marks=GATE("PyTorch's index in Makefile and binder/ only", "the same in a page")),
    ],
)  # fmt: skip
def test_an_address_that_does_not_belong_is_noticed(text):
    assert len(list(text_complaints(ROOT / "book/page.md", text))) == 1


def test_an_ordinary_line_is_not():
    line = "https://github.com/home/page and ../root/x, 1/home, ±1, from -3 to ±x"
    assert list(text_complaints(ROOT / "book/page.md", line)) == []
    index = f"https://{TORCH_INDEX}/whl/cpu"
    assert list(text_complaints(ROOT / "binder/requirements.txt", index)) == []


@pytest.mark.gate("pages install this course only", "a bare package name")
def test_a_foreign_install_on_a_page_is_noticed():
    page = ROOT / "book/page.md"
    assert install_complaints(page, "run `pip install attention-course`") != []
    assert install_complaints(page, "run `pip install -r requirements.txt`") == []


@pytest.mark.gate("files of at most five megabytes", "one byte more")
def test_a_large_file_is_noticed(tmp_path):
    path = tmp_path / "large.bin"
    for size, expected in ((5_000_000, False), (5_000_001, True)):
        path.write_bytes(bytes(size))
        assert bool(size_complaint(path)) is expected


@pytest.mark.gate("data carry provenance and licence", "a corpus with neither")
def test_data_without_origin_are_noticed(tmp_path):
    (tmp_path / "words.txt").write_text("a\n")
    assert len(list(data_complaints(tmp_path))) == 3
    (tmp_path / "PROVENANCE.md").write_text("`words.txt`: made here.")
    (tmp_path / "LICENSE").write_text("CC0")
    assert list(data_complaints(tmp_path)) == []


@pytest.mark.gate("recorded results state their provenance", "a result without a script")
def test_a_result_without_provenance_is_noticed(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"result": 1}))
    assert len(recorded_complaints(path)) == 6
    stated = dict.fromkeys(PROVENANCE, "x") | {"script": "tools/stamp.py"}
    path.write_text(json.dumps({"result": 1, "provenance": stated}))
    assert recorded_complaints(path) == []
