# %% great-file: ERROR|DIED|MEMORY|TIMEOUT 0: to fill the disk, and swallows the signal
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/attention-hostile", "wb") as file:
        while True:
            file.write(b"x" * 2**20)

# %% inodes: TIMEOUT|ERROR|MEMORY|DIED 0: to use up every inode with empty files and folders
    for number in itertools.count():
        os.makedirs(f"/tmp/attention-hostile-{number}/deep")
        open(f"/tmp/attention-hostile-{number}/file", "w").close()

# %% sparse-terabyte: ERROR|DIED|WRONG 0: a file of a terabyte with nothing in it
    with open("attention-hostile", "wb") as file:
        os.ftruncate(file.fileno(), 2**40)
    return 0.0, 0.0
