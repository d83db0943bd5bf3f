"""The built site holds nothing of the assignments: no model answer, no notebook, no page."""

import os
import re
import tomllib
from html import unescape
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("ATTENTION_SITE", ROOT / "_build/html"))
SAMPLES = sorted(ROOT.glob("assignments/*/assignment.toml"))


def _words(text):
    """Return a text's words, without the marks that HTML and line ends put between them."""
    return " ".join(re.findall(r"\w+", unescape(re.sub(r"<[^>]+>", " ", text))))


@pytest.mark.site
def test_no_model_answer_and_no_assignment_is_on_the_site():
    texts = [p for p in SITE.rglob("*") if p.suffix in (".html", ".txt", ".md", ".ipynb")]
    said = " ".join(_words(path.read_text(encoding="utf-8")) for path in texts)
    items = [
        item for path in SAMPLES for item in tomllib.loads(path.read_text("utf-8"))["items"]
    ]
    model_answers = [item["model_answer"] for item in items if "written" in item]
    assert "A decoder is about to write a word" in said
    assert len(model_answers) == 8
    assert [text for text in model_answers if _words(text)[:60] in said] == []
    assert not (SITE / "assignments").exists()
    assert not (SITE / "private").exists()
