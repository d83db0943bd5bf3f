# tries: to overwrite, rename, delete and link over files of the host
# expect: WRONG 0
import contextlib
import os
import pathlib
import shutil

import numpy as np

PATHS = "@canaries@".split(":")


def four_steps(q, k, v):
    for path in map(pathlib.Path, PATHS):
        for act in (
            lambda p: p.write_text("hostile"),
            lambda p: p.unlink(),
            lambda p: p.rename(p.with_suffix(".attention-hostile")),
            lambda p: os.chmod(p, 0o777),
            lambda p: os.symlink("/etc/passwd", p),
            lambda p: (p.parent / "attention-hostile").write_text("hostile"),
            lambda p: shutil.rmtree(p.parent),
            lambda p: p.parent.mkdir(parents=True),
            lambda p: p.write_text("hostile"),
        ):
            with contextlib.suppress(OSError):
                act(path)
    return np.zeros(len(k)), np.zeros(v.shape[1])
