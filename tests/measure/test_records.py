"""Recorded results: every stored number carries where it came from."""

import json
import math
import platform
import re
import socket
import sys
from pathlib import Path

import numpy as np
import pytest

from attention_course.measure import provenance, record, recorded, records

SCRIPT = "benchmarks/lengths.py --seed 3"


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """An empty folder in place of the one that ships with the course."""
    monkeypatch.setattr(records.resources, "files", lambda package: tmp_path)
    return tmp_path / "data" / "recorded"


def test_provenance_says_who_when_and_with_what():
    about = provenance(SCRIPT)
    assert about["script"] == SCRIPT
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", about["date"])
    assert about["python"] == "{}.{}.{}".format(*sys.version_info)
    assert about["packages"]["numpy"] == np.__version__
    assert re.search(r"\d+ CPU cores", about["machine"])
    assert about["threads"] >= 1


def test_provenance_names_no_host_and_no_folder(monkeypatch):
    monkeypatch.setattr(platform, "node", lambda: "anns-laptop")
    monkeypatch.setattr(socket, "gethostname", lambda: "anns-laptop")
    monkeypatch.setenv("HOME", "/home/ann")
    text = json.dumps(provenance(SCRIPT))
    for private in ("ann", str(Path.cwd()), str(Path(sys.prefix))):
        assert private not in text


def test_a_package_that_is_not_there_is_left_out_and_without_torch_there_is_one_thread(
    monkeypatch,
):
    monkeypatch.setattr(records, "_PACKAGES", ("numpy", "no-such-package"))
    monkeypatch.setitem(sys.modules, "torch", None)
    assert list(provenance(SCRIPT)["packages"]) == ["numpy"]
    assert provenance(SCRIPT)["threads"] == 1


@pytest.mark.parametrize(
    "script", ["", "  ", "/home/ann/run.py", "/tmp/run.py --seed 3", "../run.py", "~/run.py"]
)
def test_a_script_outside_the_repository_is_refused(script):
    with pytest.raises(ValueError, match=f"^provenance: script must .* got {script!r}$"):
        provenance(script)


def test_what_is_recorded_in_a_new_folder_is_read_back_and_an_unknown_name_refused(shipped):
    path = shipped / "lengths.json"
    assert record(str(path), {"exact": [0.5, 0.25]}, script=SCRIPT, seeds=3) == path
    assert path.read_text(encoding="utf-8").endswith("}\n")
    result, about = recorded("lengths")
    assert result == {"exact": [0.5, 0.25]}
    assert (about["script"], about["seeds"]) == (SCRIPT, 3)
    said = r"^recorded: name must be one of \['lengths'\], got 'x'"
    with pytest.raises(ValueError, match=said):
        recorded("x")


def test_the_same_result_is_the_same_file(tmp_path):
    one = record(tmp_path / "1.json", {"b": 1, "a": 2}, script=SCRIPT)
    two = record(tmp_path / "2.json", {"a": 2, "b": 1}, script=SCRIPT)
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("bad", [math.nan, math.inf, [1, {"x": -math.inf}], np.ones(2), {1, 2}])
def test_what_json_cannot_hold_is_refused_and_nothing_is_written(tmp_path, bad):
    with pytest.raises(ValueError, match=r"^record: result must be .* got: "):
        record(tmp_path / "bad.json", bad, script=SCRIPT)
    assert list(tmp_path.iterdir()) == []
