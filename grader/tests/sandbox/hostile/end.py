# %% abort: DIED 0: abort, which leaves a core file where that is allowed
    os.abort()

# %% close-every-file: DIED|PROTOCOL 0: to close every file descriptor, the reply's among them
    os.closerange(0, 4096)
    return [1.0] * len(k), v[0]

# %% exit-zero-at-load: DIED 0: to end the process with status 0 before anything is asked
os._exit(0)

# %% exit-zero-in-the-call: DIED 0: to end the process with status 0 in the middle of a call
    os._exit(0)

# %% keyboard-interrupt: ERROR|DIED 0: to raise what `except Exception` does not catch
    raise KeyboardInterrupt

# %% kill-itself: DIED 0: SIGKILL for itself
    os.kill(os.getpid(), signal.SIGKILL)

# %% no-streams: OK 5: a right answer that closes its streams (it only harms its own prints)
sys.stdout.close()
sys.stderr.close()


@solution@

# %% other-program: DIED|ERROR|PROTOCOL 0: to become another program
    os.execv(sys.executable, [sys.executable, "-c", "print('OK 5')"])

# %% own-base-exception: ERROR|DIED 0: a BaseException of its own, whose text raises again
class Escape(BaseException):
    def __str__(self):
        raise Escape

    __repr__ = __str__


    raise Escape

# %% segfault: DIED 0: to read address 0
    ctypes.string_at(0)

# %% sys-exit: ERROR 0: to leave by SystemExit, which a careless harness takes for success
    sys.exit(0)

# %% system-exit-at-load: ERROR 0: to leave by SystemExit while it is loaded
raise SystemExit(0)

# %% text-of-the-error-is-huge: ERROR|MEMORY|OUTPUT 0: an exception with a text of 200 MB
    raise ValueError("x" * 200_000_000)

# %% text-of-the-error-never-ends: TIMEOUT 0: an exception whose text takes for ever
class Slow(Exception):
    __str__ = lambda self: forever()


    raise Slow

# %% text-of-the-error-raises: ERROR|DIED 0: an exception whose text cannot be asked for
class Silent(Exception):
    __repr__ = __str__ = lambda self: fail("no text")


    raise Silent
