"""How a gate is run on a small broken copy."""

import os
import subprocess
import sys
from pathlib import Path

from rules.notebooks import ROOT


def run(*command: str, cwd: Path, **more) -> subprocess.CompletedProcess:
    """Run a command of the gate; return its exit status and all that it printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(ROOT / "tools")
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        **more,
    )


def tool(name: str) -> str:
    """Return the path of a program of this environment."""
    return str(Path(sys.executable).parent / name)
