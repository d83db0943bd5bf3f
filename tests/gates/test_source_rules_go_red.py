"""The rules about source files, data and addresses: each complains of one seeded defect."""

import json

import pytest
from rules.repository import (
    PROVENANCE,
    TORCH_INDEX,
    data_complaints,
    install_complaints,
    recorded_complaints,
    text_complaints,
)
from rules.source import ROOT, import_complaints


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("reference", "from attention_course.layers import Attention"),
        ("reference", "def f():\n    import torch"),
        ("data", "from attention_course import measure"),
        ("data", "import torch"),
        ("exercises", "def f():\n    from course_grader.sandbox import sandbox"),
        ("grader", "from attention_course.exercises.check import said_report"),
    ],
)
def test_a_wrong_import_is_noticed(part, source):
    assert len(import_complaints(part, source)) == 1


def test_a_right_import_is_not():
    fallback = "try:\n    import jaxtyping\nexcept ModuleNotFoundError:\n    pass"
    assert import_complaints("_shapes", fallback) == []
    assert import_complaints("layers", "import torch\nimport attention_course._shapes") == []


@pytest.mark.parametrize(
    "text",
    [
        "see " + "/home" + "/someone/x",
        "It is right in 0.41 ± 0.05 of the rows.",
        "<" * 7 + " HEAD",
        "from https://" + "pypi" + ".org/simple",
        f"--index-url https://{TORCH_INDEX}/whl/cpu",
    ],
)
def test_an_address_that_does_not_belong_is_noticed(text):
    assert len(list(text_complaints(ROOT / "book/page.md", text))) == 1


def test_an_ordinary_line_is_not():
    line = "https://github.com/home/page and ../root/x, 1/home, ±1, from -3 to ±x"
    assert list(text_complaints(ROOT / "book/page.md", line)) == []
    index = f"https://{TORCH_INDEX}/whl/cpu"
    assert list(text_complaints(ROOT / "binder/requirements.txt", index)) == []


def test_a_foreign_install_on_a_page_is_noticed():
    page = ROOT / "book/page.md"
    assert install_complaints(page, "run `pip install attention-course`") != []
    assert install_complaints(page, "run `pip install -r requirements.txt`") == []


def test_data_without_origin_are_noticed(tmp_path):
    (tmp_path / "words.txt").write_text("a\n")
    assert len(list(data_complaints(tmp_path))) == 3
    (tmp_path / "PROVENANCE.md").write_text("`words.txt`: made here.")
    (tmp_path / "LICENSE").write_text("CC0")
    assert list(data_complaints(tmp_path)) == []


def test_a_result_without_provenance_is_noticed(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"result": 1}))
    assert len(recorded_complaints(path)) == 6
    stated = dict.fromkeys(PROVENANCE, "x") | {"script": "tools/stamp.py"}
    path.write_text(json.dumps({"result": 1, "provenance": stated}))
    assert recorded_complaints(path) == []
