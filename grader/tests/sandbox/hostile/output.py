# %% 31-megabytes: OUTPUT 0 | OK 5: to print 31 MB beside a right answer
    for _ in range(31):
        print("x" * 10**6)
    return right(q, k, v)

# %% for-ever: OUTPUT|TIMEOUT 0: to print for ever, past Python's own streams
    while True:
        os.write(1, b"y\n" * 4096)
        os.write(2, b"y\n" * 4096)

# %% great-array: WRONG|OUTPUT|ERROR|MEMORY|TIMEOUT 0: 80 MB where a few numbers are asked for
    return np.zeros(10**7), v

# %% great-header: ERROR|PROTOCOL|OUTPUT 0: to fill the reply's header with names and errors
    raise type("E" * 10**6, (Exception,), {})("\N{GRINNING FACE}\0\\" * 10**6)
