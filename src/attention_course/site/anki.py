"""The cards of the review as a deck for Anki, by genanki."""

import hashlib
import io
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from sphinx.errors import ExtensionError

FILE = "deck-for-anki.apkg"
NAME = "Attention, Measured"
# Anki knows a deck, and a kind of notes, by a number: drawn once.
DECK, KIND = 1_803_264_917, 1_522_970_381
BEGAN = 1_767_225_600  # 2026-01-01, for every note: the same cards are the same file
_FACE = "<p><small>{{Chapter}}</small></p>{{Question}}"
_TEMPLATE = {"name": "Card", "qfmt": _FACE, "afmt": f"{_FACE}<hr id=answer>{{{{Answer}}}}"}
# A formula is there twice, and Anki sets MathML.
_CSS = ".katex-html{display:none} pre{overflow-x:auto;text-align:left} svg{max-width:100%}"
_LINK = re.compile(r"</?a\b[^>]*>")  # leads nowhere outside the site


def write(cards: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write cards as ``review.py`` makes them; what is imported again stays the same card.

    Raises:
        ExtensionError: if genanki is not installed.
    """
    try:
        import genanki
    except ImportError as error:
        raise ExtensionError(
            "The deck for Anki needs genanki, which requirements/book.txt pins: "
            "run make environment"
        ) from error
    fields = [{"name": name} for name in ("Question", "Answer", "Chapter")]
    model = genanki.Model(KIND, NAME, fields=fields, templates=[_TEMPLATE], css=_CSS)
    deck = genanki.Deck(DECK, NAME)
    for card in cards:
        # genanki warns of a tag that goes over several lines.
        sides = [_LINK.sub("", side).replace("\n", "&#10;") for side in _sides(card)]
        guid = hashlib.sha256(card["id"].encode()).hexdigest()[:20]
        deck.add_note(genanki.Note(model, [*sides, card["title"]], guid=guid))
    made = io.BytesIO()
    genanki.Package(deck).write_to_file(made, timestamp=BEGAN)
    with ZipFile(made) as dated, ZipFile(path, "w") as file:
        for name in dated.namelist():
            file.writestr(ZipInfo(name), dated.read(name), ZIP_DEFLATED)


def _sides(card: Mapping[str, Any]) -> tuple[str, str]:
    ask, answer = card["ask"], card["answer"]
    if "labels" in card:
        told = ask.replace(' display="none"', "")
        told = told.replace("<g data-asked", '<g display="none" data-asked')
        listed = "".join(f"<li>{label}</li>" for label in card["labels"])
        return ask, f"{told}<ol>{listed}</ol>{answer}"
    ways = "".join(f"<pre>{line}</pre>" for line, _ in card.get("ways", ()))
    return ask + ways, answer
