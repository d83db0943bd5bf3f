"""What an answer cannot reach: network, files, other packages, the worker, other answers."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from inside import found, observed, worker_of

from attention_course.exercises.runner import Call
from course_grader.sandbox import syscalls
from course_grader.sandbox.limits import Limits
from course_grader.sandbox.sandbox import Sandbox
from course_grader.verdicts import Verdict

ROOT = Path(__file__).parents[3]
# Forks are allowed here, so that the tests meet the walls behind the limit.
MANY = Limits(processes=500)


def test_an_answer_comes_back_with_its_numbers_and_its_print(sandbox):
    source = 'def f(x):\n    print("shapes fine \N{THUMBS UP SIGN}")\n    return 2 * x'
    came = sandbox.observe(source, [Call("f", (1.5,), returns=("y",))])
    assert came.verdict == Verdict.OK
    assert float(came.outcome.values[0]) == 3.0
    assert came.text == "shapes fine \N{THUMBS UP SIGN}\n"


@pytest.mark.parametrize("module", ["attention_course", "torch", "pytest", "pip", "plotly"])
def test_neither_the_course_nor_torch_nor_any_other_package_can_be_imported(sandbox, module):
    body = f"""
        import importlib
        try:
            importlib.import_module({module!r})
        except ModuleNotFoundError as error:
            return error.name
        return "imported"
    """
    assert found(sandbox, body) == module


def test_torch_is_there_for_the_exercises_that_use_it_and_the_course_is_not(torch_sandbox):
    source = "import torch\n\ndef f(x):\n    return x * torch.ones(2, dtype=x.dtype)\n"
    call = Call("f", (np.ones(2),), gradients=(0,), returns=("y",))
    came = torch_sandbox.observe(source, [call])
    assert came.outcome.names == ["y", "gradient of 0"]
    came = torch_sandbox.observe("def f(x):\n    import attention_course", [call])
    assert came.outcome.error == "ModuleNotFoundError"


def test_what_an_answer_is_asked_to_build_is_taken_out_of_torch(torch_sandbox):
    source = (
        "import torch\n\ndef f(x):\n"
        "    name = 'scaled_dot_' + 'product_attention'\n"
        "    return getattr(torch.nn.functional, name)(x, x, x)\n"
    )
    calls = [Call("f", (np.ones((1, 2, 3)),), returns=("y",))]
    assert torch_sandbox.observe(source, calls).verdict == Verdict.OK
    came = torch_sandbox.observe(source, calls, ("scaled_dot_product_attention",))
    assert "not allowed in this exercise" in came.outcome.message
    assert torch_sandbox.observe(source, calls).verdict == Verdict.OK


def test_no_course_file_lies_anywhere_in_the_sandbox(sandbox):
    body = """
        names = []
        for folder, folders, files in os.walk("/"):
            for name in folders + files:
                names += [name] * ("attention" in name.lower() or "grader" in name.lower())
        return " ".join(names)
    """
    assert found(sandbox, body) == ""


def test_canary_files_cannot_be_read(sandbox, tmp_path):
    canary = tmp_path / "canary"
    canary.write_text("private")
    places = [
        canary,
        ROOT / "pyproject.toml",
        "/etc/passwd",
        "/etc/hostname",
        "/proc/1/environ",
    ]
    places += ["/proc/self/mem", "/sys/kernel", "/var", "/home", "/dev/shm", "/dev/tty"]
    body = f"""
        there = []
        for place in {[str(place) for place in places]!r}:
            try:
                os.stat(place)
                there.append(place)
            except FileNotFoundError:
                pass
        return " ".join(there)
    """
    assert found(sandbox, body) == ""


def test_no_folder_can_be_written_to(sandbox):
    body = """
        written = []
        for folder, folders, files in os.walk("/"):
            for do in (lambda p: os.close(os.open(p, os.O_CREAT | os.O_WRONLY)), os.mkdir):
                try:
                    do(folder + "/canary")
                    written.append(folder)
                except OSError:
                    pass
        return " ".join(written)
    """
    assert found(sandbox, body) == ""


def test_no_file_of_the_interpreter_can_be_changed(sandbox):
    body = """
        import numpy
        changed = []
        for path in (os.__file__, numpy.__file__, sys.executable, "/course/worker.py"):
            for do in (lambda p: open(p, "ab"), os.unlink, lambda p: os.chmod(p, 0o777)):
                try:
                    do(path)
                    changed.append(path)
                except OSError:
                    pass
        return " ".join(changed)
    """
    assert found(sandbox, body) == ""


def test_the_environment_is_empty(monkeypatch):
    monkeypatch.setenv("CANARY", "private")
    with Sandbox() as box:
        body = """
            get = ctypes.CDLL(None).getenv
            get.restype = ctypes.c_char_p
            return f"{dict(os.environ)} {get(b'CANARY')} {get(b'PATH')} {sys.argv[1:]}"
        """
        assert found(box, body) == "{} None None ['numpy']"


def test_the_answer_is_nobody_and_has_no_rights(sandbox):
    body = """
        ids = {*os.getresuid(), *os.getresgid()}
        try:
            os.setuid(0)
            return "became root"
        except OSError:
            return f"{ids} {set(os.getgroups()) - {65534}}"
    """
    assert found(sandbox, body) == "{65534} set()"


def test_four_files_are_open_and_none_is_the_workers(sandbox):
    body = """
        there = []
        for number in range(4096):
            try:
                os.fstat(number)
                there.append(number)
            except OSError:
                pass
        return str(there)
    """
    assert found(sandbox, body) == "[0, 1, 2, 3]"


def test_a_listener_on_this_machine_is_never_reached(sandbox):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.5)
        port = listener.getsockname()[1]
        body = f"""
            import socket
            try:
                socket.create_connection(("127.0.0.1", {port}), 2)
            except OSError as error:
                return type(error).__name__
            return "connected"
        """
        assert found(sandbox, body) == "PermissionError"
        with pytest.raises(TimeoutError):
            listener.accept()


def test_every_forbidden_system_call_is_refused(sandbox):
    machine = list(syscalls.MACHINES).index(os.uname().machine)
    numbers = {name: both[machine] for name, both in syscalls.FORBIDDEN.items()}
    body = f"""
        libc = ctypes.CDLL(None, use_errno=True)
        done = []
        for name, number in {numbers!r}.items():
            result = libc.syscall(number, 0, 0, 0, 0, 0, 0)
            if (result, ctypes.get_errno()) != (-1, errno.EPERM):
                done.append(name)
        return " ".join(done)
    """
    assert found(sandbox, body) == ""


@pytest.mark.parametrize("flag", [0x10000000, 0x20000000, 0x40000000, 0x00020000])
def test_no_namespace_can_be_made_by_clone(sandbox, flag):
    _, clone, _, _ = syscalls.MACHINES[os.uname().machine]
    body = f"""
        libc = ctypes.CDLL(None, use_errno=True)
        result = libc.syscall({clone}, {flag} | 17, 0, 0, 0, 0)
        if result == 0:
            os._exit(0)
        return f"{{result}} {{ctypes.get_errno()}}"
    """
    assert found(sandbox, body, limits=MANY) == "-1 1"


def test_a_machine_whose_calls_are_not_known_is_refused():
    with pytest.raises(ValueError, match="machine must be one of x86_64, aarch64, got 'vax'"):
        syscalls.program("vax")


def test_process_1_cannot_be_killed_stopped_traced_or_starved(sandbox):
    before = sandbox._process.pid
    body = """
        import resource
        for number in range(1, 65):
            try:
                os.kill(1, number)
            except (OSError, ValueError):
                pass
        refused = []
        for do in (
            lambda: resource.prlimit(1, resource.RLIMIT_NOFILE, (4, 4)),
            lambda: os.setpriority(os.PRIO_PROCESS, 1, 19),
            lambda: os.sched_setaffinity(1, {0}),
        ):
            try:
                do()
                refused.append(False)
            except PermissionError:
                refused.append(True)
        return str(refused)
    """
    assert found(sandbox, body) == "[True, True, True]"
    assert found(sandbox, "return 'alive'") == "alive"
    assert sandbox._process.pid == before


def test_an_orphan_does_not_live_on_into_the_next_answer(sandbox):
    orphan = """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in range(1, 32):
                    try:
                        signal.signal(number, signal.SIG_IGN)
                    except OSError:
                        pass
                while True:
                    time.sleep(1)
            os._exit(0)
        return "left"
    """
    alone = """
        there = []
        for pid in range(2, 5000):
            try:
                os.kill(pid, 0)
                there.append(pid)
            except ProcessLookupError:
                pass
        return str(there == [os.getpid()])
    """
    before = sandbox._process.pid
    # The orphan holds the pipes open, so the run ends by the clock, not by its answer.
    came = observed(sandbox, orphan, limits=Limits(wall_s=2, processes=500))
    assert came.verdict == Verdict.TIMEOUT
    assert found(sandbox, alone, limits=MANY) == "True"
    assert sandbox._process.pid == before


def gone(path):
    """Say whether a process ends within two seconds."""
    for _ in range(200):
        if not path.exists():
            return True
        time.sleep(0.01)
    return False


def test_when_the_sandbox_closes_its_worker_dies():
    with Sandbox() as box:
        worker = Path(f"/proc/{worker_of(box)}")
        assert worker.exists()
    assert gone(worker)


def test_when_the_grader_is_killed_in_the_middle_its_worker_dies():
    code = (
        "from course_grader.sandbox.sandbox import Sandbox\n"
        "from inside import worker_of\n"
        "box = Sandbox().__enter__()\n"
        "print(worker_of(box), flush=True)\n"
        "box.observe('import time; time.sleep(60)', [])\n"
    )
    sources = ROOT / "src", ROOT / "grader/src", Path(__file__).parent
    folders = os.pathsep.join(map(str, sources))
    grader = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": folders},
    )
    with grader:
        worker = Path(f"/proc/{int(grader.stdout.readline())}")
        assert worker.exists()
        time.sleep(0.2)
        grader.kill()
    assert gone(worker)
