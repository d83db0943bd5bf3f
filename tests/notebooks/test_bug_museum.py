"""Each property of the bug museum fails on its bug and passes on the mended code."""

import re

import nbformat
import pytest
from rules.notebooks import ROOT, code_cells

import attention_course

PAGE = nbformat.read(ROOT / "book" / "practice" / "bug-museum.ipynb", 4)
REPORTS = r"\]\(https://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull)/\d+\)"


@pytest.fixture(scope="module")
def exhibits():
    names = {"ac": attention_course}
    for cell in code_cells(PAGE)[1:]:  # the first sets up
        if "exercise" in cell.metadata.get("tags", ()):
            break
        exec(compile(cell.source, cell.id, "exec"), names)
    return names["exhibits"]


def faults(exhibits):
    """Say of which exhibits the property does not tell the bug from the mended code."""
    found = {name: (tell(bug), tell(fix)) for name, (tell, bug, fix) in exhibits.items()}
    return [name for name, (bug, fix) in found.items() if not bug > 0.1 > 1e-9 > fix]


def test_each_property_fails_on_its_bug_and_passes_on_the_mended_code(exhibits):
    assert len(exhibits) >= 16
    assert faults(exhibits) == []


def test_each_exhibit_has_its_public_report(exhibits):
    prose = "\n\n".join(c.source for c in PAGE.cells if c.cell_type == "markdown")
    reported = re.findall(rf"^\*\*([A-Z])\.\*\*(?:(?!\n\n).)*?{REPORTS}", prose, re.M | re.S)
    assert sorted(reported) == sorted(exhibits)
