# tries: to leave modules and .pth files that are loaded instead of the real ones later
# expect: ERROR 0
import contextlib
import os
import site
import sys

BAD = "import os\nos._exit(0)\n"


def four_steps(q, k, v):
    folders = [*sys.path, *site.getsitepackages(), site.getusersitepackages(), os.getcwd()]
    folders += ["/tmp", os.path.expanduser("~"), os.path.dirname(sys.executable)]
    for folder in folders:
        with contextlib.suppress(OSError):
            os.makedirs(folder, exist_ok=True)
        for name in ("numpy.py", "json.py", "struct.py", "sitecustomize.py", "hostile.pth"):
            with contextlib.suppress(OSError), open(os.path.join(folder, name), "w") as file:
                file.write(BAD)
    raise ValueError("the next one may load it")
