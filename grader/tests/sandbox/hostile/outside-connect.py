# tries: to call home, over each address of this machine, names and Unix sockets
# expect: WRONG 0
import contextlib
import socket
import urllib.request

import numpy as np

PORT = int("@port@")


def four_steps(q, k, v):
    for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.2.2", "172.17.0.1"):
        with contextlib.suppress(OSError):
            socket.create_connection((host, PORT), timeout=0.1).sendall(b"hostile")
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        for name in ("\0attention-canary-@port@", "@socket@"):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, kind) as line:
                line.connect(name)
                line.sendall(b"hostile")
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as line:
        line.sendto(b"hostile", ("127.0.0.1", PORT))
    with contextlib.suppress(OSError, ValueError):
        urllib.request.urlopen(f"http://127.0.0.1:{PORT}/hostile", timeout=0.1)
    return np.zeros(len(k)), np.zeros(v.shape[1])
