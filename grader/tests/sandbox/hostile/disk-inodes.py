# tries: to use up every inode with empty files and folders
# expect: TIMEOUT|ERROR|MEMORY|DIED 0
import itertools
import os


def four_steps(q, k, v):
    for number in itertools.count():
        os.makedirs(f"/tmp/attention-hostile-{number}/deep")
        open(f"/tmp/attention-hostile-{number}/file", "w").close()
