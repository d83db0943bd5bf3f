"""Runs answers inside the sandbox: process 1 of its world, it forks a child for each request.

It stands alone: the standard library, NumPy, and ``runner`` and ``syscalls`` beside it. The
imports are paid once; a child costs milliseconds. Process 1 never reads an answer nor a reply:
the child reads its own request, and what it writes is passed on as bytes, cut at the limit.
Then everything else in the sandbox is killed, so that nothing lives on into the next answer.
"""

import contextlib
import ctypes
import gc
import json
import mmap
import os
import resource
import select
import signal
import struct
import sys
import time
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

# A request: mark, tensors, seconds by the clock, then seconds of computing, bytes of memory,
# processes, bytes of a file, open files, bytes of stack, of output, of kept text, of the whole
# reply, the lengths of source and forbidden names that follow, and of the runs in the memory
# that the grader sees.
REQUEST = struct.Struct("<4s?d12Q")
# Before each run's calls: how many bytes its arrays may have, and how many its calls have. As
# long as what arrays are aligned to, because they are used where they lie.
RUN = struct.Struct("<QQ48x")
# In the memory that the grader sees, behind the runs, on pages of its own: where a generator's
# state lies from the next page on, its length, and its bytes before. An answer reaches no page
# but those where the state lies.
STATE = struct.Struct("<QQ")
# Before each outcome in a reply: how many bytes it has.
FRAME = struct.Struct("<I")
# Before a child's outcomes: that it had all it needs, its seconds of computing up to there, and
# the KiB of memory.
BEGUN = struct.Struct("<cdQ")
# A reply: mark, how it ended, exit status or signal, seconds of computing, the most KiB of
# memory, and the lengths of the reply and the text that follow.
REPLY = struct.Struct("<4sBBdQQQ")
MARK, READY = b"amr1", b"amready1"
EXITED, KILLED, LATE, PRINTED, SAID = range(5)
LONGEST_HEADER = 1 << 16
NOBODY = 65534
FOLDER = "/course"


_LIBC = ctypes.CDLL(None)
_M_MMAP_THRESHOLD = -3  # of malloc.h
_mapped = _LIBC.mmap
_mapped.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_mapped.restype = ctypes.c_void_p


def main(uses: str, shared: int) -> None:
    """Give up all rights, import what answers need, and serve requests until there are none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies, shared = os.dup(0), os.dup(1), os.dup(shared)
    sys.path.insert(0, FOLDER)
    import syscalls  # type: ignore[import-not-found]  # it lies beside, in the sandbox only

    _become_nobody(syscalls.prctl)
    sys.path[0] = f"{FOLDER}/packages"
    runner = _runner(uses)
    syscalls.forbid()
    os.environ.clear()
    gc.collect()
    # Objects that are never collected stay on pages that a child shares instead of copying.
    gc.freeze()
    # What is large is always mapped, and given back when it is freed: else the heap grows with
    # the outputs of earlier answers, and a later one has less than its limit.
    with contextlib.suppress(AttributeError):  # not every C library has it
        _LIBC.mallopt(_M_MMAP_THRESHOLD, 1 << 17)
    used = address_space()
    _write(replies, READY)
    while serve(requests, replies, shared, runner, used):
        pass


def _become_nobody(prctl: Callable[..., None]) -> None:
    if os.getuid() == 0:
        # Groups first: without the rights of root they could no longer be changed.
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    prctl(1, signal.SIGKILL)  # die with the parent: a change of user forgets it
    prctl(38, 1)  # no new privileges
    prctl(4, 0)  # no process of the same user may look into this one


def _runner(uses: str) -> types.ModuleType:
    sys.path.append(FOLDER)
    import runner  # type: ignore[import-not-found]  # it lies beside, in the sandbox only

    sys.path.pop()
    tensors = uses == "torch"
    if tensors:
        import torch

        torch.set_num_threads(1)
        # No thread can be made here; an answer that asks for some computes without them.
        for name in ("set_num_threads", "set_num_interop_threads"):
            setattr(torch, name, lambda count: None)
    # What is imported at the first use is imported here, once, instead of in every child.
    _try(runner, tensors)
    return runner


def _try(runner: types.ModuleType, tensors: bool = False) -> None:
    """Make a call as answers are called, so that all that is needed is in memory."""
    call = runner.Call(
        "f", (runner.np.ones((128, 128)),), gradients=(0,) * tensors, returns=("x",)
    )
    runner.run(runner.load("import numpy as np\nf = lambda x: x @ x"), [call], tensors)


def address_space() -> int:
    """Return how many bytes of address space this process has: there is no /proc to ask."""
    least, most = 0, 1 << 47
    kept = resource.getrlimit(resource.RLIMIT_AS)
    while most - least > mmap.PAGESIZE:
        limit = (least + most) // 2
        resource.setrlimit(resource.RLIMIT_AS, (limit, kept[1]))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
            most = limit
        except (OSError, MemoryError):
            least = limit
    resource.setrlimit(resource.RLIMIT_AS, kept)
    return most


def serve(
    requests: int, replies: int, shared: int, runner: types.ModuleType, used: int
) -> bool:
    """Serve one request.

    Returns:
        Whether to go on: False at the end of the requests, or if they are out of step.
    """
    head = _read(requests, REQUEST.size)
    if len(head) < REQUEST.size or not head.startswith(MARK):
        return False
    fields = REQUEST.unpack(head)
    said, say = os.pipe()
    printed, prints = os.pipe()
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        # A child must not be able to write a reply in the name of process 1.
        os.close(replies)
        _answer(requests, shared, say, prints, fields, runner, used)
    os.close(say)
    os.close(prints)
    reply, text = _Kept(said, BEGUN.size + fields[11]), _Kept(printed, fields[9])
    ended = _listen(child, reply, text, began + fields[2], requests)
    ended, code, cpu, held = _end(child, ended)
    sign, before, least = BEGUN.unpack_from(reply.buffer)
    in_step = reply.length >= BEGUN.size and sign == b"+"
    if in_step:
        length = min(text.length, fields[10])
        held, sizes = max(held, least) - least, (reply.length - BEGUN.size, length)
        _write(replies, REPLY.pack(MARK, ended, code, cpu - before, held, *sizes))
        _write(replies, memoryview(reply.buffer)[BEGUN.size : reply.length])
        _write(replies, memoryview(text.buffer)[:length])
    reply.forget()
    text.forget()
    return in_step


class _Kept:
    """What came through a pipe, up to a limit; forgotten at the end, because forks copy it."""

    def __init__(self, pipe: int, most: int):
        self.pipe, self.most, self.length = pipe, most, 0
        # One byte more than allowed: if it is used, the limit was passed.
        self.buffer = bytearray(most + 1)

    def read(self) -> bool:
        """Read once; return False at the end."""
        got = os.readv(self.pipe, [memoryview(self.buffer)[self.length :]])
        self.length += got
        return got > 0

    def forget(self) -> None:
        memoryview(self.buffer)[: self.length] = bytes(self.length)
        os.close(self.pipe)


def _listen(child: int, reply: _Kept, text: _Kept, deadline: float, requests: int) -> int:
    """Read both pipes until they end; then wait for the child.

    If the grader is gone, everything here ends at once. The signal that is sent at a parent's
    death does not come through where root started the sandbox.

    Returns:
        Why the child must be ended: LATE, PRINTED or SAID; EXITED if it ended by itself.
    """
    poll, pipes = select.poll(), {kept.pipe: kept for kept in (reply, text)}
    for pipe in pipes:
        poll.register(pipe, select.POLLIN)
    # Asked for no event, poll still reports that the grader has closed its end.
    poll.register(requests, 0)
    while pipes:
        left = deadline - time.monotonic()
        if left <= 0:
            return LATE
        for pipe, _ in poll.poll(1000 * left):
            if pipe == requests:
                os._exit(0)
            if not pipes[pipe].read():
                poll.unregister(pipe)
                del pipes[pipe]
        if text.length > text.most:
            return PRINTED
        if reply.length > reply.most:
            return SAID
    # Most end with their pipes; the pause grows for those that go on computing.
    pause = 1e-4
    # WNOWAIT keeps the number of the child taken until _end reads its times.
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() > deadline:
            return LATE
        time.sleep(pause)
        pause = min(2 * pause, 0.02)
    return EXITED


def _end(child: int, ended: int) -> tuple[int, int, float, int]:
    """Kill all there is beside this process; return how the child ended, and what it took."""
    status, cpu, held = 0, 0.0, 0
    while True:
        with contextlib.suppress(ProcessLookupError):
            # In every turn: a process may have forked between the signal and the wait.
            os.kill(-1, signal.SIGKILL)
        try:
            pid, code, usage = os.wait4(-1, 0)
        except ChildProcessError:
            break
        if pid == child:
            status, cpu, held = code, usage.ru_utime + usage.ru_stime, usage.ru_maxrss
    if ended == EXITED and os.WIFSIGNALED(status):
        return KILLED, os.WTERMSIG(status), cpu, held
    return ended, os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0, cpu, held


# ---- in the child ---------------------------------------------------------------------------


def _answer(
    requests: int,
    shared: int,
    say: int,
    prints: int,
    fields: tuple[Any, ...],
    runner: types.ModuleType,
    used: int,
) -> None:
    """Read the request, run the answer under its limits, write its outcome, and end."""
    # Fetched before the answer runs, which may put anything in its place.
    end = os._exit
    try:
        code, forbidden = (_read(requests, size) for size in fields[12:14])
        packed = mmap.mmap(shared, fields[14])
        _show(runner, shared, fields[14])
        os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
        os.dup2(prints, 1)
        os.dup2(prints, 2)
        os.dup2(say, 3)
        # What is left would reach the grader: its requests and the file of the memory.
        os.closerange(4, 1024)
        _quiet_streams()
        names, runs = json.loads(forbidden), list(_runs(packed, runner))
        source = code.decode("utf-8", "surrogatepass")
        sys.modules.pop(runner.__name__, None)  # what compares is not theirs to see
        if fields[1]:
            _take_away(names)
        _limit(used, *fields[3:9])
        # Up to here a failure is ours, from here on it is the answer's; so is the time.
        held = _full(runner)
        _write(3, BEGUN.pack(b"+", time.process_time(), held))
        for data in _outcomes(source, runs, names, fields[1], runner):
            _flush()
            _write(3, FRAME.pack(len(data)))
            _write(3, data)
        end(0)
    except MemoryError:
        end(71)
    except BaseException:
        end(70)
    finally:
        end(70)


def _show(runner: types.ModuleType, shared: int, size: int) -> None:
    """Lay the states of the generators into the memory that the grader sees."""
    page = mmap.PAGESIZE
    at = -(-size // page) * page
    for address, length in runner.generators():
        first = address // page * page
        pages = -(-(address + length - first) // page) * page
        state = STATE.pack(address - first, length) + ctypes.string_at(address, length)
        os.pwrite(shared, state, at)
        at += -(-len(state) // page) * page
        os.pwrite(shared, ctypes.string_at(first, pages), at)
        # Written there and read and write, shared, at just this address.
        if _mapped(first, pages, 3, 0x11, shared, at) != first:
            raise OSError("mmap failed")
        at += pages


def _full(runner: types.ModuleType) -> int:
    """Take memory until it shows, and return how many KiB the kernel then counts.

    What lies free from before could be taken, and would not be counted.
    """
    _try(runner)
    with contextlib.suppress(AttributeError):  # not every C library has it
        _LIBC.malloc_trim(0)
    least = held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while held == least:
        _mapped(None, 1 << 18, 3, 0x8022, -1, 0)  # private, of no file, there at once
        held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held


def _quiet_streams() -> None:
    stream = os.fdopen(1, "w", encoding="utf-8", errors="backslashreplace")
    for name in ("stdout", "stderr", "__stdout__", "__stderr__"):
        setattr(sys, name, stream)
    warnings.simplefilter("ignore")


def _take_away(names: list[str]) -> None:
    """Replace torch's own forms of what an answer is asked to build; a hint, not a wall."""
    torch = sys.modules["torch"]
    modules = [m for name, m in sys.modules.items() if name.startswith("torch.nn")]
    modules += [torch, torch._C._nn, torch._C._VariableFunctions, torch.Tensor]
    found = {(m, a) for m in modules for a in dir(m) if any(name in a for name in names)}
    found |= {(torch.ops.aten, attribute) for _, attribute in found}
    for module, attribute in found:
        with contextlib.suppress(AttributeError, TypeError):
            setattr(module, attribute, _refused(attribute))


def _refused(name: str) -> Callable[..., None]:
    def refused(*args: object, **kwargs: object) -> None:
        raise RuntimeError(f"{name} is not allowed in this exercise")

    return refused


def _limit(
    used: int, cpu: int, memory: int, processes: int, file_bytes: int, files: int, stack: int
) -> None:
    """Set the limits; they hold for all that this process starts and cannot be raised."""
    for name, soft, hard in (
        # SIGXCPU at the soft limit can be caught, SIGKILL a second later cannot.
        ("CPU", cpu, cpu + 1),
        ("AS", used + memory, used + memory),
        ("NPROC", processes, processes),
        ("FSIZE", file_bytes, file_bytes),
        ("NOFILE", files, files),
        ("STACK", stack, stack),
        ("CORE", 0, 0),
    ):
        resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (soft, hard))


def _runs(data: mmap.mmap, runner: types.ModuleType) -> Iterator[tuple[list[Any], int]]:
    """Yield for each run its calls and its most bytes; the arrays are the memory itself."""
    at = 0
    while at < len(data):
        most, size = RUN.unpack_from(data, at)
        at += RUN.size + size
        yield runner.unpack_calls(data, at - size), most


def _outcomes(
    source: str,
    runs: list[tuple[list[Any], int]],
    forbidden: list[str],
    tensors: bool,
    runner: types.ModuleType,
) -> Iterator[bytes]:
    """Yield what the answer does in each run, as bytes; it is loaded once."""
    try:
        defined = runner.load(source, forbidden, lenient=True)
    except BaseException as error:
        for _, most in runs:
            yield _packed(_failed(error, runner), most, runner)
        return
    runner.begin()
    for calls, most in runs:
        with runner.np.errstate():
            try:
                outcome = runner.run(defined, calls, tensors, watched=True)
            except BaseException as error:
                outcome = _failed(error, runner)
        yield _packed(outcome, most, runner)


def _failed(error: BaseException, runner: types.ModuleType) -> Any:
    line = getattr(error, "line", 0) or getattr(error, "lineno", 0) or 0
    line = line or runner.last_line(error)
    return runner.Outcome(error=type(error).__name__, message=str(error), line=line)


def _packed(outcome: Any, most: int, runner: types.ModuleType) -> bytes:
    data = runner.pack_outcome(outcome, most)
    if struct.unpack_from("<I", data)[0] > LONGEST_HEADER:
        outcome.message = outcome.message[:40]
        data = runner.pack_outcome(outcome, most)
    return data


def _flush() -> None:
    """Flush what was printed; an answer may have put anything in the place of the stream."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()


# ---- pipes ----------------------------------------------------------------------------------


def _read(pipe: int, size: int) -> bytes:
    """Return so many bytes; fewer if the pipe ends."""
    parts, missing = [], size
    while missing:
        part = os.read(pipe, min(missing, 1 << 20))
        if not part:
            break
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)


def _write(pipe: int, data: bytes | memoryview) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(pipe, view) :]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv.pop()))
