"""Apply each seeded fault of ``tests/faults.toml`` to a copy and say whether its tests see it.

    python tools/faults.py [--only NAME ...] [--left]

A fault is caught if a test is red with it and green without; its row keeps what was found.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from rules.repository import ROOT, files

ROWS = ROOT / "tests" / "faults.toml"
CPU = (90, 90)  # seconds of each process
PYTEST = ("-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "--nbval", "--nbval-current-env", "-m")
OTHERS = ("site", "thorough", "interpreted", "compiled", "pretrained")  # marks that need more


def run(copy: Path, test: str, needs: str) -> subprocess.CompletedProcess[str]:
    """Run one file or folder of tests in the copy, up to the first red one."""
    kernels = needs == "interpreted"
    marks = " and ".join(f"not {mark}" for mark in OTHERS if mark != needs)
    python = copy / (".venv-kernels" if kernels else ".venv") / "bin/python"
    runner = ("node", "--test") if test.endswith(".mjs") else (python, *PYTEST, marks)
    paths = os.pathsep.join(str(copy / path) for path in ("src", "grader/src"))
    return subprocess.run(
        [*runner, test], cwd=copy, capture_output=True, text=True, errors="replace",
        env=os.environ | {"PYTHONPATH": paths} | ({"TRITON_INTERPRET": "1"} if kernels else {}),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, CPU),
    )  # fmt: skip


def verdict(copy: Path, row: dict[str, Any], number: int) -> str:
    """Return ``caught``, ``not caught`` or why neither can be said."""
    path, needs = copy / row["file"], row.get("needs", "")
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(row["old"]) != 1:
        return "no longer applies"
    if needs == "site":  # what is built has this script as it is
        path = copy / "_build/html/_static/course" / path.name
    for test in filter(lambda test: (copy / test.split("::")[0]).exists(), row["tests"]):
        path.write_text(text.replace(row["old"], row["new"]), encoding="utf-8")
        os.utime(path, (number, number))  # else Python may take another fault's bytecode
        done = run(copy, test, needs)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (0, 0))
        if done.returncode not in (0, 5):  # 5: none has such marks
            red = re.search(r"^(?:FAILED|ERROR) ([^\s\[]+)", done.stdout, re.MULTILINE)
            again = red[1].removesuffix("::Cell") if red else test
            wrong = run(copy, again, needs).returncode
            return f"{again} is red without it too" if wrong else "caught"
    return "not caught"


def keep(name: str, caught: bool) -> None:
    """Write into its row what was found."""
    text, said = ROWS.read_text(encoding="utf-8"), f"\ncaught = {str(caught).lower()}"
    [row] = re.findall(rf'(?s)name = "{name}"\n.*?(?=\n\n|\n\Z)', text)
    ROWS.write_text(text.replace(row, re.sub(r"\ncaught = .*", "", row) + said), "utf-8")


def main() -> None:
    """Print one line a fault."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these, not all")
    parser.add_argument("--left", action="store_true", help="those that were not run yet")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for path in files():
            (copy / path.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy / path.relative_to(ROOT))
        if (built := ROOT / "_build/html").is_dir():
            shutil.copytree(built, copy / "_build/html")
        for name in (".venv", ".venv-kernels", "node_modules"):
            (copy / name).symlink_to((ROOT / name).resolve())
        for number, row in enumerate(tomllib.loads(ROWS.read_text("utf-8"))["fault"], start=1):
            name = row["name"]
            if name in (asked.only or [name]) and not (asked.left and "caught" in row):
                found = verdict(copy, row, number)
                print(f"{name:40}{found}", flush=True)
                if found in ("caught", "not caught"):
                    keep(name, found == "caught")


if __name__ == "__main__":
    main()
