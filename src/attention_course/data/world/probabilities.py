"""What the small world's grammar says next: exact probabilities of words after a beginning."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache

from attention_course.data.world.grammar import Child, Rule, small_world, variable, vocabulary
from attention_course.data.world.parser import Chart, Part, unify
from attention_course.data.world.writer import Given, alive, bound

Known = dict[str, str]
Spread = dict[str, float]  # a weight for each word


def _own(category: str, known: Given) -> Given:
    return tuple((f, v) for f, v in known if f in small_world().given[category])


@cache
def mass(category: str, known: Given) -> float:
    """Return how probable it is, given what a category is given, that it finds the rest."""
    if all(f in small_world().given[category] for f, _ in known):
        return 1.0 if alive(category, known) else 0.0
    return sum(
        probability * _mass_of_rest(rule, opened, tuple(range(len(rule.children))))
        for rule, probability in alive(category, _own(category, known))
        if (opened := rule.opens(dict(known))) is not None
    )


def _mass_of_rest(rule: Rule, known: Known, rest: tuple[int, ...]) -> float:
    """Return how probable children are that have not been looked at, whatever they write."""
    if not rest:
        return 1.0
    number = next((n for n in rest if _fed(rule.children[n], known)), rest[0])
    child, later = rule.children[number], tuple(n for n in rest if n != number)
    total = 0.0
    for joined in _choices(rule, child, known, later):
        total += mass(child.category, bound(child.features, joined)) * _mass_of_rest(
            rule, joined, later
        )
    return total


def _fed(child: Child, known: Known) -> bool:
    given = small_world().given[child.category]
    return all(not variable(e) or e in known for f, e in child.features.items() if f in given)


def _choices(rule: Rule, child: Child, known: Known, later: Sequence[int]) -> Iterator[Known]:
    """Yield what may be known beside a child: values of what it shares with later ones."""
    shared = {e for n in later for e in rule.children[n].features.values() if variable(e)}
    shared |= {f for f in rule.allowed if f not in known}
    given = small_world().given[child.category]
    free = [
        (f, e)
        for f, e in child.features.items()
        if variable(e) and e not in known and (e in shared or f in given)
    ]
    if not free:
        yield known
        return
    seen = set()
    for values in _told(child.category, tuple(sorted(child.features))):
        joined = unify(child, values, known)
        if joined is None:
            continue
        more = tuple((e, joined[e]) for _, e in free)
        if more not in seen and all(v in rule.allowed.get(e, (v,)) for e, v in more):
            seen.add(more)
            yield {**known, **dict(more)}


@cache
def _signatures(category: str) -> tuple[tuple[str, ...], ...]:
    """Return every set of features with which a category can be made."""
    names = small_world().features(category)
    found = set()
    for rule in small_world().rules[category]:
        for known in _assignments(rule, names):
            if all(known.get(f, next(iter(ok))) in ok for f, ok in rule.allowed.items()):
                found |= set(_filled(names, known, 0))
    return tuple(sorted(found))


def _assignments(rule: Rule, names: Sequence[str]) -> Iterator[Known]:
    """Yield what the children of a rule can make known, of what anybody will ask for."""
    found = {tuple(sorted(rule.known.items()))}
    for number, child in enumerate(rule.children):
        asked = {e for later in rule.children[number + 1 :] for e in later.features.values()}
        asked |= {*names, *rule.allowed}
        told = _told(child.category, tuple(sorted(child.features)))
        found = {
            tuple(sorted((e, v) for e, v in joined.items() if e in asked))
            for known in found
            for values in told
            if (joined := unify(child, values, dict(known))) is not None
        }
    yield from map(dict, found)


@cache
def _told(category: str, features: tuple[str, ...]) -> tuple[tuple[str | None, ...], ...]:
    """Return the signatures of a category, each once, with None for what is not told."""
    names = small_world().features(category)
    told = (
        tuple(v if f in features else None for f, v in zip(names, values, strict=True))
        for values in _signatures(category)
    )
    return tuple(dict.fromkeys(told))


def _filled(names: Sequence[str], known: Known, number: int) -> Iterator[tuple[str, ...]]:
    if number == len(names):
        yield tuple(known[name] for name in names)
        return
    name = names[number]
    for value in (known[name],) if name in known else _DOMAINS[name]():
        yield from _filled(names, {**known, name: value}, number + 1)


@cache
def _kinds() -> tuple[str, ...]:
    return tuple(sorted({rule.known["k"] for rule in small_world().rules["Noun"]}))


_DOMAINS = (
    dict.fromkeys("nm", lambda: ("one", "many"))
    | dict.fromkeys("gh", lambda: ("masculine", "feminine"))
    | dict.fromkeys("vwe", lambda: ("vowel", "consonant"))
    | {"t": lambda: ("now", "then", "later"), "c": lambda: ("plain", "hued", "told")}
    | dict.fromkeys("ks", _kinds)
)


class Beginning:
    """A beginning of a sentence, and what may follow.

    Args:
        words: the words so far.
        language: ``"french"`` or ``"english"``.
    """

    def __init__(self, words: Sequence[str], language: str):
        self.words, self.language = tuple(words), language
        self.chart = Chart(language, [frozenset([word]) for word in words])
        self._next: dict[tuple[str, Given, int], Spread] = {}
        self._inside: dict[tuple[Part, Given], float] = {}

    def following(self) -> Spread:
        """Return the weight of each next word; their sum is the beginning's probability."""
        return self._after("S", (), 0)

    def probability(self) -> float:
        """Return the probability of the words as a whole sentence."""
        return sum(self.inside(part, ()) for part in self.chart.whole())

    def inside(self, part: Part, known: Given) -> float:
        """Return the probability of a part's words, given what its category is given.

        Args:
            part: one of the chart.
            known: its features, sorted by name.
        """
        key = part, known
        if key not in self._inside:
            self._inside[key] = sum(
                self._made(rule, parts, dict(known)) * probability
                for rule, probability in alive(part.category, _own(part.category, known))
                for made, parts in self._makings(part)
                if made is rule
            )
        return self._inside[key]

    def _makings(self, part: Part) -> list[tuple[Rule, tuple[Part, ...]]]:
        if part.start == part.end:
            names = small_world().features(part.category)
            rules = small_world().rules[part.category]
            return [
                (r, ()) for r in rules if tuple(r.known.get(f) for f in names) == part.values
            ]
        return self.chart.at(part.category, part.start)[part]

    def _made(self, rule: Rule, parts: tuple[Part, ...], known: Known) -> float:
        opened = rule.opens(known)
        for child, part in zip(rule.children, parts, strict=True):
            opened = None if opened is None else unify(child, part.values, opened)
        if opened is None:
            return 0.0
        product = 1.0
        for child, part in zip(rule.children, parts, strict=True):
            product *= self.inside(part, self._own_of(part, child, opened))
        return product

    def _after(self, category: str, known: Given, start: int) -> Spread:
        """Return the weight of each next word inside a part that begins at ``start``."""
        if start == len(self.words):
            return _first(category, known, self.language)
        key = category, known, start
        if key not in self._next:
            spread: Spread = defaultdict(float)
            for rule, probability in alive(category, _own(category, known)):
                opened = rule.opens(dict(known))
                if opened is not None:
                    everyone = tuple(range(len(rule.children)))
                    self._follow(rule, 0, start, opened, probability, everyone, spread)
            self._next[key] = spread
        return self._next[key]

    def _follow(
        self,
        rule: Rule,
        at: int,
        position: int,
        known: Known,
        weight: float,
        rest: tuple[int, ...],
        spread: Spread,
    ) -> None:
        """Go on inside a rule from its item ``at``; add what may come next to ``spread``."""
        items = rule.sides[self.language]
        if at == len(items):
            return
        item, here = items[at], position == len(self.words)
        if isinstance(item, str):
            if here:
                spread[item] += weight * _mass_of_rest(rule, known, rest)
            elif self.words[position] == item:
                self._follow(rule, at + 1, position + 1, known, weight, rest, spread)
            return
        child, later = rule.children[item], tuple(n for n in rest if n != item)
        if not here:
            for part in self.chart.at(child.category, position):
                joined = unify(child, part.values, known)
                if joined is not None:
                    for full in _choices(rule, child, joined, later):
                        own = self._own_of(part, child, full)
                        self._follow(
                            rule,
                            at + 1,
                            part.end,
                            full,
                            weight * self.inside(part, own),
                            later,
                            spread,
                        )
        if here or self._begins(child.category, position):
            for joined in _choices(rule, child, known, later):
                more = self._after(child.category, bound(child.features, joined), position)
                if more:
                    factor = weight * _mass_of_rest(rule, joined, later)
                    for word, value in more.items():
                        spread[word] += factor * value

    def _own_of(self, part: Part, child: Child, known: Known) -> Given:
        names = small_world().features(child.category)
        own = {f: v for f, v in zip(names, part.values, strict=True) if v is not None}
        return tuple(sorted((own | dict(bound(child.features, known))).items()))

    def _begins(self, category: str, position: int) -> bool:
        return self.words[position] in _first_words(category, self.language)


@cache
def _first_words(category: str, language: str) -> frozenset[str]:
    found = set()
    for rule in small_world().rules[category]:
        first = next(iter(rule.sides[language]), None)
        if isinstance(first, str):
            found.add(first)
        elif first is not None:
            found |= _first_words(rule.children[first].category, language)
    return frozenset(found)


@cache
def _first(category: str, known: Given, language: str) -> Spread:
    """Return the weight of each word with which a category may begin."""
    spread: Spread = defaultdict(float)
    for rule, probability in alive(category, _own(category, known)):
        opened = rule.opens(dict(known))
        if opened is None or not rule.sides[language]:
            continue
        item, everyone = rule.sides[language][0], tuple(range(len(rule.children)))
        if isinstance(item, str):
            spread[item] += probability * _mass_of_rest(rule, opened, everyone)
            continue
        child, later = rule.children[item], tuple(n for n in everyone if n != item)
        for joined in _choices(rule, child, opened, later):
            factor = probability * _mass_of_rest(rule, joined, later)
            for word, value in _first(
                child.category, bound(child.features, joined), language
            ).items():
                spread[word] += factor * value
    return dict(spread)


def next_words(words: Sequence[str], language: str) -> Spread:
    """Return the exact probability of each word after a beginning.

    Args:
        words: the beginning, as the grammar writes it; may be empty.
        language: ``"french"`` or ``"english"``.

    Returns:
        A probability for each word that can follow; empty after a beginning that no sentence
        has, and after a whole sentence.

    Raises:
        ValueError: if the language is neither, or a word is none that the grammar writes.

    Source:
        Jelinek and Lafferty (1991): probabilities of beginnings.

    >>> after = next_words("the red".split(), "english")
    >>> round(sum(after.values()), 9), "queen" in after
    (1.0, False)
    """
    known = vocabulary(language)
    for word in [words] if isinstance(words, str) else words:
        if word not in known:
            hint = "a list of the grammar's words, such as those of read_sentence"
            raise ValueError(f"next_words: expected {hint}, got {word!r}")
    spread = Beginning(words, language).following()
    total = sum(spread.values())
    return {word: weight / total for word, weight in spread.items() if weight}
