"""Install packages by uv, as pip is set up to; where uv is absent or fails, by pip.

    python tools/install.py [--python OTHER] ARGUMENT...    # those of pip install

uv reads none of pip's settings, so index, links, certificate and constraint are handed on to
it, from pip's files and variables alike. An installation that is ended half-way leaves a file
``.installing`` in its environment; one that fails does not.
"""

import os
import shlex
import subprocess
import sys
from pathlib import Path

# What pip calls a setting, and what uv does. Several of a kind are in one text.
FLAGS = {
    "index-url": "--default-index",
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "constraint": "--constraint",
}
QUIET = ("-qq", "--disable-pip-version-check")


def settings(listed: str) -> dict[str, str]:
    """Return what ``pip config list`` says, by setting; a variable wins over a file."""
    found = {}
    for line in sorted(listed.splitlines(), key=lambda line: line.startswith(":env:")):
        name, _, value = line.partition("=")
        place, _, key = name.rpartition(".")
        if place in ("global", "install", ":env:"):
            found[key] = " ".join(shlex.split(value))
    return found


def handed_on(found: dict[str, str]) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and variables that tell uv the same."""
    flags = [
        f for key in FLAGS for one in found.get(key, "").split() for f in (FLAGS[key], one)
    ]
    if found.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        flags.append("--no-index")
    # As pip, look into every index for the best version.
    flags += ["--index-strategy", "unsafe-best-match", "--quiet"]
    return flags, {"SSL_CERT_FILE": found["cert"]} if "cert" in found else {}


def main(arguments: list[str]) -> int:
    """Install; return the exit status."""
    target = sys.executable
    if arguments[0] == "--python":
        target, arguments = arguments[1], arguments[2:]
    pip = [sys.executable, "-m", "pip"]
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True)
    found = settings(listed.stdout)
    if "--index-url" in arguments:  # that one alone, and what lies in folders
        found = {key: value for key, value in found.items() if "index" not in key}
    flags, variables = handed_on(found)
    uv = [sys.executable, "-m", "uv", "pip", "install", "--python", target, *flags, *arguments]
    env = os.environ | variables | {"UV_LINK_MODE": "copy"}
    mark = Path(target).parent.parent / ".installing"
    mark.touch()
    done = subprocess.run(
        uv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    code = done.returncode
    if code:
        if "No module named uv" not in done.stderr:
            print(done.stderr, "uv could not; so pip does it.", sep="", file=sys.stderr)
        by_pip = [*pip, "--python", target, "install", *QUIET, *arguments]
        code = subprocess.run(by_pip).returncode
    if code >= 0:  # below zero: a signal ended it
        mark.unlink()
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
