"""Which blocks a query reads: its own, and the best before it, judged by their means."""

from dataclasses import replace

from attention_course.exercises.probing import Call, Probe, draw


def ask(rng, n_q, n_k, d, size, chosen):
    q, k = draw(rng, (n_q, d), (n_k, d))
    return Call("chosen_blocks", (q, k, size, chosen), returns=("blocks",))


def larger(rng, n, d, size, chosen):
    """Keys of a block agree, so that a block whose keys are many times as long stands out."""
    call = ask(rng, n, n, d, size, chosen)
    call.args[1][:size] *= 5.0
    return call


def own_block_apart(call):
    q, k, size, chosen = call.args
    return replace(call, args=(q, k, size, chosen - 1))


PROBES = (
    Probe("as many queries as keys", "the best blocks",
        lambda rng: [ask(rng, 15, 15, 4, 3, 3), larger(rng, 16, 3, 4, 2)]),
    Probe("one block, its own", "the best blocks",
        lambda rng: [ask(rng, 9, 9, 5, 3, 1), ask(rng, 8, 8, 3, 2, 1)]),
    Probe("more blocks than there are", "the best blocks",
        lambda rng: [ask(rng, 10, 10, 4, 2, 99)]),
    Probe("blocks of one key", "the best blocks", lambda rng: [ask(rng, 7, 7, 4, 1, 3)]),
    Probe("fewer queries than keys", "cached keys",
        lambda rng: [ask(rng, 4, 18, 5, 3, 3), ask(rng, 1, 20, 3, 4, 2)],
        "The last query stands beside the last key."),
    Probe("queries of two blocks", "cached keys",
        lambda rng: [ask(rng, 5, 23, 4, 4, 3), ask(rng, 6, 13, 4, 3, 2)]),
    Probe("a last block that is not full", "the last block",
        lambda rng: [ask(rng, 11, 11, 3, 4, 2), ask(rng, 2, 17, 4, 5, 3)]),
    Probe("as many queries as blocks and features", "the last block",
        lambda rng: [ask(rng, 4, 10, 4, 3, 2)], "Here a wrong axis fits as well."),
)  # fmt: skip
