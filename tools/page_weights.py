"""What each page of a built site may weigh, compressed: before one scrolls, and in all.

A page may weigh a tenth more than ``tests/page_weights.json`` says; a page that is not there,
as much as the heaviest that is. To let a page weigh more is a decision: put
``"allowed": {"before": BYTES, "after": BYTES}`` into its row by hand, and ``"why"`` beside it.

A chapter shows at most 2,000 words and ten folds up to its exercises. One that had more says in
its row how many; that number may only fall.
"""

import json
import re
from pathlib import Path

from bs4 import BeautifulSoup

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "tests" / "page_weights.json"
MORE = 1.1
SEEN = {"words": 2000, "folds": 10}  # at most; what a row of the record says may only fall
WORD = re.compile(r"[^\W\d_][\w'’-]*")
# A prediction's question is read; its answer, and other widgets, are not.
NOT_READ = (
    "script, style, svg, [popover], .ac-undrawn, .math, .headerlink, .ac-time, "
    "details.ac-data, .cell_input, [class*=highlight-]:not(.highlight-myst-ansi), "
    "[data-ac-key^=predict-] details, [data-ac-key]:not([data-ac-key^=predict-])"
)


def recorded(path: Path = RECORD) -> dict[str, dict]:
    """Return what each page weighed, in bytes, by its address inside the site."""
    return json.loads(path.read_text(encoding="utf-8"))["pages"]


def limit(page: str, when: str, record: dict[str, dict]) -> float:
    """Return the bytes that a page may weigh ``before`` scrolling or ``after``."""
    if when not in record.get(page, {}):
        return max(row.get(when, 0) for row in record.values())
    return record[page].get("allowed", {}).get(when, MORE * record[page][when])


def seen_of(html: str) -> dict[str, int]:
    """Return how many words a page shows up to its exercises, and how many closed folds.

    Words as a reader counts them: open text, captions, questions, tables and what is printed,
    the summaries of folds; no code, formulas, numbers or widgets.
    """
    article = BeautifulSoup(html, "lxml").find("article")
    for last in article.select("section#exercises")[:1]:
        for part in [*last.find_next_siblings(), last]:
            part.decompose()
    for part in article.select(NOT_READ):
        part.decompose()
    for answer in article.select("details.ac-answer"):  # open, but for who is asked to guess
        answer.summary.decompose()
        answer.unwrap()
    folds = [f for f in article.select("details") if f.find_parent("details") is None]
    for fold in folds:
        for part in list(fold.children):
            if part.name != "summary":
                part.extract()
    return {"words": len(WORD.findall(article.get_text(" "))), "folds": len(folds)}


def too_much(page: str, html: str, record: dict[str, dict]) -> list[str]:
    """Return what a chapter shows more of than its row, or the rule, allows."""
    most = SEEN | {key: n for key, n in record.get(page, {}).items() if key in SEEN}
    found = seen_of(html)
    return [f"{page}: {found[k]} {k}, at most {most[k]}" for k in SEEN if found[k] > most[k]]
