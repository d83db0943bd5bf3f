"""Points of exercises in words are found, shown and written for teachers, or named as wrong."""

import re
import tomllib
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from attention_course.site import in_words

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("*/*.ipynb"))
KIND = r"\*\*\d+\. ([^*]+)\*\* \((find the flaw|read a)"
ASKED = """**1. What's *that*?** (explain, objective 1)

See [figure 1](#fig-one) and [a paper](https://arxiv.org/abs/1).

<details>
<summary>Solution</summary>

Nothing, as [below](other.md#end) "shown".

</details>

**2. In code** (write code, 5 min, objective 1)

<details>
<summary>Solution</summary>

pass

</details>"""
OFTEN = '{ asks = "n", is = 1, within = 0, often = 2 }'
ENTRY = """[[answer]]
exercise = "{}"
points = {}
wrong = "All."
reply = "No."
"""


def _sentences(*told):
    rows = [
        f'{{ says = "{says}", flaw = {flaw}, reply = "No." }}'
        for says, flaw in zip(told[::2], told[1::2], strict=True)
    ]
    return f'["a", "b"]\nsentences = [{", ".join(rows)}]'


def _chapter(folder, title="What's that?", points='["one `x`", "two"]', asked=ASKED):
    notebook = folder / "chapter.ipynb"
    asked = asked.replace("*that*", "that")
    nbformat.write(new_notebook(cells=[new_markdown_cell(asked)]), notebook)
    notebook.with_suffix(".toml").write_text(ENTRY.format(title, points), "utf-8")
    return notebook


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_what_a_chapter_says_of_good_answers_can_be_ticked(path):
    known = in_words.points_of(path.with_suffix(".toml"))
    assert all(question.points for question in in_words.questions(path))
    for entry in known.values():
        replies = [one["reply"] for one in entry.get("sentences", ())]
        for text in (*entry["points"], entry["wrong"], entry["reply"], *replies):
            assert len(text.split()) <= 40
            assert re.search(r"^[^$]*[.?]$", text)  # formulas are not set here
        for one in entry.get("numbers", ()):
            assert abs(one.get("often", 1e9) - one["is"]) > one["within"]
            assert not re.search(r"[*_`$]|[^.?]$", one.get("reply", "."))  # plain text
    for title, kind in re.findall(KIND, path.read_text("utf-8")):
        rows, least = ("sentences", 5) if "flaw" in kind else ("numbers", 1)
        assert len(known[title].get(rows, ())) >= least, title


def test_only_a_solution_in_words_is_named_and_has_its_points_first(tmp_path):
    known = in_words.points_of(_chapter(tmp_path).with_suffix(".toml"))
    body = (
        '<section id="exercises"><p id="x"><strong>1. What’s that?</strong> (explain, part 1)'
        "</p><p>…</p><details>\n<summary>Solution</summary>\n<p>Nothing.</p></details>"
        "<p><strong>2. In code</strong> (write code, 5 min)</p><details>\n"
        "<summary>Solution</summary></details>"
    )
    page = in_words.marked(body, "why/chapter", known)
    assert page.count("ac-words") == 1
    assert 'id="words-what-s-that" data-key="why/chapter what-s-that"' in page
    assert page.index("<code>x</code>") < page.index("Often said") < page.index("Nothing.")
    plain = in_words.marked(body, "why/chapter", {})
    assert "ac-words" in plain
    assert "ac-points" not in plain


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"points": '["one"]'}, "two to four points"),
        ({"points": '["a", "b", "c", "d", "e"]'}, "two to four points"),
        ({"title": "What is this?"}, "no exercise in words 'What is this\\?'"),
        ({"title": "In code"}, "no exercise in words 'In code'"),
        ({"points": '["a", "b"]\nhint = "x"'}, "expected .*'wrong'.*, got .*'hint'"),
        ({"points": f'["a", "b"]\nnumbers = [{OFTEN}]'}, "expected .*'is'.*, got .*'often'"),
        ({"points": _sentences("See figure 1.", "true")}, "expected flaws among others"),
        ({"points": _sentences("figure 9", "true", "and", "false")}, "has no 'figure 9'"),
    ],
)
def test_what_does_not_fit_its_chapter_is_named(tmp_path, change, told):
    with pytest.raises(ValueError, match=told):
        list(in_words.questions(_chapter(tmp_path, **change)))


def test_an_item_for_teachers_has_the_points_and_no_link_into_the_book(tmp_path):
    (question,) = in_words.questions(_chapter(tmp_path))
    (item,) = tomllib.loads(in_words.item("book/why/chapter", question))["items"]
    assert item["rubric"] == [["one `x`", 1], ["two", 1]]
    assert (item["written"], item["points"]) == ("chapter-what-s-that", 2)
    assert item["prompt"] == "See figure 1 and [a paper](https://arxiv.org/abs/1)."
    assert item["model_answer"] == 'Nothing, as below "shown".'
