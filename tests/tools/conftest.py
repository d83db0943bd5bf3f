"""A machine that has little."""

import shutil

import pytest

ORDINARY = ("bash", "cat", "cksum", "dirname", "env", "find", "head", "id", "realpath", "rm")
ORDINARY += ("sed", "sort", "stat", "touch")


@pytest.fixture
def bare(tmp_path):
    """A PATH with the ordinary commands, and without Python, Node and browser."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ORDINARY:
        (folder / name).symlink_to(shutil.which(name))
    return {"PATH": str(folder), "HOME": str(tmp_path)}
