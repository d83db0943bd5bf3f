# %% alarm-for-the-parent: WRONG|DIED 0: timers and alarms for the processes above it
    signal.setitimer(signal.ITIMER_REAL, 0.001)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    for number in (signal.SIGALRM, signal.SIGXCPU, signal.SIGPIPE, signal.SIGHUP):
        tried(os.kill, os.getppid(), number)
    return zeros(k, v)

# %% exhausts-the-table: ERROR|DIED|MEMORY 0: to hold every process it may have, and go wrong
    while True:
        if os.fork() == 0:
            time.sleep(3600)
            os._exit(0)

# %% fork-bomb: TIMEOUT|DIED|ERROR|MEMORY 0: a fork bomb
    while True:
        tried(os.fork)

# %% freeze-the-parent: ERROR|WRONG|TIMEOUT|DIED 0: to freeze the processes above it
    for process in {os.getppid(), 1, *range(2, 12)} - {os.getpid()}:
        tried(os.kill, process, signal.SIGSTOP)
    return zeros(k, v)

# %% kill-everybody: DIED 0: to kill every process it can see
    for process in (-1, 0, os.getppid()):
        tried(os.kill, process, signal.SIGKILL if process else signal.SIGURG)
    os._exit(0)

# %% kill-the-parent: DIED|ERROR|WRONG 0: to kill its parent, the group and the first process
    for process in (os.getppid(), 1, 2, 3, 4, 5):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
            tried(os.kill, process, number)
    return zeros(k, v)

# %% leave-the-cgroup: WRONG 0: to leave its control group and to lift the group's limits
    for folder, folders, files in os.walk("/sys/fs/cgroup"):
        for name in {"cgroup.procs", "tasks", "memory.max", "pids.max"} & {*files}:
            what = "max" if name.endswith(".max") else str(os.getpid())
            written(os.path.join(folder, name), what)
    return zeros(k, v)

# %% memory-of-the-parent: WRONG|DIED 0: process_vm_writev over all of the parent's memory
class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]


    libc = ctypes.CDLL(None, use_errno=True)
    nothing = ctypes.create_string_buffer(65536)
    for process in (os.getppid(), 1):
        maps = tried(open, f"/proc/{process}/maps")
        for line in maps or ():
            start, end = (int(x, 16) for x in line.split()[0].split("-"))
            if " rw" in line and "stack" not in line:
                size = min(end - start, 65536)
                mine, theirs = Part(ctypes.addressof(nothing), size), Part(start, size)
                both = ctypes.byref(mine), 1, ctypes.byref(theirs), 1
                libc.process_vm_writev(process, *both, 0)
    return zeros(k, v)

# %% namespaces: WRONG 0: new namespaces, a new root, mounts and capabilities
    libc = ctypes.CDLL(None, use_errno=True)
    gained = []
    for flag in (0x10000000, 0x00020000, 0x20000000, 0x40000000, 0x10020000, 0x7E020000):
        gained.append(libc.unshare(flag) == 0)
    gained.append(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)
    gained.append(libc.mount(b"proc", b"/proc", b"proc", 0, None) == 0)
    gained.append(libc.chroot(b"/tmp") == 0)
    gained.append(libc.setuid(0) == 0 and os.getuid() == 0)
    gained.append(libc.sethostname(b"hostile", 7) == 0)
    if any(gained):
        forever()
    return zeros(k, v)

# %% orphan-beside-a-right-answer: OK 5: a right answer that leaves a sleeping orphan behind
try:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(3600)
        os._exit(0)
except OSError:
    print("no orphan")


@solution@

# %% orphan-that-forges-later: ERROR 0: an orphan in its own session writes into later replies
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            for process in filter(str.isdigit, tried(os.listdir, "/proc") or "123456789"):
                for number in range(3, 24):
                    path = f"/proc/{process}/fd/{number}"
                    target = tried(os.open, path, os.O_WRONLY | os.O_NONBLOCK)
                    if target is not None:
                        tried(os.write, target, REPLY)
                        os.close(target)
        os._exit(0)
    raise ValueError("the orphan waits")

# %% orphan-with-inherited-files: ERROR 0: an orphan writes into each inherited descriptor later
    if os.fork() == 0:
        os.setsid()
        for _ in range(100):
            time.sleep(0.05)
            for number in range(256):
                tried(os.set_blocking, number, False)
            everywhere(REPLY)
        os._exit(0)
    raise ValueError("the orphan waits")

# %% raise-its-limits: ERROR|MEMORY|DIED 0: to raise every limit, and then to take 4 GB
    for name in dir(resource):
        if name.startswith("RLIMIT_"):
            for limit in ((-1, -1), (2**40, 2**40)):
                tried(resource.setrlimit, getattr(resource, name), limit)
    return bytearray(b"x") * 2**32, v

# %% seccomp: WRONG|DIED|ERROR 0: a seccomp filter on itself and its children, and no signals
    libc = ctypes.CDLL(None, use_errno=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    libc.prctl(38, 1, 0, 0, 0)
    libc.prctl(22, 1, 0, 0, 0)
    return zeros(k, v)

# %% shell: WRONG 0: commands of the shell
    tried(os.system, "touch $HOME/attention-hostile ~/attention-hostile /tmp/attention-hostile")
    tried(subprocess.run, "echo 5; echo OK; exit 0", shell=True, check=False)
    return zeros(k, v)

# %% threads-without-end: TIMEOUT|DIED|ERROR|MEMORY 0: to start threads until none are left
    while True:
        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()

# %% trace-the-parent: WRONG|DIED 0: to attach to its parent, and write
    libc = ctypes.CDLL(None, use_errno=True)
    for process in (os.getppid(), 1):
        libc.ptrace(16, process, 0, 0)
        libc.waitpid(process, None, 1)
        libc.ptrace(5, process, ctypes.c_void_p(0x400000), ctypes.c_void_p(0))
        memory = tried(open, f"/proc/{process}/mem", "r+b", 0)
        for line in tried(open, f"/proc/{process}/maps") or ():
            if " rw" in line and "heap" in line and memory:
                tried(memory.seek, int(line.split("-")[0], 16))
                tried(memory.write, b"\0" * 4096)
    return zeros(k, v)
