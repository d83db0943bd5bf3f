"""What is held to about the API reference, as functions of the built pages."""

import ast
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "attention_course"
# Read by their own rule below, or by nobody who reads the book.
_HANDED_OUT = {"exercises", "page", "widgets"}
_UNREAD = {"site"}


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


def public_definitions(source: Path = SOURCE) -> set[tuple[str, str]]:
    """Every public definition as (page, name), found without the extension's own reader."""
    found = set()
    for path in sorted(source.rglob("*.py")):
        inside = path.relative_to(source).with_suffix("").parts
        if any(part.startswith("_") for part in inside) or inside[0] in _HANDED_OUT | _UNREAD:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names = [node.name]
                if isinstance(node, ast.ClassDef):
                    inner = [m.name for m in node.body if isinstance(m, ast.FunctionDef)]
                    names += [f"{node.name}.{name}" for name in inner if name[0] != "_"]
                found |= {("/".join(inside), n) for n in names if not n.startswith("_")}
    for part in _HANDED_OUT:
        for path in (source / part).rglob("__init__.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                listed = isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
                if listed and ast.unparse(node.targets[0]) == "__all__":
                    found |= {(part, name) for name in ast.literal_eval(node.value)}
    return found


def missing(definitions: set[tuple[str, str]], pages: dict[str, Page]) -> list[str]:
    """The definitions that have no place on their page."""
    return sorted(
        f"{page}: {name}"
        for page, name in definitions
        if page not in pages or name not in pages[page].ids
    )


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
