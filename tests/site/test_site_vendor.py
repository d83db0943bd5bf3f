import gzip
import hashlib
import json
import re

import pytest
from plotly.offline import get_plotlyjs_version

from attention_course.site.assets import VENDOR, katex_css

FOLDERS = sorted(folder.name for folder in VENDOR.iterdir())


@pytest.mark.parametrize("name", FOLDERS)
def test_every_vendored_file_is_the_one_that_was_recorded(name):
    folder = VENDOR / name
    text = (folder / "PROVENANCE.md").read_text("utf-8")
    recorded = dict(re.findall(r"\| `(.+?)` \| `([0-9a-f]{64})` \|", text))
    found = {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file() and file.name != "PROVENANCE.md"
    }

    assert found == recorded
    assert "LICENSE" in recorded
    assert re.search(r"Version: \d+\.\d+\.\d+", text)
    assert "npm package: `" in text


def test_the_page_draws_with_the_plotly_that_the_notebooks_wrote_for():
    head = (VENDOR / "plotly" / "plotly-cartesian.min.js").read_text("utf-8")[:200]
    recorded = (VENDOR / "plotly" / "PROVENANCE.md").read_text("utf-8")

    assert f"v{get_plotlyjs_version()}\n" in head
    assert f"Version: {get_plotlyjs_version()}\n" in recorded


def test_katex_is_served_with_fonts_that_are_there():
    fonts = set(re.findall(r"url\((.*?)\)", katex_css()))

    assert len(fonts) == 20
    assert all((VENDOR / "katex" / font).is_file() for font in fonts)


def test_the_pages_python_and_numpy_are_the_ones_that_belong_together():
    folder = VENDOR / "pyodide"
    lock = json.loads((folder / "pyodide-lock.json").read_text("utf-8"))
    recorded = (folder / "PROVENANCE.md").read_text("utf-8")
    numpy = lock["packages"]["numpy"]
    assert (
        hashlib.sha256((folder / numpy["file_name"]).read_bytes()).hexdigest()
        == (numpy["sha256"])
    )
    assert f"Version: {lock['info']['version']}\n" in recorded
    for path in folder.glob("*.gz"):
        unpacked = hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest()
        assert f"- `{path.stem}`: {unpacked}\n" in recorded
