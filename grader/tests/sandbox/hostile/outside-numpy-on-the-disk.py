# tries: to change NumPy's own files
# expect: ERROR 0
import contextlib
import glob
import os

import numpy as np


def four_steps(q, k, v):
    folder = os.path.dirname(np.__file__)
    for path in glob.glob(folder + "/**/*.py", recursive=True)[:200]:
        with contextlib.suppress(OSError):
            os.chmod(path, 0o666)
        with contextlib.suppress(OSError), open(path, "a") as file:
            file.write("\nraise SystemExit(0)\n")
    open(os.path.join(folder, "__init__.py"), "a").close()
    raise ValueError("NumPy could be written")
