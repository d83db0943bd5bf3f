# tries: to carry secrets out in the text of an error
# expect: ERROR 0
import contextlib
import glob
import os


def four_steps(q, k, v):
    found = [str(dict(os.environ))]
    for path in [
        *"@canaries@".split(":"),
        *glob.glob("/proc/*/environ"),
        *glob.glob("/proc/*/cmdline"),
        *glob.glob(os.path.expanduser("~/.*")),
    ]:
        with contextlib.suppress(OSError), open(path, errors="replace") as file:
            found.append(file.read())
    raise ValueError("canary" if any("canary" in text for text in found) else str(found)[:90])
