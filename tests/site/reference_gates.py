"""What is held to about the API reference, as functions of the built pages."""

import ast
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[2]


class Page(HTMLParser):
    """The places and links of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append((given.get("class") or "", given["href"]))


def astray(address: str, page: Page, pages: dict[str, Page], kinds: str = "") -> list[str]:
    """The links of a page, as addressed in the site, that lead nowhere inside the site.

    ``kinds`` limits them to links of a class.
    """
    found = []
    for kind, href in page.links:
        target = urlsplit(urljoin(address, href))
        there = unquote(target.path)
        if kinds not in kind or target.scheme or not there.endswith(".html"):
            continue
        aimed = pages.get(there)
        if aimed is None or (target.fragment and unquote(target.fragment) not in aimed.ids):
            found.append(f"{address}: {href}")
    return found


def imported_names(notebook: Path) -> set[str]:
    """The course names that a notebook imports and its open code uses."""
    imported, used = set(), set()
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        tags = " ".join(cell["metadata"].get("tags", []))
        if cell["cell_type"] == "code" and "setup" not in tags:
            code = re.sub(r"^(\s*)[%!].*", r"\1pass", "".join(cell["source"]), flags=re.M)
            for node in ast.walk(ast.parse(code)):
                if isinstance(node, ast.ImportFrom):
                    names = {alias.name for alias in node.names if not alias.asname}
                    ours = str(node.module).startswith("attention_course")
                    imported = imported | names if ours else imported - names
                elif isinstance(node, ast.FunctionDef):  # an exercise's own
                    imported.discard(node.name)
                elif isinstance(node, ast.Name) and not re.search("hide-input|remove", tags):
                    used.add(node.id)
    return imported & used
