"""Watches the machine while hostile answers are graded: files, connections, processes."""

import contextlib
import ctypes
import os
import secrets
import site
import socket
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil

import attention_course
import course_grader

BECOME_SUBREAPER = 36
# What the stored answers leave behind wherever they are let.
TRACES = ("*attention-hostile*", "hostile.pth", "sitecustomize.py", "usercustomize.py")
SHADOWS = ("numpy.py", "json.py", "struct.py")


class Host:
    """Canaries, listeners and a list of processes; ``complaints`` says what was touched.

    Args:
        folder: stands for the folder that holds a teacher's assignment.
    """

    def __init__(self, folder: Path):
        self.quiet = 0  # how many processes there may be when nothing is graded
        self.secret = f"canary-{secrets.token_hex(16)}"
        os.environ["ATTENTION_CANARY"] = self.secret
        places = {Path.home(), Path.cwd(), Path(tempfile.gettempdir()), folder}
        self.canaries = [place / f".attention-{os.getpid()}.canary" for place in places]
        for path in self.canaries:
            path.write_text(self.secret)
        self._stamps = self._stamped()
        self._before_files = self._traces()
        # Whatever loses its parent becomes a child of this process, and is seen.
        ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 1, 0, 0, 0)
        self._before = {process.pid for process in _descendants()}
        self._listen(folder)

    def close(self) -> None:
        """Take the canaries and the listeners away."""
        ctypes.CDLL(None).prctl(BECOME_SUBREAPER, 0, 0, 0, 0)
        os.environ.pop("ATTENTION_CANARY", None)
        self._open = False
        for line in self._lines:
            line.close()
        for path in self.canaries:
            path.unlink(missing_ok=True)

    @property
    def places(self) -> dict[str, str]:
        """Where a hostile answer finds all this, for :func:`hostile_bank.aimed`."""
        return {
            "canaries": ":".join(map(str, self.canaries)),
            "port": str(self._port),
            "socket": str(self._socket),
            "package": str(Path(attention_course.__file__).parent),
        }

    def processes(self, expected: int) -> list[str]:
        """Return the commands that were started since; waits until there are few enough."""
        end = time.monotonic() + 5
        while True:
            found = [p for p in _descendants() if p.pid not in self._before]
            if len(found) <= expected or time.monotonic() > end:
                return [_command(process) for process in found]
            time.sleep(0.02)

    def complaints(self) -> list[str]:
        """Return what was touched: nothing should be."""
        found = [f"a connection: {came!r}" for came in self._came]
        for path in self.canaries:
            if not path.is_file() or path.is_symlink() or path.read_text() != self.secret:
                found.append(f"{path.name} in {path.parent.name} was changed")
        if self._stamped() != self._stamps:
            found.append("files of the course, of NumPy or the canaries were changed")
        return found + [f"left: {path}" for path in self._traces() - self._before_files]

    def _stamped(self) -> dict[str, tuple]:
        packages = np, attention_course, course_grader
        folders = [Path(str(one.__file__)).parent for one in packages]
        files = [file for folder in folders for file in folder.rglob("*.py")] + self.canaries
        return {
            str(file): (status.st_mode, status.st_size, status.st_mtime_ns, status.st_nlink)
            for file in files
            if (status := _status(file))
        }

    def _traces(self) -> set[Path]:
        folders = {path.parent for path in self.canaries}
        folders |= {
            Path("/var/tmp"),
            Path("/dev/shm"),
            Path("/run"),
            Path(site.getusersitepackages()),
        }
        folders |= set(map(Path, site.getsitepackages()))
        names = [(folder, name) for folder in folders for name in (*TRACES, *SHADOWS)]
        return {path for folder, name in names for path in folder.glob(name)}

    def _listen(self, folder: Path) -> None:
        self._came, self._open = [], True
        tcp = socket.create_server(("127.0.0.1", 0))
        self._port = tcp.getsockname()[1]
        self._socket = folder / "s"
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", self._port))
        hidden, named = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        hidden.bind(f"\0attention-canary-{self._port}")
        named.bind(str(self._socket))
        self._lines = [tcp, hidden, named, datagrams]
        for line in self._lines:
            threading.Thread(target=self._wait, args=(line,), daemon=True).start()

    def _wait(self, line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            line.settimeout(0.5)
            if line.type != socket.SOCK_DGRAM:
                line.listen()
            while self._open:
                with contextlib.suppress(TimeoutError):
                    came = line.recv(64) if line.type == socket.SOCK_DGRAM else line.accept()[1]
                    self._came.append(came)


def _status(path: Path) -> os.stat_result | None:
    with contextlib.suppress(OSError):
        return path.stat()
    return None


def _descendants() -> list[psutil.Process]:
    """Return what descends from this process and lives; a zombie has ended."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
    return found


def _command(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error):
        return " ".join(process.cmdline()[:3]) or process.name()
    return "a process that has ended"
