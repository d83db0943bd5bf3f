"""Each limit of the sandbox, at nine tenths of it and at eleven."""

import time

import pytest
from inside import found, observed

from attention_course.exercises.runner import Call
from course_grader.sandbox.limits import MIB, Limits
from course_grader.verdicts import Verdict

SHARES = pytest.mark.parametrize(("share", "within"), [(0.9, True), (1.1, False)])


@SHARES
def test_the_clock(sandbox, share, within):
    limits = Limits(wall_s=12)  # long: a busy machine is slow to start and to answer
    came = observed(sandbox, f"time.sleep({share * 12}); return 'woke'", limits=limits)
    assert came.verdict == (Verdict.OK if within else Verdict.TIMEOUT)


def test_the_time_that_several_answers_share(sandbox):
    with sandbox.stopping(time.monotonic()):
        assert sandbox.over
        assert observed(sandbox, "return 'ran'").verdict == Verdict.TIMEOUT
    assert observed(sandbox, "return 'ran'").verdict == Verdict.OK


@SHARES
@pytest.mark.parametrize("deaf", [False, True])
def test_the_time_it_computes(sandbox, share, within, deaf):
    ignore = "signal.signal(signal.SIGXCPU, signal.SIG_IGN)" if deaf else "pass"
    extra = 1 if deaf and not within else 0  # the kernel waits a second before it kills
    # The kernel keeps this limit by counting its ticks, as this timer does. On a busy machine
    # they ran to 4.9 s where the precise clock of process_time had come to 4.5.
    body = f"""
        {ignore}
        signal.setitimer(signal.ITIMER_PROF, 100)
        while 100 - signal.getitimer(signal.ITIMER_PROF)[0] < {share * 5 + extra}:
            pass
        return "done"
    """
    came = observed(sandbox, body, limits=Limits(cpu_s=5, wall_s=120))
    assert came.verdict == (Verdict.OK if within else Verdict.TIMEOUT), came


@SHARES
@pytest.mark.parametrize("how", ["bytearray({})", "__import__('numpy').ones({}, 'u1')"])
def test_memory(sandbox, share, within, how):
    body = f"x = {how.format(int(share * 200 * MIB))}\nreturn str(len(x) > 0)"
    came = observed(sandbox, body, limits=Limits(memory_mib=200))
    assert came.verdict == (Verdict.OK if within else Verdict.MEMORY)


def test_long_outputs_take_no_memory_from_the_answers_that_follow(sandbox):
    for n in (1, 4, 8):
        said = f"print('x' * {n * MIB}); return 'done'"
        assert found(sandbox, said, limits=Limits(output_bytes=64 * MIB)) == "done"
    body = f"x = bytearray({int(0.9 * 200 * MIB)})\nreturn 'done'"
    assert found(sandbox, body, limits=Limits(memory_mib=200)) == "done"


@SHARES
def test_memory_in_torch(torch_sandbox, share, within):
    body = f"import torch\nreturn str(torch.ones({int(share * 50 * MIB)}).shape)"
    came = observed(torch_sandbox, body, limits=Limits(memory_mib=200))
    assert came.verdict == (Verdict.OK if within else Verdict.MEMORY)


def test_memory_that_it_frees_counts_once(sandbox):
    body = "for _ in range(6):\n    x = bytearray(100 * 2**20)\nreturn 'done'"
    assert found(sandbox, body, limits=Limits(memory_mib=250)) == "done"


@pytest.mark.parametrize(
    "how", ["os.fork() or os._exit(0)", "__import__('threading').Thread(target=int).start()"]
)
def test_processes_and_threads(sandbox, how):
    assert observed(sandbox, f"{how}; return 'made'").verdict == Verdict.ERROR
    made = observed(sandbox, f"{how}; return 'made'", limits=Limits(processes=500))
    assert made.verdict == Verdict.OK


@SHARES
def test_open_files(sandbox, share, within):
    # Four are open from the start.
    body = f"""
        files = [open("/dev/null") for _ in range(round({share} * 40) - 4)]
        return "opened"
    """
    came = observed(sandbox, body, limits=Limits(open_files=40))
    assert came.verdict == (Verdict.OK if within else Verdict.ERROR)


@SHARES
def test_output(sandbox, share, within):
    body = f"print('x' * {int(share * 1000)}, end='')\nreturn 'said'"
    came = observed(sandbox, body, limits=Limits(output_bytes=1000, text_bytes=100))
    assert came.verdict == (Verdict.OK if within else Verdict.OUTPUT)
    assert came.text == "x" * 100


def test_output_that_goes_round_the_stream_counts_too(sandbox):
    body = "os.write(1, b'x' * 600); os.write(2, b'x' * 600); return 'said'"
    assert observed(sandbox, body, limits=Limits(output_bytes=1000)).verdict == Verdict.OUTPUT


@SHARES
def test_the_bytes_that_it_returns(sandbox, share, within):
    source = f"import numpy as np\n\ndef f():\n    return np.ones({int(share * 1000)})"
    came = sandbox.observe(source, [Call("f", returns=("x",))], most_bytes=8000)
    assert came.verdict == Verdict.OK
    assert came.outcome.values[0].shape == (int(share * 1000),)
    # Of more than that, only the shape comes back.
    assert bool((came.outcome.values[0] == 1).all()) == within


def test_a_reply_longer_than_any_is_stopped(sandbox):
    body = "os.write(3, b'x' * 20_000); return 'forged'"
    assert observed(sandbox, body, most_bytes=100).verdict == Verdict.PROTOCOL


def test_the_stack(sandbox):
    # An argument of 20 MiB: how deep Python lets recursion go, each version decides anew.
    body = """
        class Long(ctypes.Structure):
            _fields_ = [("letters", ctypes.c_char * (20 * 2**20))]
        ctypes.CDLL(None).getpid(Long())
        return "called"
    """
    assert found(sandbox, body, limits=Limits(stack_mib=64)) == "called"
    assert observed(sandbox, body, limits=Limits(stack_mib=16)).verdict == Verdict.DIED


def test_an_answer_that_asks_torch_for_threads_computes_without_them(torch_sandbox):
    body = """
        import torch
        torch.set_num_threads(4)
        torch.set_num_interop_threads(4)
        x = torch.ones(600, 600)
        return f"{torch.get_num_threads()} {(x @ x).sum()}"
    """
    assert found(torch_sandbox, body) == "1 216000000.0"


def test_the_limits_cannot_be_raised_again(sandbox):
    body = """
        import resource
        raised = []
        for name in ("CPU", "AS", "NPROC", "FSIZE", "NOFILE", "STACK", "CORE"):
            which = getattr(resource, f"RLIMIT_{name}")
            try:
                resource.setrlimit(which, (resource.RLIM_INFINITY,) * 2)
                raised.append(name)
            except (ValueError, OSError):
                pass
        return " ".join(raised)
    """
    assert found(sandbox, body) == ""


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("raise ValueError('x')", Verdict.ERROR),
        ("raise NotImplementedError", Verdict.ERROR),
        ("raise MemoryError", Verdict.MEMORY),
        ("os._exit(70)", Verdict.DIED),
        ("os.kill(os.getpid(), signal.SIGTERM)", Verdict.DIED),
        ("os.kill(-1, signal.SIGKILL)", Verdict.ERROR),
        ("os.close(3)", Verdict.DIED),
        ("os.write(3, b'no reply'); os._exit(0)", Verdict.PROTOCOL),
        ("return None", Verdict.ERROR),
        ("return object()", Verdict.ERROR),
    ],
)
def test_every_end_has_its_verdict(sandbox, body, verdict):
    before = sandbox._process.pid
    assert observed(sandbox, body).verdict == verdict
    assert sandbox._process.pid == before


def test_limits_that_make_no_sense_are_refused():
    with pytest.raises(ValueError, match="cpu_s a whole number"):
        Limits(cpu_s=0)
    with pytest.raises(ValueError, match="below its least value"):
        Limits(memory_mib=0)
