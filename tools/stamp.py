"""Give the course its public address: one command re-homes a fork.

    python tools/stamp.py https://github.com/YOU/YOUR-FORK v0.1.0

The address and the tag are in ``_config.yml``; this writes them there and wherever they have
to be repeated: the setup cells, the package's version, the README. A test compares the copies.
``--site https://YOU.github.io/YOUR-FORK/`` says where the built site is served. It stays until
the address changes.
"""

import argparse
import re
import sys
from pathlib import Path

import nbformat
import yaml
from normalise import dump, normalise

from attention_course._setup_cell import setup_cell

ROOT = Path(__file__).resolve().parent.parent
ADDRESS = re.compile(r"https://github\.com/[\w.-]+/[\w.-]+?(?:\.git)?/?")
SITE = re.compile(r"https://[\w.-]+/(?:[\w.~-]+/)*")
TAG = re.compile(r"v\d+\.\d+\.\d+[\w.]*")
# Where the address is repeated. Everything else reads it from _config.yml.
COPIES = ("README.md", "CONTRIBUTING.md", "book/**/*.ipynb", "book/**/*.md", "binder/*")
COPIES += ("src/attention_course/_setup_cell.py",)
# Where the version stands.
VERSIONED = ("pyproject.toml", "grader/pyproject.toml", "CITATION.cff")
VERSIONED += ("src/attention_course/__init__.py",)
FORMS = 'version = "{}"', "version: {}\n", '__version__ = "{}"'


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", help="https://github.com/OWNER/REPOSITORY")
    parser.add_argument("tag", help="the released version, such as v0.1.0")
    parser.add_argument("--site", help="where the built site is served")
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args(arguments)
    try:
        for path in stamp(options.root, options.url, options.tag, options.site):
            print(f"stamped {path.relative_to(options.root)}")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def stamp(root: Path, url: str, tag: str, site: str | None = None) -> list[Path]:
    """Replace the address and the tag in the repository at ``root``; return what changed.

    Without a ``site`` the place where it is served stays, unless the ``url`` changes. A
    ValueError says which of them has another form.
    """
    if not ADDRESS.fullmatch(url):
        raise ValueError(f"stamp: url must be https://github.com/OWNER/NAME, got {url!r}")
    if not TAG.fullmatch(tag):
        raise ValueError(f"stamp: tag must be like v0.1.0, got {tag!r}")
    if site and not SITE.fullmatch(site):
        raise ValueError(f"stamp: site must be https://HOST/FOLDER/, got {site!r}")
    url = url.rstrip("/").removesuffix(".git")
    old_url, old_tag = address(root)
    changed = []
    for path in _copies(root):
        text = path.read_text(encoding="utf-8")
        new = _replace_slug(text, old_url, url, old_tag, tag)
        new = new.replace(f"YOUR-FORK {old_tag}", f"YOUR-FORK {tag}")
        if path.suffix == ".ipynb":
            new = _set_up(new, course_of(url, tag), path.stem)
        changed += _write(path, text, new)
    old_site = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["html"]["baseurl"]
    if site is None:
        site = old_site if url == old_url else ""
    here = {f"url: {old_url}": f"url: {url}", f"branch: {old_tag}": f"branch: {tag}"}
    here[f'baseurl: "{old_site}"'] = f'baseurl: "{site}"'
    changed += _edit(root / "_config.yml", here)
    version, old_version = tag.removeprefix("v"), old_tag.removeprefix("v")
    versions = {form.format(old_version): form.format(version) for form in FORMS}
    for name in VERSIONED:
        if (root / name).is_file():  # a clone may lack the grader
            changed += _edit(root / name, versions)
    return list(dict.fromkeys(changed))


def address(root: Path = ROOT) -> tuple[str, str]:
    """Return the address and the tag that ``_config.yml`` states."""
    repository = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["repository"]
    return repository["url"], repository["branch"]


def course_of(url: str, tag: str) -> str:
    """Return what pip installs: the course of this address and tag."""
    return f"attention-course @ git+{url}@{tag}"


def strange_addresses(root: Path = ROOT) -> list[str]:
    """Return every place where a copy of the address disagrees with ``_config.yml``."""
    url, tag = address(root)
    slug = url.removeprefix("https://github.com/")
    name = re.escape(slug.split("/")[1])
    wrong = []
    for path in _copies(root):
        text = path.read_text(encoding="utf-8")
        for found in re.finditer(rf"(?<=[/\"])[\w.-]+/{name}\b(?:@([\w.]+))?", text):
            owner = found[0].split("@")[0]
            if owner != slug or found[1] not in (None, tag):
                wrong.append(f"{path.relative_to(root)}: {found[0]}")
    return wrong


def _copies(root: Path) -> list[Path]:
    found = {path for pattern in COPIES for path in root.glob(pattern) if path.is_file()}
    return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)


def _replace_slug(text: str, old_url: str, url: str, old_tag: str, tag: str) -> str:
    """Replace OWNER/NAME in links to GitHub, Colab and Binder, with the tag behind it."""
    old, new = (u.removeprefix("https://github.com/") for u in (old_url, url))
    for middle in ("/blob/", "/tree/", "/", "@"):
        text = text.replace(f"{old}{middle}{old_tag}", f"{new}{middle}{tag}")
    return text.replace(old, new)


def _set_up(text: str, course: str, name: str) -> str:
    """Return a notebook's text with the setup cell that belongs to ``course``."""
    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook.cells:
        if "setup" in cell.metadata.get("tags", []):
            cell.source = setup_cell(course, torch="torch=False" not in cell.source)
    return dump(normalise(notebook, name))


def _edit(path: Path, changes: dict[str, str]) -> list[Path]:
    text = new = path.read_text(encoding="utf-8")
    for before, after in changes.items():
        new = new.replace(before, after)
    return _write(path, text, new)


def _write(path: Path, text: str, new: str) -> list[Path]:
    if new == text:
        return []
    path.write_text(new, encoding="utf-8")
    return [path]


if __name__ == "__main__":
    sys.exit(main())
