# tries: to unfold a bomb of zeros
# expect: MEMORY|ERROR|DIED|TIMEOUT 0
import zlib


def four_steps(q, k, v):
    bomb, unfolded = zlib.compress(bytes(2**26)), b""
    while True:
        unfolded += zlib.decompress(bomb)
