"""Every page that grading writes comes from a template here: it stands alone and is quiet.

What a template writes is made plain and escaped, whatever it is and whether or not the template
says so; a name that is not there is an error.
"""

import hashlib
import json
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from course_grader.marking.totals import number
from course_grader.safe_text import printable

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).parent / "templates"


def rendered(name: str, **values: object) -> str:
    """Return the page that a template makes of these values."""
    return templates().get_template(name).render(values)


def packed(value: object) -> str:
    """Return what a page's script may read from an attribute, in letters that mean nothing."""
    return quote(json.dumps(value))


def script(*names: str) -> dict[str, object]:
    """Return a page's one script, made of these files, and by what its policy knows it."""
    from markupsafe import Markup

    text = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)
    digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return {"script": Markup(text), "fingerprint": f"sha256-{digest}"}


@cache
def templates() -> "Environment":
    """Return what reads the templates.

    Raises:
        ImportError: if Jinja2 is not installed, which the course itself does not need.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise ImportError("a page needs Jinja2: pip install jinja2") from error

    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FileSystemLoader(TEMPLATES),
        # What macros return is escaped already.
        finalize=lambda value: value if isinstance(value, Markup) else printable(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"printable": printable, "number": number}
    return made
