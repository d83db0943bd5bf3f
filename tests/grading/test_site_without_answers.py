"""The built site holds nothing of the assignments: no model answer, no notebook, no page."""

import os
import re
from html import unescape
from pathlib import Path

import pytest

from course_grader.submissions.assignment import load_assignment

ROOT = Path(__file__).parents[2]
SITE = Path(os.environ.get("ATTENTION_SITE", ROOT / "_build/html"))
SAMPLES = sorted(path.parent for path in ROOT.glob("assignments/*/assignment.toml"))


def _words(text):
    """Return a text's words, without the marks that HTML and line ends put between them."""
    return " ".join(re.findall(r"\w+", unescape(re.sub(r"<[^>]+>", " ", text))))


@pytest.mark.site
def test_no_model_answer_and_no_assignment_is_on_the_site():
    texts = [p for p in SITE.rglob("*") if p.suffix in (".html", ".txt", ".md", ".ipynb")]
    said = " ".join(_words(path.read_text(encoding="utf-8")) for path in texts)
    samples = [load_assignment(folder) for folder in SAMPLES]
    model_answers = [item.model_answer for sample in samples for item in sample.written]
    assert "A decoder is about to write a word" in said
    assert len(model_answers) == 6
    assert [text for text in model_answers if _words(text)[:60] in said] == []
    assert not (SITE / "assignments").exists()
    assert not (SITE / "private").exists()
