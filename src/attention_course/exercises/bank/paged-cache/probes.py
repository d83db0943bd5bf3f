"""A cache that hands its memory out in blocks, which texts may share."""

from attention_course.exercises.probing import Call, Probe
from attention_course.exercises.runner import Result


def new(n_blocks, size):
    return Call("Pages", (n_blocks, size))


def rows(rng, text, n, d=3, on=0):
    return [Call("append", (text, rng.standard_normal(d)), on=on) for _ in range(n)]


def fork(text, other, on=0):
    return [Call("fork", (text, other), on=on)]


def free(text, on=0):
    return [Call("free", (text,), on=on)]


def look(*texts, on=0):
    found = [Call("$get", ("n_free",), on=on, returns=("n_free",))]
    for text in texts:
        found.append(Call("table", (text,), on=on, returns=("table",)))
        found.append(Call("read", (text,), on=on, returns=("rows",)))
    return found


def one(rng):
    return [new(6, 3), *rows(rng, 0, 2), *look(0), *rows(rng, 0, 1), *look(0),
        *rows(rng, 0, 2), *look(0)]  # fmt: skip


def in_turn(rng):
    calls = [new(8, 2)]
    for _ in range(3):
        calls += rows(rng, 4, 1) + rows(rng, 7, 1)
    return [*calls, *look(4, 7), *rows(rng, 4, 2), *look(4, 7)]


def shared(rng):
    return [new(9, 4), *rows(rng, 0, 6), *fork(0, 1), *look(0, 1), *rows(rng, 1, 1),
        *look(0, 1), *rows(rng, 0, 2), *look(0, 1), *rows(rng, 1, 3), *look(0, 1)]  # fmt: skip


def shared_whole(rng):
    return [new(9, 3), *rows(rng, 0, 6), *fork(0, 1), *rows(rng, 1, 1), *rows(rng, 0, 1),
        *look(0, 1)]  # fmt: skip


def three(rng):
    calls = [new(12, 3), *rows(rng, 0, 4), *fork(0, 1), *fork(1, 2)]
    for text in (2, 0, 1):
        calls += rows(rng, text, 1) + look(0, 1, 2)
    return calls


def freed(rng):
    return [new(7, 2), *rows(rng, 0, 3), *rows(rng, 1, 3), *free(0), *look(1),
        *rows(rng, 1, 2), *rows(rng, 2, 3), *look(1, 2)]  # fmt: skip


def freed_and_shared(rng):
    return [new(7, 2), *rows(rng, 0, 5), *fork(0, 1), *rows(rng, 1, 2), *free(0), *look(1),
        *rows(rng, 2, 4), *look(1, 2), *free(1), *look(2)]  # fmt: skip


def order(rng):
    return [new(8, 1), *rows(rng, 0, 2), *rows(rng, 1, 2), *rows(rng, 2, 1), *free(1),
        *free(0), *rows(rng, 3, 3), *look(2, 3)]  # fmt: skip


def two(rng):
    return [new(5, 2), new(5, 2), *rows(rng, 0, 3, on=0), *rows(rng, 0, 1, on=1),
        *look(0, on=0), *look(0, on=1)]  # fmt: skip


def freed_and_begun_again(rng):
    return [new(6, 2), *rows(rng, 0, 3), *rows(rng, 1, 1), *free(0), *rows(rng, 0, 1),
        *look(0, 1)]  # fmt: skip


def written_over(rng):
    """What was read is written over, and so is a row that was kept after it."""
    begun = [new(4, 2), *rows(rng, 0, 3), Call("read", (0,), on=0)]
    row = [Call("__getitem__", (0,), on=4), Call("copy", on=5)]
    kept = Call("append", (1, Result(6)), on=0)
    return [*begun, *row, kept, *(Call("fill", (9.0,), on=i) for i in (5, 6)), *look(0, 1)]


PROBES = (
    Probe("a text that grows", "one text", one),
    Probe("blocks of one row", "one text",
        lambda rng: [new(5, 1), *rows(rng, 0, 3), *look(0)]),
    Probe("as many blocks as rows as features", "one text",
        lambda rng: [new(3, 3), *rows(rng, 0, 3), *look(0)]),
    Probe("two texts in turn", "texts between one another", in_turn),
    Probe("two caches", "texts between one another", two,
        "What one cache keeps must not appear in another."),
    Probe("the caller writes over a row that it gave, and one that it got",
        "texts between one another", written_over,
        "Does the cache hold the caller's array, or a copy?"),
    Probe("a text goes on from another", "sharing", shared),
    Probe("a beginning that fills its blocks", "sharing", shared_whole,
        "Is there anything to copy when the last block is full?"),
    Probe("three texts with one beginning", "sharing", three),
    Probe("a freed text makes room", "freeing", freed),
    Probe("a freed text whose beginning is still read", "freeing", freed_and_shared),
    Probe("a freed text begins again", "freeing", freed_and_begun_again),
    Probe("the lowest number is taken first", "freeing", order),
)  # fmt: skip
