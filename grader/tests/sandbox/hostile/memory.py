# %% a-little-at-a-time: MEMORY|DIED 0: to take memory a megabyte at a time
    kept = []
    while True:
        kept.append(bytearray(b"x") * 2**20)

# %% billion-by-itertools: MEMORY|ERROR|TIMEOUT|DIED 0: a list of a billion
    return list(itertools.repeat(0.0, 10**9)), v

# %% caught-and-tried-again: MEMORY|TIMEOUT|DIED 0: all memory, for ever
    kept, size = [], 2**24
    while True:
        try:
            kept.append(bytearray(b"x") * size)
        except MemoryError:
            size = max(1, size // 2)

# %% compressed: MEMORY|ERROR|DIED|TIMEOUT 0: to unfold a bomb of zeros
    bomb, unfolded = zlib.compress(bytes(2**26)), b""
    while True:
        unfolded += zlib.decompress(bomb)

# %% in-many-children: MEMORY|TIMEOUT|DIED|ERROR 0: in each of many children what one may take
    for _ in range(64):
        if os.fork() == 0:
            kept = bytearray(b"x") * (100 * 2**20)
            time.sleep(3600)
    time.sleep(3600)
    return kept, v

# %% left-in-shared-files: ERROR|MEMORY|DIED|TIMEOUT 0: full files in /dev/shm and /tmp
    for number in itertools.count():
        for folder in ("/dev/shm", "/tmp", "."):
            with contextlib.suppress(PermissionError):
                with open(f"{folder}/attention-hostile-{number}", "wb") as file:
                    file.write(b"x" * 2**22)

# %% lying-view: ERROR|MEMORY|WRONG 0: a view that is tiny here, and a terabyte as a copy
    return np.broadcast_to(1.0, (10**6, 10**6)), v

# %% one-great-array: MEMORY|ERROR 0: an array of 80 GB
    return np.ones(10**10), v

# %% shared: MEMORY|ERROR|DIED|TIMEOUT 0: shared maps and memory files, which no limit counts
    kept = []
    while True:
        number = os.memfd_create("hostile")
        os.ftruncate(number, 2**26)
        area = mmap.mmap(number, 2**26)
        for page in range(0, 2**26, 4096):
            area[page] = 1
        kept.append(area)
