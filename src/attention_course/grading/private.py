"""Sees to it that a teacher's own folder lies where nobody publishes it."""

import os
import subprocess
from pathlib import Path

# What is built, packaged or published from a repository of the course.
PUBLISHED = ("book", "src", "_build", "docs", "assignments")


def require_private(folder: Path) -> None:
    """Raise an error if a folder could be published: by the site, by the package or by git.

    Args:
        folder: where something private is about to be written; it need not be there yet.

    Raises:
        ValueError: if it lies in a published part of the course's repository, or in a git
            repository that does not ignore it. The message says why.
    """
    path = folder.resolve()
    for root in path.parents:
        part = path.relative_to(root).parts[0]
        if _is_course(root) and part in PUBLISHED:
            raise ValueError(
                f"{folder} lies in {part}/ of the course's repository, which is published; "
                "choose private/ or a folder outside"
            )
    for root in (path, *path.parents):
        if (root / ".git").exists() and not _ignored(root, path):
            raise ValueError(
                f"{folder} lies in the git repository {root.name}, which does not ignore "
                "it and could publish it; choose a folder outside, or let .gitignore name it"
            )


def _is_course(root: Path) -> bool:
    return (root / "_toc.yml").is_file() and (root / "src" / "attention_course").is_dir()


def _ignored(root: Path, path: Path) -> bool:
    """Ask git whether it ignores a path; where git cannot be asked, it does not."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    command = ["git", "-C", str(root), "check-ignore", "--quiet", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
