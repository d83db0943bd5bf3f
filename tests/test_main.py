"""``python -m attention_course``: what runs here, what does not, and what would mend it."""

import pytest

import attention_course.__main__ as front
from attention_course import environment


def told(capsys):
    status = front.main()
    return status, " ".join(capsys.readouterr().out.split())


def test_where_all_is_there_nothing_of_a_chapter_is_to_be_mended(capsys):
    status, said = told(capsys)
    assert status == 0
    assert "Chapters without training: run Chapters that train a model: run" in said


@pytest.mark.parametrize(
    ("missing", "status", "words"),
    [
        ("plotly", 1, "plotly is missing to mend it: python -m pip install -U plotly "),
        ("torch", 0, "torch is missing to mend it: make lab, in the course's folder"),
        ("jupyterlab", 0, "JupyterLab is missing to mend it: make lab"),
        ("triton", 0, "Triton is missing to mend it: on Linux: python -m pip install triton"),
    ],
)
def test_what_is_missing_is_said_with_what_mends_it(
    missing, status, words, monkeypatch, capsys
):
    there = front.find_spec

    def find(name):
        return None if name == missing else there(name)

    monkeypatch.setattr(front, "find_spec", find)
    monkeypatch.setattr(environment.importlib.util, "find_spec", find)
    assert told(capsys)[0] == status
    front.main()
    assert words in " ".join(capsys.readouterr().out.split()) + " "


def test_what_is_too_old_is_named_with_its_floor(monkeypatch, capsys):
    monkeypatch.setitem(environment.FLOORS, "numpy", "99.0")
    status, said = told(capsys)
    assert status == 1
    assert "(older than 99.0) to mend it: python -m pip install -U numpy" in said


def test_without_a_compiler_torch_compile_is_named(monkeypatch, capsys):
    monkeypatch.setattr(front.shutil, "which", lambda name: None)
    assert "no C++ compiler to mend it: g++" in told(capsys)[1]
