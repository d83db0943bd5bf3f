"""Type what ``book/teach/first-class.md`` tells to type, and take its pictures.

    python tools/first_class.py     # after the grader's pages have changed

The pictures are of the pages that the grader writes when the commands of steps 2 to 5 run. With
them lies ``words.json``, what they say; a test runs the commands again and compares.
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import headless

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "book" / "teach" / "first-class.md"
PICTURES = PAGE.parent / "pictures"
WORDS = PICTURES / "words.json"
# Picture: the page of the grader, and how much of it is shown, in pixels.
SHOWN = {"class-report": ("class.html", 770), "student-page": ("feedback/Ben*.html", 925)}
WIDTH = 760


def steps(page: str) -> list[str]:
    r"""Return what is in the boxes of steps 2 to 5.

    >>> steps("## 1. A\n```text\na\n```\n## 2. B\n```text\nb\n```\n")
    ['b\n']
    """
    return re.findall(r"^```text\n(.*?)^```$", page.split("\n## 2. ", 1)[1], re.DOTALL | re.M)


def run(folder: Path) -> str:
    """Run the steps in an empty folder; return what was printed, or raise with it."""
    (folder / ".gitignore").write_text("private/\n")
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "set -euo pipefail\n" + "".join(steps(PAGE.read_text("utf-8")))
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{done.stdout}\n{done.stderr}")
    return done.stdout


def written(folder: Path, name: str) -> Path:
    """Return the page of the grader that a picture shows."""
    (path,) = (folder / "private" / "graded").glob(SHOWN[name][0])
    return path


def words(page: Path) -> list[str]:
    """Return the lines of a page's text; numbers with a point come from a secret and go."""
    text = re.sub(r"<(style|head)\b.*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", "\n", text))
    text = re.sub(r"-?\d+\.\d+(e[+-]?\d+)?", "…", text)
    return [line for line in map(str.strip, text.splitlines()) if line]


def main() -> None:
    """Store pictures and words."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made, headless.chromium() as browser:
        folder = Path(made)
        run(folder)
        for name, (_, height) in SHOWN.items():
            page = browser.new_page(viewport={"width": WIDTH, "height": height})
            page.goto(written(folder, name).as_uri())
            page.screenshot(path=PICTURES / f"{name}.png")
        said = {name: words(written(folder, name)) for name in SHOWN}
    WORDS.write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
