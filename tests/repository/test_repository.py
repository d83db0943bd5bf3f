"""Every file: its size, the addresses and paths in it, and where data come from."""

import re

from rules.repository import (
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
RECORDED = {path.stem: path for path in sorted((DATA / "recorded").rglob("*.json"))}


def test_no_file_is_too_large():
    found = {str(path): line for path in FILES if (line := size_complaint(path))}
    assert found == {}
    assert len(FILES) >= 1120


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


def test_data_say_where_they_come_from_and_under_which_licence():
    found = [f"{name}: {line}" for name in FOLDERS for line in data_complaints(FOLDERS[name])]
    assert found == []
    assert len(FOLDERS) >= 8


def test_a_recorded_result_states_its_provenance():
    found = [f"{n}: {line}" for n in RECORDED for line in recorded_complaints(RECORDED[n])]
    assert found == []
    assert len(RECORDED) >= 30


HASH = re.compile(r"( \\\n    --hash=sha256:[0-9a-f]{64})+$", re.M)


def test_requirements_are_pinned_exactly():
    wanted = [
        f"{path.name}: {line}"
        for path in [ROOT / "requirements.txt", *sorted((ROOT / "requirements").glob("*.txt"))]
        for line in HASH.sub("", path.read_text(encoding="utf-8")).splitlines()
        if line and not line.startswith(("#", "-r "))
    ]
    loose = [line for line in wanted if not re.search(r": [\w.-]+==[\w.+]+( ;.*)?$", line)]
    assert loose == []
    assert len(wanted) >= 240


def test_the_book_needs_no_torch():
    lines = (ROOT / "requirements/book.txt").read_text().splitlines()
    assert not [line for line in lines if line.startswith("torch==")]
