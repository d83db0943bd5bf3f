"""CONTRIBUTING, the manual behind it and ARCHITECTURE name what is there, and every gate."""

import re
import sys

import pytest
from rules.source import ROOT

MANUAL = "docs/manual.md"
PAGES = ("CONTRIBUTING.md", MANUAL, "ARCHITECTURE.md")
# Paths are given from the repository, from the package, or from tests; .venv stands for the
# environment of this run, wherever that lies.
BASES = [ROOT, ROOT / "src/attention_course", ROOT / "tests"]
STANDS_FOR = re.compile(r"[A-Z]{3,}|/x\b|^_build/")
PATH = re.compile(r"(?:[\w.-]+/)+[\w.-]*")


def missing(text: str) -> list[str]:
    """Return the paths and targets that a page names and that are not there."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    quoted = re.findall(r"`([^`\n]+)`", text)
    paths = [part for words in quoted for part in words.split() if PATH.fullmatch(part)]
    gone = []
    for path in paths:
        own = re.sub(r"^\.venv(?=/)", sys.prefix, path)
        if not STANDS_FOR.search(path) and not any((base / own).exists() for base in BASES):
            gone.append(path)
    targets = [words.split()[1] for words in quoted if words.startswith("make ")]
    return gone + [f"make {t}" for t in targets if not re.search(rf"^{t}:", makefile, re.M)]


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_names_is_there(page):
    assert missing((ROOT / page).read_text(encoding="utf-8")) == []


def test_contributing_is_short():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 1400
    assert re.findall(r"(?m)^(9|\d\d)\. ", text) == []
