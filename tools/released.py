"""Whether the names that released notebooks use are still there: a tag is a promise."""

import ast
import json
import subprocess
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from rules.taught_code import parse

ROOT = Path(__file__).resolve().parent.parent


def released(root: Path = ROOT) -> Iterator[tuple[str, dict]]:
    """Yield ``TAG:PATH`` and the notebook, for every notebook of every tagged version."""
    for tag in _git(root, "tag", "--list", "v*").splitlines():
        listed = _git(root, "ls-tree", "-r", "--name-only", tag, "book").splitlines()
        for path in (path for path in listed if path.endswith(".ipynb")):
            yield f"{tag}:{path}", json.loads(_git(root, "show", f"{tag}:{path}"))


def used(notebook: dict) -> set[tuple[str, str]]:
    """Return what a notebook imports from the course: modules, and names in them."""
    found = set()
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            for node in ast.walk(parse("".join(cell["source"]))):
                if isinstance(node, ast.ImportFrom) and _is_ours(node.module):
                    found |= {(node.module, alias.name) for alias in node.names}
                elif isinstance(node, ast.Import):
                    found |= {(alias.name, "") for alias in node.names if _is_ours(alias.name)}
    return found


def lost(module: str, name: str) -> str | None:
    """Return what of this import is no longer there, or None."""
    try:
        where = import_module(module)
    except ModuleNotFoundError:
        return module
    if not name or hasattr(where, name):
        return None
    try:
        import_module(f"{module}.{name}")
    except ModuleNotFoundError:
        return f"{module}.{name}"
    return None


def _is_ours(module: str | None) -> bool:
    return (module or "").split(".")[0] == "attention_course"


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True)
    return run.stdout if run.returncode == 0 else ""
