"""What is true of a sentence of the small world: what its words are, and what decides them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, islice

from attention_course.data.world.grammar import Rule, lexicon_lines, small_world
from attention_course.data.world.parser import Chart
from attention_course.data.world.writer import Pair, Tree

_FIXED = ("Noun", "He", "Him", "Present", "Known", "Bare", "Part", "Gets", "Uses")
_WORDS_OF = {
    "noun": "Noun",
    "adjective": "Colour After Before Quality Hue",
    "article": "The A This De NP",
    "pronoun": "He Him",
    "possessive": "Her Son",
    "verb": "Present Known Past Bare Part Gets Uses Act Still Goes Gives",
}
ROLES = {category: role for role, made in _WORDS_OF.items() for category in made.split()}


def roles(pair: Pair, language: str) -> list[str]:
    """Return what each word is: noun, adjective, article, pronoun, possessive, verb or other.

    Args:
        pair: a sentence in both languages.
        language: whose words.
    """
    return [ROLES.get(tree.rule.category, "other") for _, tree in pair.tree.words(language)]


_PHENOMENA = {
    "pronoun": {"He", "Him"},
    "possessive": {"Her"},
    "negation": {"DoesNot", "HasNot", "IsNot"},
    "relative clause": {"Told"},
    "question": {"Ask", "Whether"},
    "adjective at its noun": {"Before", "Colour", "After"},
}


def phenomena(pair: Pair, source: str) -> frozenset[str]:
    """Return what a translator may find hard in a sentence.

    Args:
        pair: a sentence in both languages.
        source: the language that is translated.

    Returns:
        Some of pronoun, possessive, negation, relative clause, question, adjective at its
        noun, and word of two meanings: one with two entries in the lexicon.

    >>> from attention_course.data.world.parser import parse
    >>> (tree, *_) = parse("the girl swims to the bank .".split(), "english")
    >>> sorted(phenomena(Pair(tree), "english"))
    ['word of two meanings']
    """
    made = {tree.rule.category for tree in _inside(pair.tree)}
    words = {*(pair.english if source == "english" else pair.french)}
    found = {name for name, categories in _PHENOMENA.items() if made & categories}
    if words & _of_two_meanings(source):
        found.add("word of two meanings")
    return frozenset(found)


def _inside(tree: Tree) -> Iterator[Tree]:
    yield tree
    for child in tree.children:
        yield from _inside(child)


@cache
def _of_two_meanings(language: str) -> frozenset[str]:
    """Return the words of two entries that share no word of the other language."""
    means: dict[str, list[set[str]]] = defaultdict(list)
    for line in lexicon_lines():
        _, french, english = ({*part.split()} - {"-"} for part in line.split("|"))
        own, other = (french, english) if language == "french" else (english, french)
        for word in own:
            means[word].append(other)
    return frozenset(
        word
        for word, others in means.items()
        if any(one.isdisjoint(two) for one, two in combinations(others, 2))
    )


def translates(
    written: Sequence[str], words: Sequence[str], source: str, most: int = 2000
) -> bool:
    """Say whether a sentence is a right translation of another: any that is right counts.

    Args:
        written: the translation.
        words: the sentence that is translated.
        source: its language.
        most: how many trees are looked at.

    >>> swims = "the girl swims to the bank .".split()
    >>> [translates(f"la fille nage vers la {w} .".split(), swims, "english")
    ...  for w in ("rive", "banque")]
    [True, False]
    """
    target = "english" if source == "french" else "french"
    chart = Chart(source, [frozenset([word]) for word in words])
    trees = (tree for part in chart.whole() for tree in chart.trees(part))
    return any(tree.sentence(target) == tuple(written) for tree in islice(trees, most))


def _texts(rule: Rule, language: str) -> list[str]:
    return [item for item in rule.sides[language] if isinstance(item, str)]


@cache
def inflections(language: str) -> dict[str, frozenset[str]]:
    """Return for each word the forms of one number that differ by gender or by sound.

    *le* is also *la* and *l'*, *beau* also *belle* and *bel*; *an* is also *a*.
    """
    forms: dict[object, set[str]] = defaultdict(set)
    for category, rules in small_world().rules.items():
        if language == "english" and category != "A":
            continue
        for rule in rules:
            if not rule.children and len(rule.sides[language]) == 1 and category not in _FIXED:
                meant = rule.sides["english"] if language == "french" else ()
                forms[category, rule.known.get("n"), meant].update(_texts(rule, language))
    found: dict[str, set[str]] = defaultdict(set)
    for group in forms.values():
        for word in group:
            found[word] |= group
    return {word: frozenset(group) for word, group in found.items()}


def deciders(pair: Pair, source: str, most: int = 2000) -> list[frozenset[int]]:
    """Return for each word of a translation the words that decide it, besides its own.

    A word of the source decides one of the target if another word in its place would, in some
    sentence of the small world, make it one that it cannot be now: *it* becomes *elle* instead
    of *il* by the animal that it stands for, *bank* becomes *rive* instead of *banque* by
    *swims*. The forms of the other words may follow the new word's gender.

    Args:
        pair: a sentence in both languages.
        source: the language that is translated.
        most: how many trees are looked at for each position.

    Returns:
        Positions in the source for each word of the target.

    >>> from attention_course.data.world.parser import parse
    >>> pair = Pair(parse("the girl swims to the bank .".split(), "english")[0])
    >>> pair.french[-2], sorted(deciders(pair, "english")[-2])
    ('rive', [2])
    """
    words = pair.english if source == "english" else pair.french
    now = _written([frozenset([word]) for word in words], source, most)
    found: list[frozenset[int]] = []
    loose = [inflections(source).get(word, frozenset([word])) for word in words]
    others = [
        _written([None if at == n else token for at, token in enumerate(loose)], source, most)
        for n in range(len(words))
    ]
    for own in pair.alignment(source):
        other = frozenset(
            n for n in range(len(words)) if own and n not in own and others[n][own] - now[own]
        )
        found.append(other)
    return found


def _written(
    tokens: Sequence[frozenset[str] | None], source: str, most: int
) -> dict[frozenset[int], set[str]]:
    """Return for each set of positions the words that come from there in some translation."""
    chart = Chart(source, tokens)
    trees = (tree for part in chart.whole() for tree in chart.trees(part))
    written: dict[frozenset[int], set[str]] = defaultdict(set)
    for tree in islice(trees, most):
        pair = Pair(tree)
        other = pair.french if source == "english" else pair.english
        for word, own in zip(other, pair.alignment(source), strict=True):
            written[own].add(word)
    return written
