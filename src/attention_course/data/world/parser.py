"""Reading sentences of the small world: all trees, in either language."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import NamedTuple

from attention_course.data.world.grammar import Child, Rule, small_world, variable
from attention_course.data.world.writer import Tree

Values = tuple[str | None, ...]  # of the features of a category, None where any would do
Token = frozenset[str] | None  # the words that may be there, None for any word


class Part(NamedTuple):
    """A category found between two positions, with its features."""

    category: str
    start: int
    end: int
    values: Values


class Chart:
    """Every part of a sentence, and how each is made of others.

    Args:
        language: ``"french"`` or ``"english"``.
        tokens: for each position the words that may be there, or None for any.
    """

    def __init__(self, language: str, tokens: Sequence[Token]):
        self.language = language
        self.tokens = tuple(tokens)
        self._found: dict[tuple[str, int], dict[Part, list[tuple[Rule, tuple[Part, ...]]]]] = {}

    def whole(self, category: str = "S") -> list[Part]:
        """Return the parts that span all words."""
        return [part for part in self.at(category, 0) if part.end == len(self.tokens)]

    def at(self, category: str, start: int) -> dict[Part, list[tuple[Rule, tuple[Part, ...]]]]:
        """Return the parts of a category that begin at ``start``, each with its makings."""
        key = category, start
        if key not in self._found:
            found = defaultdict(list)
            for rule in self._candidates(category, start):
                for end, known, parts in self._match(rule, start):
                    values = tuple(known.get(f) for f in small_world().features(category))
                    made = tuple(parts[n] for n in range(len(rule.children)))
                    found[Part(category, start, end, values)].append((rule, made))
            self._found[key] = dict(found)
        return self._found[key]

    def _candidates(self, category: str, start: int) -> Sequence[Rule]:
        by_word, others = _by_first_word(category, self.language)
        if start == len(self.tokens):
            return others
        token = self.tokens[start]
        if token is None:
            return [*others, *(rule for rules in by_word.values() for rule in rules)]
        return [*others, *(rule for word in sorted(token) for rule in by_word.get(word, ()))]

    def _match(
        self, rule: Rule, start: int
    ) -> Iterator[tuple[int, dict[str, str], dict[int, Part]]]:
        items = rule.sides[self.language]
        states: list[tuple[int, dict[str, str], dict[int, Part]]]
        states = [(start, dict(rule.known), {})]
        for item in items:
            if isinstance(item, str):
                states = [
                    (p + 1, known, parts) for p, known, parts in states if self._reads(p, item)
                ]
            else:
                states = [
                    (part.end, joined, parts | {item: part})
                    for p, known, parts in states
                    for part in self.at(rule.children[item].category, p)
                    if (joined := unify(rule.children[item], part.values, known)) is not None
                ]
            if not states:
                return
        for number in sorted(
            set(range(len(rule.children))) - {i for i in items if isinstance(i, int)}
        ):
            child = rule.children[number]
            states = [
                (p, joined, parts | {number: Part(child.category, p, p, values)})
                for p, known, parts in states
                for values in silent(child.category)
                if (joined := unify(child, values, known)) is not None
            ]
        for p, known, parts in states:
            if all(known.get(f) is None or known[f] in ok for f, ok in rule.allowed.items()):
                yield p, known, parts

    def _reads(self, position: int, word: str) -> bool:
        if position >= len(self.tokens):
            return False
        token = self.tokens[position]
        return token is None or word in token

    def trees(self, part: Part) -> Iterator[Tree]:
        """Yield every tree of a part."""
        if part.start == part.end:
            yield from (Tree(rule, ()) for rule in _silent(part.category)[part.values])
            return
        for rule, parts in self.at(part.category, part.start)[part]:
            for children in product(*(self.trees(p) for p in parts)):
                yield Tree(rule, children)


def unify(child: Child, values: Values, known: dict[str, str]) -> dict[str, str] | None:
    """Return what is known once a child has these values; None where they disagree."""
    joined = known
    for feature, value in zip(small_world().features(child.category), values, strict=True):
        entry = child.features.get(feature)
        if entry is None or value is None:
            continue
        if not variable(entry):
            if entry != value:
                return None
        elif entry not in joined:
            joined = {**joined, entry: value}
        elif joined[entry] != value:
            return None
    return joined


@cache
def _by_first_word(category: str, language: str) -> tuple[dict[str, list[Rule]], list[Rule]]:
    """Split the rules of a category into those that begin with a word, and the others."""
    by_word: dict[str, list[Rule]] = defaultdict(list)
    others = []
    for rule in small_world().rules[category]:
        first = rule.sides[language][:1]
        if first and isinstance(first[0], str):
            by_word[first[0]].append(rule)
        elif first:
            others.append(rule)
    return dict(by_word), others


@cache
def _silent(category: str) -> dict[Values, list[Rule]]:
    """Return by their features the rules of a category that the parsed language leaves out."""
    names = small_world().features(category)
    found: dict[Values, list[Rule]] = defaultdict(list)
    for rule in small_world().rules[category]:
        found[tuple(rule.known.get(f) for f in names)].append(rule)
    return dict(found)


def silent(category: str) -> Sequence[Values]:
    """Return the features that a category without a word can have."""
    return list(_silent(category))


def parse(words: Sequence[str], language: str, most: int = 64) -> list[Tree]:
    """Return the trees of a sentence, at most ``most``.

    Args:
        words: its words, as the grammar writes them.
        language: ``"french"`` or ``"english"``.
        most: how many trees.

    Returns:
        The trees; none if the sentence is not of the small world.

    >>> trees = parse("the red dress is beautiful .".split(), "english")
    >>> [" ".join(tree.sentence("french")) for tree in trees]
    ['la robe rouge est belle .']
    """
    chart = Chart(language, [frozenset([word]) for word in words])
    return list(islice((tree for part in chart.whole() for tree in chart.trees(part)), most))
