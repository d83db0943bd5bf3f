"""The small world's grammar: rules and words read from their two files."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, NamedTuple

LANGUAGES = ("french", "english")
Words = tuple[str, str]  # the French and the English of one entry
NUMBERS, GENDERS = ("one", "many"), ("masculine", "feminine")
_VOWELS = tuple("aeiouéèêâîôœh")  # every h of these words is mute
_ITEM = re.compile(r"([A-Za-z]+)(?:\(([^)]*)\))?(\d*)$")


class Child(NamedTuple):
    """A category inside a rule, with a value or a variable for each feature it names."""

    category: str
    features: dict[str, str]  # feature -> a value, or a variable of one letter


@dataclass(frozen=True, eq=False)
class Rule:
    """One rule in both languages.

    Attributes:
        category: what it makes.
        weight: how often it is chosen among those that fit.
        children: the categories inside it.
        sides: for each language what it writes: words, and numbers of children.
        known: features whose value the rule fixes.
        allowed: features of which it takes several values.
    """

    category: str
    weight: float
    children: tuple[Child, ...]
    sides: dict[str, tuple[str | int, ...]]
    known: dict[str, str]
    allowed: dict[str, frozenset[str]]

    def opens(self, given: dict[str, str]) -> dict[str, str] | None:
        """Return its variables for the features given; None where it does not fit them."""
        for feature, value in given.items():
            if self.known.get(feature, value) != value:
                return None
            if feature in self.allowed and value not in self.allowed[feature]:
                return None
        return {**given, **self.known}


@dataclass(frozen=True, eq=False)
class Grammar:
    """All rules by category, and which features a category is given and finds."""

    rules: dict[str, list[Rule]]
    given: dict[str, tuple[str, ...]]
    found: dict[str, tuple[str, ...]]

    def features(self, category: str) -> tuple[str, ...]:
        """Return the names of all features of a category."""
        return self.given[category] + self.found[category]


def variable(value: str) -> bool:
    """Say whether a feature's entry is a variable: one letter."""
    return len(value) == 1


def sound(word: str, language: str) -> str:
    """Say whether a word begins with a vowel's sound, as its article hears it."""
    if language == "english":
        return "vowel" if word[0] in "aeiou" and word != "european" else "consonant"
    return "vowel" if word.startswith(_VOWELS) else "consonant"


def _children(text: str) -> tuple[list[Child], list[str], list[str | int]]:
    """Read one side of a rule: its children, their names, and the order of all."""
    children: list[Child] = []
    names: list[str] = []
    order: list[str | int] = []
    for piece in re.findall(r"[^\s(]+(?:\([^)]*\)\d*)?", text):
        if not piece[0].isupper():
            order.append(piece)
            continue
        match = _ITEM.match(piece)
        if match is None:
            raise ValueError(f"rules: a category must read Name(features)number, got {piece!r}")
        name, inside, number = match.groups()
        named = [f.partition("=") for f in (inside or "").split()]
        children.append(Child(name, {f: value or f for f, _, value in named}))
        names.append(name + number)
        order.append(len(children) - 1)
    return children, names, order


def _conditions(text: str, kinds: set[str]) -> tuple[dict[str, str], dict[str, frozenset[str]]]:
    known: dict[str, str] = {}
    allowed: dict[str, frozenset[str]] = {}
    for condition in text.split():
        name, sign, value = re.split(r"(!?=)", condition, maxsplit=1)
        values = frozenset(value.split("/"))
        if sign == "!=":
            allowed[name] = frozenset(kinds - values)
        elif len(values) > 1:
            allowed[name] = values
        else:
            known[name] = value
    return known, allowed


def _rule(category: str, line: str, kinds: set[str]) -> Rule:
    weight, french, english, *conditions = (part.strip() for part in line.split("|"))
    children, names, order = _children(french)
    more, others, other = _children(english)
    for number, (child, name) in enumerate(zip(more, others, strict=True)):
        if name not in names:
            children.append(child)
            names.append(name)
        other[other.index(number)] = -1 - names.index(name)
    sides = {
        "french": tuple(order),
        "english": tuple(-1 - o if isinstance(o, int) else o for o in other),
    }
    known, allowed = _conditions(" ".join(conditions), kinds)
    return Rule(category, float(weight), tuple(children), sides, known, allowed)


def _chosen(rule: Rule, found: tuple[str, ...]) -> Iterator[Rule]:
    """Yield a rule for each value that it allows; what it finds is then chosen by chance."""
    if not rule.allowed:
        yield rule
        return
    feature, *_ = rule.allowed
    values = sorted(rule.allowed[feature])
    others = {f: v for f, v in rule.allowed.items() if f != feature}
    weight = rule.weight / len(values) if feature in found else rule.weight
    for value in values:
        known = {**rule.known, feature: value}
        yield from _chosen(replace(rule, weight=weight, known=known, allowed=others), found)


def _word(category: str, words: Words, known: dict[str, str], weight: float = 1) -> Rule:
    sides: dict[str, tuple[str | int, ...]] = {
        language: tuple(side.split()) for language, side in zip(LANGUAGES, words, strict=True)
    }
    return Rule(category, weight, (), sides, known, {})


def _nouns(kind: str, gender: str, french: list[str], english: list[str]) -> Iterator[Rule]:
    for n, f, e in zip(NUMBERS, french, english, strict=True):
        if f != "-":
            word = english[0] if e == "-" else e
            known = {"k": kind, "g": gender, "n": n}
            known |= {"v": sound(f, "french"), "e": sound(word, "english")}
            yield _word("Noun", (f, word), known, 3 if n == "one" else 1)


def _adjectives(place: str, kinds: str, french: list[str], english: str) -> Iterator[Rule]:
    e = {"e": sound(english, "english")}
    for k in kinds.split("/"):
        forms = zip([(n, g) for n in NUMBERS for g in GENDERS], french[:4], strict=True)
        for (n, g), f in forms:
            if f == "-":
                continue
            agreed = {"k": k, "n": n, "g": g}
            if place != "first":
                kind = "Hue" if place == "colour" else "Quality"
                yield _word(kind, (f, english), agreed)
            if place == "said":
                continue
            if place in ("colour", "after"):
                yield _word(place.capitalize(), (f, english), agreed | e)
                continue
            for w in ("vowel", "consonant"):
                own = french[4] if (n, g, w) == ("one", "masculine", "vowel") else f
                yield _word(
                    "Before", (own, english), {**agreed, "w": w, "v": sound(own, "french")} | e
                )


class _Forms(NamedTuple):
    """Forms of a verb in both languages."""

    he: str
    they: str
    part: str
    bare: str
    third: str
    past: str

    def present(self, m: str) -> Words:
        return (self.he, self.third) if m == "one" else (self.they, self.bare)

    def perfect(self, m: str) -> Words:
        return f"{'a' if m == 'one' else 'ont'} {self.part}", self.past


def _verbs(how: str, subjects: str, objects: str, forms: _Forms) -> Iterator[Rule]:
    kinds = objects.split("/")
    often = 1 / len(kinds)
    for s, k in product(subjects.split("/"), kinds):
        yield _word("Part", (forms.part, forms.bare), {"s": s, "k": k}, often)
        for m in NUMBERS:
            of, present = {"s": s, "m": m, "k": k}, forms.present(m)
            heard = of | {"v": sound(present[0], "french")}
            yield _word("Present", present, of, often)
            yield _word("Known", present, of)
            yield _word("Past", forms.perfect(m), of, often)
            yield _word("Bare", (present[0], forms.bare), heard, often)
            if how == "verb+":
                yield _word("Gets", present, of, often)
            else:
                yield _word("Uses", present, heard)


def _acts(how: str, subjects: str, objects: str, forms: _Forms) -> Iterator[Rule]:
    categories = {"still": ("Act", "Still")}.get(how, (how.capitalize(),))
    kinds = [{"k": k} for k in objects.split("/")] if objects else [{}]
    for category, s, m, k in product(categories, subjects.split("/"), NUMBERS, kinds):
        of = {"s": s, "m": m} | k
        yield _word(category, forms.present(m), of | {"t": "now"}, 1 / len(kinds))
        yield _word(category, forms.perfect(m), of | {"t": "then"}, 1 / len(kinds))


def _entry(line: str) -> list[Rule]:
    """Turn a line of the lexicon into its rules."""
    try:
        return [*_rules_of(*([*part.split()] for part in line.split("|")))]
    except (IndexError, TypeError, ValueError) as error:
        raise ValueError(
            "lexicon: an entry must have all its forms, French and English behind a bar each, "
            f"and be a noun, adjective, adverb or verb, got {line.split(' ')[0]!r} in {line!r}"
        ) from error


def _rules_of(head: list[str], french: list[str], english: list[str]) -> Iterator[Rule]:
    how, *told = head
    if how == "noun":
        yield from _nouns(told[0], told[1], french, english)
    elif how == "adjective":
        yield from _adjectives(told[0], told[1], french, english[0])
    elif how == "adverb":
        yield _word("Adverb", (french[0], english[0]), {})
    elif how in ("verb", "verb+"):
        yield from _verbs(how, told[0], told[1], _Forms(*french, *english))
    elif how in ("act", "still", "goes", "gives"):
        yield from _acts(how, told[0], "".join(told[1:]), _Forms(*french, *english))
    else:
        raise ValueError(how)


def _lines(name: str) -> list[str]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def lexicon_lines() -> list[str]:
    """Return the entries of the lexicon."""
    return _lines("lexicon.txt")


@cache
def small_world(part: frozenset[str] | None = None, more: tuple[str, ...] = ()) -> Grammar:
    """Return the grammar of the small world, or of a part of its words.

    Args:
        part: English words in their first form in the lexicon, such as "dress" or "see";
            all words without it. Articles, pronouns and the like belong to every part.
        more: entries that are not in the lexicon, lines as it has them.

    Raises:
        ValueError: if a line of ``more`` is no entry, or a form is missing in it.

    Source:
        Shieber and Schabes (1990): grammars that write two languages at once.

    >>> len(small_world().rules["S"])
    6
    """
    lines = lexicon_lines()
    if part is not None:
        lines = [line for line in lines if line.split("|")[-1].split()[0] in part]
    words = [rule for line in (*lines, *more) for rule in _entry(line)]
    kinds = {rule.known["k"] for rule in words if rule.category == "Noun"}
    words = [w for w in words if {w.known[f] for f in ("k", "s") if f in w.known} <= kinds]
    rules: dict[str, list[Rule]] = {}
    given: dict[str, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for line in _lines("rules.txt"):
        if line[0] != " ":
            category, *told = line.replace("->", " -> ").split()
            cut = told.index("->") if "->" in told else len(told)
            given[category], found[category] = tuple(told[:cut]), tuple(told[cut + 1 :])
            rules[category] = []
        else:
            rules[category] += _chosen(_rule(category, line, kinds), found[category])
    if part is not None:  # the page draws from such a part, in the order of its rows
        words = [rule for row in _alike(words) for rule in row]
    for word in words:
        rules[word.category].append(word)
    return Grammar(rules, given, found)


@cache
def vocabulary(language: str) -> tuple[str, ...]:
    """Return the words of a language, sorted.

    Raises:
        ValueError: if the language is neither ``"french"`` nor ``"english"``.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, got {language!r}")
    rules = (rule for rules in small_world().rules.values() for rule in rules)
    return tuple(sorted({w for r in rules for w in r.sides[language] if isinstance(w, str)}))


def for_the_page(world: Grammar | None = None) -> dict[str, Any]:
    """Return a grammar as ``kit/world.js`` reads it: lists and texts only.

    Words of one weight are one row, whose features are lists: each combination is a rule.

    >>> sorted(for_the_page())
    ['features', 'given', 'rules']
    """
    world = world or small_world()
    rules: dict[str, list[Any]] = {}
    for category, made in world.rules.items():
        children = [rule for rule in made if rule.children]
        rows = [(rule, {f: [value] for f, value in rule.known.items()}) for rule in children]
        rows += _folded([rule for rule in made if not rule.children])
        rules[category] = [
            [
                rule.weight,
                [[child.category, child.features] for child in rule.children],
                [" ".join(map(str, rule.sides[language])) for language in LANGUAGES],
                {feature: " ".join(values) for feature, values in known.items()},
                {feature: sorted(values) for feature, values in rule.allowed.items()},
            ]
            for rule, known in rows
        ]
    return {
        "features": {c: list(world.features(c)) for c in rules},
        "given": {c: list(world.given[c]) for c in rules},
        "rules": rules,
    }


def _folded(rules: list[Rule]) -> list[tuple[Rule, dict[str, list[str]]]]:
    """Put the rules of the same words together where they are all combinations of features."""
    rows = []
    for made in _alike(rules):
        values = {f: list(dict.fromkeys(rule.known[f] for rule in made)) for f in made[0].known}
        if [*product(*values.values())] == [tuple(rule.known.values()) for rule in made]:
            rows.append((made[0], values))
        else:
            rows += [(rule, {f: [value] for f, value in rule.known.items()}) for rule in made]
    return rows


def _alike(rules: list[Rule]) -> list[list[Rule]]:
    """Put rules together that differ in the values of their features only."""
    found: dict[object, list[Rule]] = defaultdict(list)
    for rule in rules:
        found[rule.category, rule.weight, *rule.sides.values(), *rule.known].append(rule)
    return [*found.values()]
