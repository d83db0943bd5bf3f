"""Every file: its size, the addresses and paths in it, and where data come from."""

import re

import pytest
from repository_rules import (
    DATA,
    ROOT,
    data_complaints,
    data_folders,
    files,
    install_complaints,
    is_text,
    recorded_complaints,
    size_complaint,
    text_complaints,
)

FILES = files()
FOLDERS = {str(path.relative_to(DATA)): path for path in data_folders()}
RECORDED = {path.stem: path for path in sorted((DATA / "recorded").glob("*.json"))}


def test_no_file_is_too_large():
    found = {str(path): line for path in FILES if (line := size_complaint(path))}
    assert found == {}


def test_no_file_names_a_machines_path_or_a_registry():
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in filter(is_text, FILES)
        for line in text_complaints(path, path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_no_page_installs_a_strangers_package():
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in filter(is_text, FILES)
        for line in install_complaints(path, path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_data_say_where_they_come_from_and_under_which_licence(folder):
    assert list(data_complaints(FOLDERS[folder])) == []


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_result_states_its_provenance(name):
    assert recorded_complaints(RECORDED[name]) == []


@pytest.mark.parametrize(
    "name",
    [
        "requirements.txt",
        "requirements/book.txt",
        "requirements/lab.txt",
        "requirements/colab.txt",
        "requirements/nbgrader.txt",
    ],
)
def test_requirements_are_pinned_exactly(name):
    lines = (ROOT / name).read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-r "))]
    loose = [line for line in wanted if not re.match(r"^[\w.-]+==[\w.+]+( ;.*)?$", line)]
    assert wanted
    assert loose == []


def test_the_book_needs_no_torch():
    assert "torch" not in (ROOT / "requirements/book.txt").read_text().split("==")[0::2]
    lines = (ROOT / "requirements/book.txt").read_text().splitlines()
    assert not [line for line in lines if line.startswith("torch==")]
