"""Prompts whose beginnings are known from earlier ones, block by block."""

from attention_course.exercises.probing import Call, Probe


def tokens(rng, n):
    return rng.integers(1000, 50000, n).tolist()


def new(size):
    return Call("PrefixTree", (size,))


def add(*prompts, on=0):
    return [Call("add", (list(p),), on=on, returns=("tokens",)) for p in prompts]


def kept(on=0):
    return [Call("$get", ("n_blocks",), on=on, returns=("n_blocks",))]


def made_of_blocks(rng, size, ways):
    """Add prompts of which each letter stands for a block, with one token more at the end."""
    block = {letter: tokens(rng, size) for letter in "abcdefxy"}
    prompts = ([t for letter in way for t in block[letter]] for way in ways.split())
    return [new(size), *add(*(prompt + tokens(rng, 1) for prompt in prompts))]


def two(rng, size):
    """Two prompts share two blocks, a third one shares the first of them alone."""
    head = tokens(rng, 2 * size)
    ends = (tokens(rng, n) for n in (size + 1, 2 * size + 1, size + 2))
    beginnings = (head, head, head[:size])
    return [new(size), *add(*(a + b for a, b in zip(beginnings, ends, strict=True)))]


def branches(rng, size):
    """Each prompt shares most with one that came long before, others share less with it."""
    return made_of_blocks(rng, size, "af abc ed abd abcd ea abdef edfc edfca")


def conversation(rng, size):
    """A prompt holds all that was said before, and goes on."""
    calls, said = [new(size)], []
    for more in (2 * size + 1, size + 2, 1, 3 * size, 99 * size, 2, 2):
        said = said + tokens(rng, more)
        calls += add(said)
    return calls


def parted_within(rng, size):
    """The prompts differ within a block, at each of its places."""
    whole = tokens(rng, 4 * size)
    parted = (whole[:n] + tokens(rng, 2 * size) for n in range(1, 3 * size))
    return [new(size), *add(whole, *parted)]


def elsewhere(rng, size):
    """Known blocks stand at other places, or at the same place after something else."""
    return made_of_blocks(rng, size, "abcd bc xbc axcd yab acb abd xcd")


def looks_alike(rng):
    """Tokens in another order, with the same sum, and with the same digits in a row."""
    a, end, (i, j) = tokens(rng, 3), tokens(rng, 1), rng.permutation(range(1, 9))[:2].tolist()
    same_sum = [a[0] + 1, a[1] - 1, a[2]]
    digits = [[10 * i + j, i, j], [i, 10 * j + i, j], [i, j, 10 * i + j]]
    prompts = (a + end, a[::-1] + end, a[1:] + a[:1] + end, same_sum + end)
    return [new(3), *add(*prompts, *(one + end for one in digits), a + a + end)]


def again(rng, size):
    whole, more = tokens(rng, 3 * size), tokens(rng, size + 1)
    return [new(size), *add(whole, whole, more, more, whole, whole[:size], more)]


def beginnings_of_another(rng, size):
    whole = tokens(rng, 4 * size)
    return [new(size), *add(whole, *(whole[:n] for n in range(1, 4 * size)))]


def shorter_than_a_block(rng):
    short = tokens(rng, 5)
    return [new(6), *add(short, short, short[:1], short + tokens(rng, 1), short, short[:3])]


def shared(rng, size):
    """How many blocks are kept, before, between and after prompts that share some."""
    a, b, c, d = (tokens(rng, size) for _ in range(4))
    end = tokens(rng, size - 1)
    calls = [new(size), *kept()]
    prompts = (a + b + end, a + b + c, a + b + c + end, d + b, d, end, a + c + b + end)
    for prompt in prompts:
        calls += [Call("add", (prompt,), on=0), *kept()]
    return calls


def trees(rng):
    head = tokens(rng, 6)
    calls = [new(3), new(3)]
    for on in (0, 1, 0, 1):
        calls += [*add(head + tokens(rng, 2), on=on), *kept(0), *kept(1)]
    return calls


PROBES = (
    Probe("two prompts with one beginning", "beginnings",
        lambda rng: two(rng, 4)),
    Probe("branches upon branches", "beginnings", lambda rng: branches(rng, 3),
        "Which of all earlier prompts agrees with this one for longest?"),
    Probe("a conversation that grows", "beginnings", lambda rng: conversation(rng, 4)),
    Probe("prompts that part within a block", "beginnings", lambda rng: parted_within(rng, 3),
        "Two prompts part in the middle of a block. Is this block reused?"),
    Probe("known blocks after another beginning", "what comes before",
        lambda rng: elsewhere(rng, 3),
        "What do the keys and values of a block depend on?"),
    Probe("blocks of one token after another beginning", "what comes before",
        lambda rng: elsewhere(rng, 1)),
    Probe("blocks that look alike", "what comes before", looks_alike),
    Probe("prompts that come again", "the last token", lambda rng: again(rng, 4),
        "Where is the token after the prompt predicted?"),
    Probe("prompts that are beginnings of another", "the last token",
        lambda rng: beginnings_of_another(rng, 3)),
    Probe("prompts shorter than a block", "the last token", shorter_than_a_block),
    Probe("the number of blocks that are kept", "memory", lambda rng: shared(rng, 3)),
    Probe("two trees", "memory", trees, "What one tree keeps must not appear in another."),
)  # fmt: skip
