# %% asleep: TIMEOUT 0: to sleep for an hour, which costs no processor time
    time.sleep(3600)

# %% at-load: TIMEOUT 0: an endless loop while it is loaded
forever()

# %% deadlock: TIMEOUT 0: to take the same lock twice
lock = threading.Lock()


    with lock, lock:
        return k @ q, v

# %% for-ever: TIMEOUT 0: an endless loop
    forever()

# %% great-power: TIMEOUT|MEMORY 0: a power with hundreds of millions of digits
    return 9 ** (9**9), v

# %% in-c: TIMEOUT 0: an endless loop inside C, where no Python signal handler runs
    return sum(itertools.repeat(0)), v

# %% pauses-at-the-end: OK 5: a right answer that hangs the process after it has returned
atexit.register(time.sleep, 3600)


@solution@

# %% regular-expression: TIMEOUT 0: a regular expression that backtracks for ever
    return re.match(r"(a+)+$", "a" * 60 + "b"), v

# %% stopped: TIMEOUT 0: to stop itself, so that it neither runs nor ends
    os.kill(os.getpid(), signal.SIGSTOP)

# %% that-ignores-signals: TIMEOUT 0: to loop, ignore every signal and swallow every exception
    for number in signal.valid_signals():
        tried(signal.signal, number, lambda *ignored: None)
    while True:
        try:
            forever()
        except BaseException:
            continue

# %% waits-for-input: ERROR 0: to wait for a person
    return float(input("the weights, please: ")), v
