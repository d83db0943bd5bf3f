"""What many graders do: run answer, tests and reference in one process, and look at its end.

Reads ``{"answer": …, "solution": …}`` from standard input; status 0 means that every test
passed. It is here to show that the stored answers bite; nothing grades with it.
"""

import json
import sys

import numpy as np


def main() -> None:
    """Run the tests; an assertion that fails ends the process with status 1."""
    given = json.load(sys.stdin)
    solution, answer = {}, {}
    exec(given["solution"], solution)
    reference = solution["four_steps"]
    exec(given["answer"], answer)
    rng = np.random.default_rng(0)
    for n_keys, d_k, d_v in ((5, 3, 7), (1, 4, 3), (4, 4, 4)):
        q = rng.standard_normal(size=(d_k,))
        k = rng.standard_normal(size=(n_keys, d_k))
        v = rng.standard_normal(size=(n_keys, d_v))
        came = answer["four_steps"](q, k, v)
        right = reference(q, k, v)
        for mine, wanted in zip(came, right, strict=True):
            assert np.all(np.isclose(mine, wanted))


main()
