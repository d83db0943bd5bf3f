"""Keeps a teacher's own folder out of what is published."""

import os
import subprocess
from pathlib import Path

from course_grader.safe_text import one_line

COULD, OUTSIDE = "which could publish it", "choose a folder outside"
# What is built, packaged or published from a repository of the course.
PUBLISHED = ("book", "src", "grader", "_build", "docs", "assignments")


def require_private(folder: Path) -> None:
    """Raise an error if a folder could be published: by the site, by the package or by git.

    It need not be there yet.

    Raises:
        ValueError: if it lies in a published part of the course's repository, or in a git
            repository that does not ignore it, or whose git cannot be asked. The message says
            why.
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
        if (root / ".git").exists() and (why := _not_ignored(root, path)):
            raise ValueError(f"{folder} lies in the git repository {root.name}, {why}")


def _is_course(root: Path) -> bool:
    return (root / "_toc.yml").is_file() and (root / "src" / "attention_course").is_dir()


def _not_ignored(root: Path, path: Path) -> str:
    """Ask git whether it ignores a path; return why it could publish it, or nothing."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    command = ["git", "-C", str(root), "check-ignore", "--quiet", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=30)
    except FileNotFoundError:
        return f"{COULD}, and git is not there to be asked; install git, or {OUTSIDE}"
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{COULD}, and git cannot be asked ({one_line(error)}); {OUTSIDE}"
    if done.returncode == 0:
        return ""
    if done.returncode == 1:
        why = "which does not ignore it and could publish it"
        return f"{why}; {OUTSIDE}, or let .gitignore name it"
    said = one_line(done.stderr.decode(errors="replace"))
    return f"{COULD}, and git cannot say whether it ignores it ({said}); {OUTSIDE}"
