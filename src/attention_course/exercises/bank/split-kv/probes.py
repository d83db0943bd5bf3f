"""What several parts of the keys found, merged as one softmax would have it."""

from dataclasses import replace

import numpy as np

from attention_course.exercises.probing import EVERY_AXIS_FITS, Call, Probe


def ask(rng, parts, *axes, d_v, spread=1.0, level=0.0):
    contexts = rng.standard_normal((parts, *axes, d_v))
    log_sums = spread * rng.standard_normal((parts, *axes)) + level
    return Call("merge_parts", (contexts, log_sums), returns=("context", "log_sum"))


def with_nothing(rng, parts, n, d_v):
    call = ask(rng, parts, n, d_v=d_v)
    contexts, log_sums = call.args
    for query in range(n):  # one part each, another one for the next query
        log_sums[query % parts, query] = -np.inf
        contexts[query % parts, query] = 0
    return call


def unlike_queries(rng, parts, n, d_v):
    call = ask(rng, parts, n, d_v=d_v)
    contexts, log_sums = call.args
    levels = np.linspace(-3000, 3000, n)
    return Call("merge_parts", (contexts, log_sums + levels), returns=call.returns)


def to_base_two(call):
    contexts, log_sums = call.args
    return replace(call, args=(contexts, log_sums / np.log(2)))


PROBES = (
    Probe("three parts, five queries", "merging", lambda rng: [ask(rng, 3, 5, d_v=4)]),
    Probe("other numbers of parts", "merging",
        lambda rng: [ask(rng, 2, 7, d_v=3), ask(rng, 6, 4, d_v=5)]),
    Probe("heads and queries", "merging", lambda rng: [ask(rng, 4, 2, 3, d_v=5)]),
    Probe("one query without further axes", "merging", lambda rng: [ask(rng, 5, d_v=3)]),
    Probe("a single part comes back as it was", "merging", lambda rng: [ask(rng, 1, 4, d_v=6)]),
    Probe("as many parts as queries as features", "merging",
        lambda rng: [ask(rng, 4, 4, d_v=4), ask(rng, 3, 3, 3, d_v=3)], EVERY_AXIS_FITS),
    Probe("parts in which a query saw nothing", "empty parts",
        lambda rng: [with_nothing(rng, 3, 5, 4), with_nothing(rng, 2, 4, 3)]),
    Probe("very large and very small log-sum-exps", "large scores",
        lambda rng: [ask(rng, 3, 5, d_v=4, level=by) for by in (2000.0, -2000.0)]),
    Probe("queries that are far apart", "large scores",
        lambda rng: [unlike_queries(rng, 3, 5, 4)],
        "What is subtracted need not be the same for all queries."),
)  # fmt: skip
