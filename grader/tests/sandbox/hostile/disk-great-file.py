# tries: to fill the disk with one file, and swallows the signal
# expect: ERROR|DIED|MEMORY|TIMEOUT 0
import signal


def four_steps(q, k, v):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("/tmp/attention-hostile", "wb") as file:
        while True:
            file.write(b"x" * 2**20)
