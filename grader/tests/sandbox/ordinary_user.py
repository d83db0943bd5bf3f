"""Runs Python as a user without rights, also where the tests are run by root."""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import attention_course
import course_grader

SOURCES = [Path(one.__file__).parents[1] for one in (attention_course, course_grader)]
PACKAGES = Path(np.__file__).parents[1]
NOBODY = "65534"
# Root's interpreter may lie where nobody else can look. In a mount namespace that ends with the
# process, it alone is shown there (it may find its own library at no other place), and the
# packages and the course elsewhere.
SHOWN = """\
set -e
umask 022
for name in python packages course grader; do mkdir "$1/$name"; done
mount --bind "$2" "$1/python"
mount --bind "$3" "$1/packages"
mount --bind "$4" "$1/course"
mount --bind "$5" "$1/grader"
cd "$1"
if [ -n "$6" ]; then
    mount -t tmpfs -o mode=755 none "$6"
    mkdir -p "$2"
    mount --bind "$1/python" "$2"
fi
exec setpriv --reuid "$7" --regid "$7" --clear-groups "$2/bin/$8" -c "$9"
"""


def run(code: str) -> str:
    """Return what the code prints when a user without rights runs it.

    Raises:
        AssertionError: if it fails; the message is its error.
    """
    if os.geteuid() != 0:
        return _output([sys.executable, "-c", code], [*SOURCES, PACKAGES])
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        name = os.path.basename(os.path.realpath(sys.executable))
        prefix = Path(sys.base_prefix).resolve()
        closed = [p for p in reversed(prefix.parents) if not p.stat().st_mode & stat.S_IXOTH]
        places = [*map(str, (prefix, PACKAGES, *SOURCES, *closed[:1]))] + [""] * (not closed)
        words = ["unshare", "--mount", "sh", "-c", SHOWN, "sh", folder, *places]
        inner = Path(folder)
        return _output(
            [*words, NOBODY, name, code],
            [inner / folder for folder in ("course", "grader", "packages")],
        )


def _output(words: list[str], folders: list[Path]) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": ":".join(map(str, folders)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
