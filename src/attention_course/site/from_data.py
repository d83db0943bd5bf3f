"""What pages write from data beside them, as Markdown, before Sphinx reads the page.

A comment ``<!-- from data: quiz -->`` becomes what ``quiz`` makes of the TOML that has the name
of the page. So the search, links and paper treat it as prose, and tests read the same data.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_PLACE = re.compile(r"<!-- from data: (\w+) -->")
Data = Mapping[str, Any]


def fill(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write a page's data into its places (``source-read``)."""
    if _PLACE.search(source[0]):
        source[0] = written(source[0], Path(app.env.doc2path(docname)).with_suffix(".toml"))


def written(page: str, path: Path) -> str:
    """Return a page with its data in their places.

    Raises:
        KeyError: if a place has a name for which there are no data.
    """
    data = tomllib.loads(path.read_text("utf-8"))
    by_topic = partial(topics, book=path.parents[1])
    makers: dict[str, Callable[[Any], str]] = {"quiz": quiz, "topics": by_topic}
    return _PLACE.sub(lambda place: makers.get(place[1], question_markup)(data[place[1]]), page)


def quiz(questions: Iterable[Data]) -> str:
    """Return questions with their options, and below each what to say of which option."""
    return "\n\n".join(
        f'<a id="quiz-{q["id"]}"></a>\n**{number}. {q["ask"]}**\n\n'
        + "".join(f"1. {option['says']}\n" for option in q["option"])
        + "\n<details>\n<summary>Answer</summary>\n\n"
        + "".join(_told(option, q["link"]) for option in q["option"])
        + "\n</details>"
        for number, q in enumerate(questions, start=1)
    )


def _told(option: Data, link: str) -> str:
    word, shown = ("right", f" Shown in {link}.") if option.get("right") else ("no", "")
    says = option["says"].rstrip(".")
    return f"- **{says}**: *{word}.* {option['because']}{shown}\n"


def question_markup(questions: Iterable[Data]) -> str:
    """Return open questions, each with its answer in a fold."""
    return "\n\n".join(
        f'<a id="{q["id"]}"></a>\n**{q["ask"]}**\n\n<details>\n<summary>Answer</summary>\n\n'
        f"{q['answer']} Shown in {q['link']}.\n\n</details>"
        for q in questions
    )


def topics(entries: Mapping[str, list[str]], book: Path) -> str:
    """Return topics under their first letters, each with links to pages, by their titles."""
    ordered = sorted((_plain(topic), topic) for topic in entries)
    return "\n\n".join(
        f"## {letter}\n\n"
        + "\n".join(
            f"- {topic}: {', '.join(_link(at, book) for at in entries[topic])}"
            for _, topic in found
        )
        for letter, found in groupby(ordered, lambda entry: entry[0][0].upper())
    )


def _plain(topic: str) -> str:
    return topic.replace("*", "").lower()


def _link(place: str, book: Path) -> str:
    page, _, anchor = place.partition("#")
    path = next(p for end in (".ipynb", ".md") if (p := book / f"{page}{end}").is_file())
    found = re.search(r'"# ([^":\\]+)|\A# ([^:\n]+)', path.read_text("utf-8"))
    assert found, f"{path} has no title"
    return f"[{found[1] or found[2]}](../{page}{path.suffix}#{anchor})"
