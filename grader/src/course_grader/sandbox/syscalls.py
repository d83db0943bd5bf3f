"""Forbids system calls that no answer needs: a filter in the kernel, set before any runs.

This file is bound into the sandbox beside the worker and imports nothing but the standard
library. It forbids what could outlive an answer, reach another process, lower the limits of the
worker itself, make a namespace or open a socket. It is a second wall: the first is that there
is nothing to reach.
"""

import ctypes
import errno
import platform
import struct

# Name: number on x86_64, number on aarch64 (from the kernel's tables).
FORBIDDEN = {
    # network
    "socket": (41, 198),
    "socketpair": (53, 199),
    # memory that no limit counts
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    # other programs
    "execve": (59, 221),
    "execveat": (322, 281),
    # other processes
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    "kcmp": (312, 272),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "setpriority": (141, 140),
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
    # the kernel's larger doors
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "inotify_init": (253, 26),
    "inotify_init1": (294, 26),
    # contexts and locks that the whole machine shares
    "io_setup": (206, 0),
    "io_submit": (209, 2),
    "flock": (73, 32),
    "fanotify_init": (300, 262),
}
# Name: audit number, then clone, clone3 and prlimit64, which are forbidden in part.
MACHINES = {"x86_64": (0xC000003E, 56, 435, 302), "aarch64": (0xC00000B7, 220, 435, 261)}
NEW_NAMESPACES = 0x7E020080
_LOAD, _EQUAL, _AT_LEAST, _ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16


def program(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter as instructions: code, jump if true, jump if false, operand.

    Raises:
        ValueError: if the machine's numbers are not known.
    """
    if machine not in MACHINES:
        known = ", ".join(MACHINES)
        raise ValueError(f"program: machine must be one of {known}, got {machine!r}")
    audit, clone, clone3, prlimit = MACHINES[machine]
    refuse = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    # The machine is looked at first: a 64-bit process can make 32-bit calls, whose numbers
    # are others.
    steps = [(_LOAD, 0, 0, _MACHINE), (_EQUAL, 1, 0, audit), refuse, (_LOAD, 0, 0, _NUMBER)]
    if machine == "x86_64":  # its second set of numbers
        steps += [(_AT_LEAST, 0, 1, 0x40000000), refuse]
    for numbers in FORBIDDEN.values():
        steps += [(_EQUAL, 0, 1, numbers[list(MACHINES).index(machine)]), refuse]
    # Told that clone3 is not there, the C library takes clone, whose flags can be read here.
    steps += [(_EQUAL, 0, 1, clone3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    # No namespace by clone, and no limits of another process by prlimit64.
    steps += [(_EQUAL, 0, 3, clone), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    steps += [(_ANY, 0, 1, NEW_NAMESPACES), refuse, (_LOAD, 0, 0, _NUMBER)]
    steps += [(_EQUAL, 0, 3, prlimit), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    steps += [(_EQUAL, 1, 0, 0), refuse]
    return [*steps, (_RETURN, 0, 0, _ALLOW)]


def forbid() -> None:
    """Set the filter for this process and all that it forks; it cannot be taken off.

    Raises:
        OSError: if the kernel does not take it.
    """
    steps = program(platform.machine())
    packed = b"".join(struct.pack("<HBBI", *step) for step in steps)
    code = ctypes.create_string_buffer(packed, len(packed))
    holder = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    # PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
    prctl(22, 2, ctypes.addressof(holder))


def prctl(option: int, *values: int) -> None:
    """Call prctl.

    Raises:
        OSError: if it fails.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    rest = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    if libc.prctl(option, *rest) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option} failed")
