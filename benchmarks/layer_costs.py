"""What layers cost on a CPU: time and memory over the length, and beside a recurrent one.

The two benchmarks ``layers`` and ``recurrence`` of the package at their full CPU sizes, on one
thread. Each layer is held against its own steps before it is timed; the layers of one size are
timed in turns, in a drawn order, by the processor's own time.

    python benchmarks/layer_costs.py          # 5 minutes on one core
    python benchmarks/layer_costs.py --quick  # a smoke test that records nothing
"""

import json

from shared import command_line, store

from attention_course.benchmarks import run
from attention_course.measure import this_device

SECONDS = {"layers": 100, "recurrence": 60}


def main() -> None:
    """Run both and record them."""
    quick = command_line(__doc__, quick="tiny sizes").parse_args().quick
    found = {}
    for name, seconds in SECONDS.items():
        results = run(
            name,
            device=this_device("cpu"),
            sizes="tiny" if quick else "cpu",
            seconds=0.2 if quick else seconds,
            live=False,
        )
        print(results, flush=True)
        found[name] = json.loads(results.json())["result"]
    if not quick:
        store(__file__, found, seconds=SECONDS)


if __name__ == "__main__":
    main()
