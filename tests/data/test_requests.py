"""The requests: as many as are said, in order, and the file of its provenance."""

import hashlib
from importlib import resources

from attention_course.data.requests import conversations

FOLDER = resources.files("attention_course.data") / "corpora/requests"


def test_six_hundred_requests_in_order():
    rows = conversations()
    assert len(rows) == 600
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert min(min(row[1:]) for row in rows) >= 1
    assert rows[-1][0] == 148.19


def test_the_file_is_the_one_whose_provenance_is_told():
    told = (FOLDER / "PROVENANCE.md").read_text("utf-8")
    content = (FOLDER / "conversations.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() in told
    assert "Attribution 4.0" in (FOLDER / "LICENSE").read_text("utf-8")
