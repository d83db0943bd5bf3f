"""The sandbox is the same for root and for an ordinary user, and refuses where it cannot be."""

import os
import signal
import sys

import ordinary_user
import pytest
from inside import found, worker_of

from attention_course.exercises.runner import Call
from course_grader.sandbox import sandbox as sandbox_module
from course_grader.sandbox import walls
from course_grader.sandbox.sandbox import Sandbox, SandboxMissingError
from course_grader.verdicts import Verdict

TRIED = r"""
from attention_course.exercises.runner import Call
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import Sandbox
import os
SOURCES = {
    "right": "def f(): return 'here'",
    "user": "import os\ndef f(): return str({*os.getresuid(), *os.getresgid()})",
    "fork": "import os\ndef f(): os.fork() or os._exit(0)",
    "memory": "def f(): return str(len(bytearray(10**9)))",
    "file": "def f(): open('/canary', 'w')",
    "course": "def f():\n import attention_course as a\n return str(a.__path__)",
    "socket": "import socket\ndef f(): socket.socket()",
    "unshare": "import ctypes\ndef f(): return str(ctypes.CDLL(None).unshare(0x10000000))",
    "root": "import os\ndef f():\n try: os.setuid(0)\n except OSError: return 'refused'",
    "home": "import os\ndef f(): return str(os.path.exists('/home'))",
    "loop": "def f():\n while 1: pass",
}
print(os.geteuid() == 0)
with Sandbox(limits=Limits(cpu_s=1)) as box:
    for name, source in SOURCES.items():
        came = box.observe(source, [Call("f", returns=("x",))])
        outcome = came.outcome
        said = (outcome.error or outcome.values[0]) if outcome else None
        print(name, came.verdict, said)
"""
EXPECTED = """\
right OK here
user OK {65534}
fork ERROR BlockingIOError
memory MEMORY MemoryError
file ERROR OSError
course ERROR ModuleNotFoundError
socket ERROR PermissionError
unshare OK -1
root OK refused
home OK False
loop TIMEOUT None
"""


def kill(box, number):
    """Kill the worker and the process that watches it."""
    for pid in (worker_of(box), box._process.pid):
        os.kill(pid, number)
    box._process.wait()


def test_an_ordinary_user_gets_the_same_sandbox():
    root, rest = ordinary_user.run(TRIED).split("\n", 1)
    assert root == "False"
    assert rest == EXPECTED


def test_root_makes_no_user_namespace_and_others_do(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "--unshare-user" not in walls.command("numpy", 3)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    words = walls.command("numpy", 3)
    assert "--unshare-user" in words
    assert "--cap-add" not in words


@pytest.mark.parametrize("uses", walls.PACKAGES)
def test_nothing_is_bound_so_that_it_can_be_written(uses):
    words = walls.command(uses, 3)
    assert "--bind" not in words
    assert "--bind-try" not in words
    devices = [words[at + 1] for at, word in enumerate(words) if word.startswith("--dev")]
    assert devices == ["/dev/null", "/dev/zero", "/dev/urandom"]


def test_without_bubblewrap_it_refuses_and_says_what_installs_it(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxMissingError, match="sudo apt-get install bubblewrap"):
        Sandbox().__enter__()


def test_on_another_system_it_refuses(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxMissingError, match="needs Linux"):
        Sandbox().__enter__()


def test_a_bubblewrap_that_fails_is_quoted_and_ubuntus_setting_is_named(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text(
        "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(SandboxMissingError, match=r"(?s)uid map.*apparmor_restrict"):
        Sandbox().__enter__()


def test_a_worker_that_is_killed_is_started_again():
    with Sandbox() as box:
        kill(box, signal.SIGKILL)
        assert found(box, "return 'here'") == "here"


def test_a_sandbox_that_fails_twice_is_a_grader_error_and_no_zero(monkeypatch):
    with Sandbox() as box:
        monkeypatch.setattr(walls, "command", lambda uses, shared: ["/bin/false"])
        kill(box, signal.SIGKILL)
        came = box.observe("def f(): return 1.0", [Call("f", returns=("x",))])
    assert came.verdict == Verdict.GRADER_ERROR
    assert came.outcome is None


def test_a_worker_that_answers_out_of_step_is_not_believed(monkeypatch):
    forged = (
        "import sys, time; sys.stdout.buffer.write(b'amready1' + b'x' * 100); "
        "sys.stdout.flush(); time.sleep(60)"
    )
    monkeypatch.setattr(walls, "command", lambda uses, shared: [sys.executable, "-c", forged])
    with Sandbox() as box:
        came = box.observe("def f(): return 1.0", [Call("f", returns=("x",))])
    assert came.verdict == Verdict.GRADER_ERROR


def test_a_worker_that_says_nothing_is_not_waited_for_for_ever(monkeypatch):
    silent = (
        "import sys, time; sys.stdout.write('amready1'); sys.stdout.flush(); time.sleep(60)"
    )
    monkeypatch.setattr(walls, "command", lambda uses, shared: [sys.executable, "-c", silent])
    monkeypatch.setattr(sandbox_module, "GRACE_S", -7.5)
    with Sandbox() as box:
        came = box.observe("def f(): return 1.0", [Call("f", returns=("x",))])
    assert came.verdict == Verdict.GRADER_ERROR
