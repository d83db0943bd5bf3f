"""The deck for Anki: every card, the same bytes each time, or why there is none."""

import sqlite3
import sys
from zipfile import ZipFile

import pytest
from sphinx.errors import ExtensionError

from attention_course.drawing.labels import hidden
from attention_course.site import anki

DRAWING, LABELS = hidden("block")
TERM = {"id": "term softmax", "title": "By hand", "ask": "<p>What is <b>softmax</b>?</p>"}
TERM["answer"] = '<p>Weights, see <a href="x.html">there</a>.</p>\n<pre>a\nb</pre>'
BLOCK = {"id": "drawing block", "title": "The block", "ask": DRAWING, "labels": LABELS}
CODE = {"id": "code four-steps", "title": "By hand", "ask": "<pre>?</pre>"}
CODE["ways"] = [["a &lt; b", ""], ["b", "Why?"]]
CARDS = [TERM, BLOCK | {"answer": "<p>A block.</p>"}, CODE | {"answer": "<pre>a &lt; b</pre>"}]


def notes(path, folder):
    with ZipFile(path) as file:
        database = sqlite3.connect(file.extract("collection.anki2", folder))
    rows = database.execute("select guid, flds from notes order by id").fetchall()
    assert database.execute("select count(*) from cards").fetchone() == (len(rows),)
    database.close()
    return {guid: fields.split("\x1f") for guid, fields in rows}


def test_each_card_is_a_note_and_stays_the_same_when_its_words_change(tmp_path):
    path = tmp_path / "deck.apkg"
    anki.write(CARDS, path)
    first = path.read_bytes()
    before = notes(path, tmp_path)
    term, drawing, code = before.values()
    assert term[2] == "By hand"
    assert "there" in term[1]
    assert "href" not in term[1]
    assert 'display="none" data-asked' not in drawing[0]
    assert 'data-told="1" display="none"' in drawing[0]
    assert 'display="none" data-asked="1"' in drawing[1]
    assert "<li>attention</li>" in drawing[1]
    assert "a &lt; b" in code[0]
    anki.write(CARDS, path)
    assert path.read_bytes() == first
    anki.write([CARDS[0] | {"answer": "<p>New.</p>"}, *CARDS[1:]], path)
    after = notes(path, tmp_path)
    assert after.keys() == before.keys()
    assert next(iter(after.values()))[1] == "<p>New.</p>"


def test_without_genanki_the_build_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "genanki", None)
    with pytest.raises(ExtensionError, match=r"needs genanki.*: run make environment"):
        anki.write(CARDS, tmp_path / "deck.apkg")
