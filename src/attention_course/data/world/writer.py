"""Sentences of the small world, written by its grammar in both languages at once."""

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Protocol, runtime_checkable

from attention_course.data.world.grammar import Grammar, Rule, small_world, variable

Given = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Tree:
    """How a sentence was made: a rule, and a tree for each of its children."""

    rule: Rule
    children: tuple["Tree", ...]

    def words(self, language: str) -> Iterator[tuple[str, "Tree"]]:
        """Yield the words of one language, each with the tree whose rule wrote it."""
        for item in self.rule.sides[language]:
            if isinstance(item, str):
                yield item, self
            else:
                yield from self.children[item].words(language)

    def sentence(self, language: str) -> tuple[str, ...]:
        """Return the words of one language."""
        return tuple(word for word, _ in self.words(language))


@dataclass(frozen=True)
class Pair:
    """A sentence in both languages.

    Attributes:
        tree: how it was made.
    """

    tree: Tree

    @cached_property
    def french(self) -> tuple[str, ...]:
        """Its French words."""
        return self.tree.sentence("french")

    @cached_property
    def english(self) -> tuple[str, ...]:
        """Its English words."""
        return self.tree.sentence("english")

    def alignment(self, source: str) -> list[frozenset[int]]:
        """Return for each word of the other language the words it comes from.

        Words come from each other if one rule wrote them. What a rule writes in one language
        only (*son* without its owner) belongs to the rule around it.

        Args:
            source: ``"french"`` or ``"english"``, the language that is translated.

        Returns:
            A set of positions in the source for each word of the target; empty where it
            comes from none.
        """
        target = "english" if source == "french" else "french"
        belongs = _owners(self.tree)
        at: dict[int, set[int]] = {}
        for position, (_, tree) in enumerate(self.tree.words(source)):
            at.setdefault(belongs[id(tree)], set()).add(position)
        return [frozenset(at.get(belongs[id(tree)], ())) for _, tree in self.tree.words(target)]


def _owners(tree: Tree, owner: int | None = None) -> dict[int, int]:
    """Map each tree to the one that its words belong to."""
    silent = not all(tree.rule.sides.values())
    own = owner if silent and owner is not None else id(tree)
    found = {id(tree): own}
    for child in tree.children:
        found |= _owners(child, own)
    return found


@runtime_checkable
class Chance(Protocol):
    """A generator of uniform numbers: Python's or NumPy's."""

    def random(self) -> float:
        """Return a number from 0 up to 1."""
        ...


@cache
def alive(
    category: str, given: Given = (), world: Grammar | None = None
) -> tuple[tuple[Rule, float], ...]:
    """Return the rules that can be chosen for these features, with their probabilities."""
    world = world or small_world()
    rules = [r for r in world.rules[category] if _completes(r, dict(given), world)]
    total = sum(rule.weight for rule in rules)
    return tuple((rule, rule.weight / total) for rule in rules)


_OPEN: set[tuple[str, Given, Grammar]] = set()  # what is being asked further up


@cache
def _possible(category: str, known: Given, world: Grammar) -> bool:
    if (category, known, world) in _OPEN:
        return True
    _OPEN.add((category, known, world))
    found = any(_completes(rule, dict(known), world) for rule in world.rules[category])
    _OPEN.discard((category, known, world))
    return found


def _completes(rule: Rule, given: dict[str, str], world: Grammar) -> bool:
    """Say whether each child of a rule has a rule of its own for what is known."""
    known = rule.opens(given)
    return known is not None and all(
        _possible(child.category, bound(child.features, known), world)
        for child in rule.children
    )


def bound(features: dict[str, str], known: dict[str, str]) -> Given:
    """Return the features of a child that are values, or variables with a value."""
    pairs = ((f, known.get(e) if variable(e) else e) for f, e in features.items())
    return tuple(sorted((f, value) for f, value in pairs if value is not None))


def write(
    rng: Chance, category: str = "S", given: Given = (), world: Grammar | None = None
) -> Tree:
    """Write a sentence, or a part of one.

    Args:
        rng: where chance comes from: ``random.Random`` or NumPy's ``RandomState``.
        category: what to write.
        given: the features that it is given, sorted by name.
        world: the grammar, or that of a part of its words; all of it unless given.

    Returns:
        The tree of what was written.

    >>> import random
    >>> tree = write(random.Random(3))
    >>> len(tree.sentence("french")) > 2
    True
    """
    return _write(rng, category, given, world or small_world())[0]


def _write(
    rng: Chance, category: str, given: Given, world: Grammar
) -> tuple[Tree, dict[str, str]]:
    rule = _chosen(rng, alive(category, given, world))
    known = rule.opens(dict(given)) or {}
    trees: dict[int, Tree] = {}
    while len(trees) < len(rule.children):
        number = next(
            n
            for n in range(len(rule.children))
            if n not in trees and _ready(rule, n, known, world)
        )
        child = rule.children[number]
        inputs = world.given[child.category]
        ask = tuple((f, v) for f, v in bound(child.features, known) if f in inputs)
        trees[number], found = _write(rng, child.category, ask, world)
        known |= {e: found[f] for f, e in child.features.items() if variable(e) and f in found}
    return Tree(rule, tuple(trees[n] for n in range(len(trees)))), known


def _chosen(rng: Chance, rules: tuple[tuple[Rule, float], ...]) -> Rule:
    """Draw one rule by one number, as the page does."""
    reached = [*accumulate(probability for _, probability in rules)]
    return rules[bisect(reached, rng.random() * reached[-1], 0, len(rules) - 1)][0]


def _ready(rule: Rule, number: int, known: dict[str, str], world: Grammar) -> bool:
    child = rule.children[number]
    inputs = world.given[child.category]
    return all(not variable(e) or e in known for f, e in child.features.items() if f in inputs)
