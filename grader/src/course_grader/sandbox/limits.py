"""How much an answer may use of the machine it runs on."""

from dataclasses import dataclass

MIB = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one run of an answer, for one probe, may use.

    Args:
        wall_s: seconds by the clock.
        cpu_s: whole seconds of computing; fewer than ``wall_s``, because machines are busy.
        memory_mib: MiB of address space beyond what Python, NumPy and torch have taken.
        processes: how many processes its user may have; 0 forbids every fork and every thread.
        file_bytes: how long a file may get; no folder in the sandbox can be written anyway.
        open_files: the largest number of open files.
        stack_mib: MiB of stack.
        output_bytes: how much it may print.
        text_bytes: how much of the print is kept.
        hand_in_s: seconds by the clock for all runs of all answers of one hand-in together. An
            honest one needs about one second.
    """

    wall_s: float = 8.0
    cpu_s: int = 4
    memory_mib: int = 512
    processes: int = 0
    file_bytes: int = 0
    open_files: int = 32
    stack_mib: int = 16
    output_bytes: int = MIB
    text_bytes: int = 20_000
    hand_in_s: float = 60.0

    def __post_init__(self) -> None:
        if min(self.wall_s, self.hand_in_s) <= 0 or self.cpu_s < 1 or self.cpu_s % 1:
            raise ValueError(
                "Limits: wall_s and hand_in_s must be above 0 and cpu_s a whole number of at "
                f"least 1, got {self.wall_s}, {self.hand_in_s} and {self.cpu_s}"
            )
        small = min(self.memory_mib, self.stack_mib, self.output_bytes, self.open_files)
        if small < 1 or min(self.processes, self.file_bytes, self.text_bytes) < 0:
            raise ValueError(f"Limits: no limit may be below its least value, got {self}")
