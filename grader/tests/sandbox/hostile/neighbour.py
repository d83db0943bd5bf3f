# %% finds-nothing: OK 5: nothing: a right answer that raises if anybody left anything before it
found = [
    path
    for folder in ("/tmp", "/dev/shm", ".", os.path.expanduser("~"), "/var/tmp", "/run")
    for path in glob.glob(f"{folder}/*attention-hostile*")
]
found += [name for name in sys.modules if "hostile" in name]
found += [name for name in os.environ if "HOSTILE" in name]
found += ["builtins"] if "attention_hostile" in builtins.__dict__ else []
found += ["numpy"] if np.exp(0.0) != 1 or np.allclose(0, 1) or abs(np.pi - 3.1) > 1 else []
if os.path.isdir("/proc") and len([p for p in os.listdir("/proc") if p.isdigit()]) > 6:
    found.append("processes")
if found:
    raise RuntimeError(f"left by a neighbour: {found}")


@solution@

# %% leaves-a-note: ERROR 0: to leave its marks everywhere for the next one
    builtins.attention_hostile = True
    sys.modules["attention_hostile"] = types.ModuleType("attention_hostile")
    os.environ["ATTENTION_HOSTILE"] = "1"
    np.exp = np.cos
    for folder in ("/tmp", "/dev/shm", ".", os.path.expanduser("~"), "/var/tmp", "/run"):
        written(f"{folder}/attention-hostile")
    raise ValueError("left")

# %% waits-for-the-next-source: ERROR 0: an orphan that looks for the next answer in memory
    if os.fork() == 0:
        os.setsid()
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for path in glob.glob("/proc/[0-9]*/mem") + glob.glob("/tmp/**", recursive=True):
                with contextlib.suppress(OSError), open(path, "rb") as file:
                    if b"def four_steps" in file.read(10**6):
                        written("/tmp/attention-hostile-stolen")
        os._exit(0)
    raise ValueError("the orphan reads")
