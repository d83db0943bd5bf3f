"""Sentences of the small world to learn from, and to test on what training has not shown."""

import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import NamedTuple

from attention_course.data.world.grammar import lexicon_lines, small_world
from attention_course.data.world.writer import Pair, Tree, write

Combination = tuple[str, str, str]  # "adjective" or "object", that word or verb, and the noun

_ADJECTIVES = ("Before", "Colour", "After")
_VERBS = ("Present", "Past", "Bare", "Part", "Gets")


class Split(NamedTuple):
    """Pairs to learn from, and others that hold something new.

    Attributes:
        train: to learn from, all different.
        sentences: none of them in ``train``, but made of what is.
        combinations: with an adjective at a noun, or a verb with an object, that ``train``
            never puts together.
        longer: with more words than any in ``train``.
        held_out: the combinations.
    """

    train: list[Pair]
    sentences: list[Pair]
    combinations: list[Pair]
    longer: list[Pair]
    held_out: frozenset[Combination]


@cache
def _lemmas() -> dict[str, str]:
    """Return the English word for each form of a verb or a noun: *ate* is *eat*."""
    found: dict[str, str] = {}
    for line in lexicon_lines():
        head, _, english = ([*part.split()] for part in line.split("|"))
        if head[0] not in ("adjective", "adverb"):
            found |= dict.fromkeys(english, english[0])
    return found


def combinations(pair: Pair) -> frozenset[Combination]:
    """Return the adjectives with their nouns, and the verbs with their objects.

    A combination is named by its English words, so that *the red dress* and *la robe rouge*
    are one. An adjective behind *is* belongs to no noun, and a verb before a pronoun, or in
    *the hat that she wears*, has no object here.

    Args:
        pair: a sentence in both languages.

    >>> from attention_course.data.world.parser import parse
    >>> (tree,) = parse("la fille a vu des robes rouges .".split(), "french")
    >>> sorted(combinations(Pair(tree)))
    [('adjective', 'red', 'dress'), ('object', 'see', 'dress')]
    """
    return frozenset(_combinations(pair.tree))


def _combinations(tree: Tree) -> Iterator[Combination]:
    names = [child.category for child in tree.rule.children]
    parts = [*zip(names, tree.children, strict=True)]
    nouns = [part for name, part in parts if name == "Noun"]
    for name, part in parts:
        if name in _ADJECTIVES:
            yield "adjective", _english(part), _english(nouns[0])
        elif name in _VERBS:
            for _, behind in parts[names.index(name) + 1 :]:
                yield from (("object", _english(part), noun) for noun in _heads(behind))
        yield from _combinations(part)


def _heads(tree: Tree) -> list[str]:
    """Return the noun that a noun phrase is about, not those of its relative clause."""
    for child, part in zip(tree.rule.children, tree.children, strict=True):
        if child.category == "Noun":
            return [_english(part)]
        if child.category in ("NP", "NB", "Told", "Plain", "Fronted"):
            return _heads(part)
    return []


def _english(tree: Tree) -> str:
    word = tree.sentence("english")[-1]
    return _lemmas().get(word, word)


@cache
def _possible() -> tuple[Combination, ...]:
    """Return every combination that the lexicon allows."""
    world = small_world()
    nouns = [(r.known["k"], r.sides["english"][0]) for r in world.rules["Noun"]]
    found: set[Combination] = set()
    for category in (*_ADJECTIVES, *_VERBS):
        for rule, (kind, noun) in product(world.rules[category], nouns):
            if rule.known["k"] == kind:
                sort = "adjective" if category in _ADJECTIVES else "object"
                first, second = str(rule.sides["english"][-1]), str(noun)
                found.add((sort, _lemmas().get(first, first), _lemmas()[second]))
    return tuple(sorted(found))


def _held_out(rng: random.Random, share: float) -> frozenset[Combination]:
    """Draw combinations, of each word's at most every third, so that the word is learned."""
    whole = Counter(half for one in _possible() for half in _halves(one))
    taken: Counter[Combination] = Counter()
    out: set[Combination] = set()
    for one in rng.sample(_possible(), len(_possible())):
        if len(out) == round(share * len(_possible())):
            break
        if all(3 * (taken[half] + 1) <= whole[half] for half in _halves(one)):
            out.add(one)
            taken.update(_halves(one))
    return frozenset(out)


def _halves(one: Combination) -> tuple[Combination, Combination]:
    sort, word, noun = one
    return (sort, word, ""), (sort, "", noun)


def split_sentences(
    seed: int,
    train: int,
    test: int,
    share: float = 0.1,
    longest: int = 20,
) -> Split:
    """Write sentences to learn from, and three sets to test on.

    Args:
        seed: of all that is drawn, by ``random.Random``.
        train: pairs to learn from.
        test: pairs in each of the three sets.
        share: of all combinations, how many are held out; never more than a third of what
            a word can be combined with.
        longest: words that a sentence of the first three sets may have in either language.

    Returns:
        The sets. No English and no French sentence is in two of them.

    Raises:
        ValueError: if a number is not positive, or the share not between 0 and 1.

    >>> sets = split_sentences(0, train=20, test=5)
    >>> [len(pairs) for pairs in sets[:4]]
    [20, 5, 5, 5]
    """
    if min(train, test, longest) < 1 or not 0 < share < 1:
        raise ValueError(
            "split_sentences: train, test and longest must be at least 1 and share between "
            f"0 and 1, got {train}, {test}, {longest} and {share}"
        )
    rng = random.Random(seed)
    out = _held_out(rng, share)
    sets: dict[str, list[Pair]] = {n: [] for n in ("test", "combinations", "longer", "train")}
    wanted = dict.fromkeys(sets, test) | {"train": train}
    seen: set[tuple[str, ...]] = set()
    while any(len(sets[name]) < wanted[name] for name in sets):
        pair = Pair(write(rng))
        if pair.english in seen or pair.french in seen:
            continue
        if max(len(pair.english), len(pair.french)) > longest:
            name = "longer"
        elif combinations(pair) & out:
            name = "combinations"
        else:  # the test set first, so that what is common is not used up by training
            name = "test" if len(sets["test"]) < test else "train"
        if len(sets[name]) < wanted[name]:
            seen |= {pair.english, pair.french}
            sets[name].append(pair)
    return Split(sets["train"], sets["test"], sets["combinations"], sets["longer"], out)
