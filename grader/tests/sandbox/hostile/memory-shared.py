# tries: memory that no limit of one process counts: shared maps and memory files
# expect: MEMORY|ERROR|DIED|TIMEOUT 0
import mmap
import os


def four_steps(q, k, v):
    kept = []
    while True:
        number = os.memfd_create("hostile")
        os.ftruncate(number, 2**26)
        area = mmap.mmap(number, 2**26)
        for page in range(0, 2**26, 4096):
            area[page] = 1
        kept.append(area)
