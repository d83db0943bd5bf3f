"""Builds the world that an answer lives in: the command line of bubblewrap.

Nothing of the machine is there but what Python, NumPy and, where an exercise asks for it, torch
need, all of it read-only: no home, no course, no network, no /proc, no folder to write to.
"""

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from attention_course.exercises.protocol import runner
from course_grader.course import require_course
from course_grader.sandbox import syscalls, worker

INSTALL = "sudo apt-get install bubblewrap"
APPARMOR = "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
PACKAGES = {
    "numpy": ("numpy", "numpy.libs"),
    "torch": (
        "numpy",
        "numpy.libs",
        "torch",
        "torch.libs",
        "torchgen",
        "functorch",
        "typing_extensions.py",
        "nvidia",  # where torch was built for a GPU
        "triton",
    ),
}
ENVIRONMENT = {
    # The order of a set must not decide about a grade.
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # An answer may have no process beside its own, and a thread counts as one.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "LANG": "C.UTF-8",
    "HOME": "/",
}
_DEVICES = ("null", "zero", "urandom")


class SandboxMissingError(RuntimeError):
    """Answers cannot be shut in on this machine, so none is run."""


def bubblewrap() -> str:
    """Return the path of bubblewrap.

    Raises:
        SandboxMissingError: if it is not installed, or this is not a Linux whose system calls
            we know; says what to do.
    """
    if sys.platform != "linux" or platform.machine() not in syscalls.MACHINES:
        raise SandboxMissingError(
            f"grading runs answers in a sandbox that needs Linux on "
            f"{' or '.join(syscalls.MACHINES)}, this is {sys.platform} on "
            f"{platform.machine()}. Grade in a Linux container or virtual machine instead."
        )
    found = shutil.which("bwrap")
    if not found:
        raise SandboxMissingError(
            "grading runs answers in a sandbox, and bubblewrap is not installed. "
            f"Debian, Ubuntu: {INSTALL}"
        )
    return found


def command(uses: str, shared: int) -> list[str]:
    """Return the command that starts a worker inside its walls.

    Args:
        uses: "numpy", or "torch" for the exercises that need gradients.
        shared: the open file of the memory that the grader sees.

    Raises:
        SandboxMissingError: if bubblewrap, NumPy or torch is missing.
        ValueError: if ``uses`` is something else, or the course speaks another protocol.
    """
    require_course()
    if uses not in PACKAGES:
        raise ValueError(f"command: uses must be one of {', '.join(PACKAGES)}, got {uses!r}")
    tool, binds = bubblewrap(), [*_system(), *_course(uses)]
    return [
        tool,
        *_rights(tool),
        *(word for folder in _parents(binds) for word in ("--perms", "0755", "--dir", folder)),
        *(word for bind in binds for word in bind),
        # The root is bubblewrap's own tmpfs: it could be written until all is bound.
        *("--remount-ro", "/", "--chdir", "/", "--clearenv"),
        *(word for pair in ENVIRONMENT.items() for word in ("--setenv", *pair)),
        # No packages of a user, nothing imported from the script's folder, no bytecode written.
        *(_python(), "-s", "-P", "-B", "-X", "utf8", f"{worker.FOLDER}/worker.py"),
        *(uses, str(shared)),
    ]


def _rights(tool: str) -> list[str]:
    """Return the options about users, namespaces and how the worker ends.

    Root needs no user namespace: the worker takes another user by itself, which it could not
    do in a namespace of root's, where the limit on processes would not hold.
    """
    # When process 1 ends, the kernel kills all others of its pid namespace; a session of its
    # own keeps an answer from typing into the teacher's terminal.
    words = ["--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for space in ("pid", "net", "ipc", "uts", "cgroup-try"):
        words += [f"--unshare-{space}"]
    if os.geteuid() == 0:
        return [*words, "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    nobody = str(worker.NOBODY)
    words += ["--unshare-user", "--uid", nobody, "--gid", nobody]
    # Older versions of bubblewrap lack the option; syscalls.py forbids namespaces as well.
    return [*words, "--disable-userns"] if "--disable-userns" in _options(tool) else words


def _parents(binds: list[tuple[str, ...]]) -> list[str]:
    """Return the folders above what is bound: bubblewrap would make them for root alone."""
    found = {str(folder) for bind in binds for folder in Path(bind[-1]).parents}
    return sorted(found - {"/"})


@cache
def _options(tool: str) -> str:
    done = subprocess.run([tool, "--help"], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _python() -> str:
    # A virtual environment's python is a link: what it leads to has to be bound.
    return os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)


def _system() -> Iterator[tuple[str, ...]]:
    """Yield the binds of the interpreter and its libraries, and what hides other packages."""
    libraries = [Path("/usr/lib"), Path("/usr/lib64")]
    for name in ("lib", "lib64"):
        if Path("/", name).is_symlink():
            # On a merged /usr the loader's path still begins with /lib or /lib64.
            yield "--symlink", os.readlink(Path("/", name)), f"/{name}"
        else:
            libraries.append(Path("/", name))
        libraries.append(Path(sys.base_prefix, name))
    for folder in dict.fromkeys(path for path in libraries if path.is_dir()):
        yield "--ro-bind", str(folder), str(folder)
        yield from _hidden(folder)
    yield "--ro-bind", _python(), _python()
    for path in ("/etc/ld.so.cache", "/etc/alternatives"):
        yield "--ro-bind-try", path, path
    for device in _DEVICES:
        yield "--dev-bind", f"/dev/{device}", f"/dev/{device}"


def _hidden(folder: Path) -> Iterator[tuple[str, ...]]:
    """Hide every installed package under a folder, and course and grader if they lie there."""
    found = {*folder.glob("python*/site-packages"), *folder.glob("python*/dist-packages")}
    for source in {Path(str(one.__file__)).resolve().parents[2] for one in (worker, runner)}:
        if folder.resolve() in source.parents and not found & {source, *source.parents}:
            found.add(source)
    for packages in sorted(found):
        if packages.is_dir() and not packages.is_symlink():
            yield "--tmpfs", str(packages), "--remount-ro", str(packages)


def _course(uses: str) -> Iterator[tuple[str, ...]]:
    """Yield the binds of the worker's three files and of the packages that answers may use."""
    for name in (worker.__file__, syscalls.__file__, runner.__file__):
        file = os.path.realpath(name)
        yield "--ro-bind", file, f"{worker.FOLDER}/{os.path.basename(file)}"
    for package in dict.fromkeys(("numpy", uses)):
        if importlib.util.find_spec(package) is None:
            raise SandboxMissingError(
                f"an answer is run with {package}, and it is not installed here: "
                f"make grader{' TORCH=1' if package == 'torch' else ''}"
            )
    for name in PACKAGES[uses]:
        path = _beside(name.split(".")[0], name)
        if path is not None:
            yield "--ro-bind", str(path), f"{worker.FOLDER}/packages/{name}"


def _beside(package: str, name: str) -> Path | None:
    """Return a file or folder that lies where a package is installed, if there is one."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    place = next(iter(spec.submodule_search_locations or ()), spec.origin)
    if place is None:
        return None
    path = Path(place).parent / name
    return path.resolve() if path.exists() else None
