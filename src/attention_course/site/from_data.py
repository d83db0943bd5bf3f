"""What pages write from data beside them, as Markdown, before Sphinx reads the page.

A comment ``<!-- from data: quiz -->`` becomes what ``quiz`` makes of the TOML that has the name
of the page. So the search, links and paper treat it as prose, and tests read the same data.
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
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

    Args:
        page: its Markdown.
        path: the TOML with its data.

    Raises:
        KeyError: if a place has a name for which there are no data.
    """
    data = tomllib.loads(path.read_text("utf-8"))
    makers = {"quiz": quiz, "topics": topics}
    return _PLACE.sub(lambda place: makers.get(place[1], asked)(data[place[1]]), page)


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


def asked(questions: Iterable[Data]) -> str:
    """Return open questions, each with its answer in a fold."""
    return "\n\n".join(
        f'<a id="{q["id"]}"></a>\n**{q["ask"]}**\n\n<details>\n<summary>Answer</summary>\n\n'
        f"{q['answer']} Shown in {q['link']}.\n\n</details>"
        for q in questions
    )


def topics(entries: Mapping[str, list[str]]) -> str:
    """Return topics with their places, under their first letters.

    >>> print(topics({"copying": ["[Copy](a.ipynb#b)"]}))
    ## C
    <BLANKLINE>
    - copying: [Copy](a.ipynb#b)
    """
    ordered = sorted(entries.items(), key=lambda entry: entry[0].lower())
    letters = groupby(ordered, lambda entry: entry[0][0].upper())
    return "\n\n".join(
        f"## {letter}\n\n" + "\n".join(f"- {topic}: {', '.join(at)}" for topic, at in found)
        for letter, found in letters
    )
