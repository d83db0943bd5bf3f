"""Which words of an English sentence of the small world belong together."""

from collections.abc import Iterator

from attention_course.data.world.grammar import variable
from attention_course.data.world.truth import ROLES
from attention_course.data.world.writer import Pair, Tree

LINKS = ("previous", "subject", "verb", "noun")
_THINGS = {
    *("Sub", "Any", "Beast", "NP", "Object", "Definite", "Simple", "Told", "Sure"),
    *("NB", "Plain", "Fronted", "Noun", "He", "Him"),
}
_ABOUT = {
    *("Be", "Is", "Was", "IsNot", "WillBe", "So", "TooMuch", "Predicate", "Quality", "Hue"),
    "Sat",
}
_FINITE = {"DoesNot", "HasNot", "Is", "Was", "IsNot", "WillBe", "Sat", "Jumps", "Brings"}


def linked_words(pair: Pair) -> dict[str, dict[int, int]]:
    """Return for each kind of link the words that have one, and the word that each leads to.

    Args:
        pair: a sentence in both languages.

    Returns:
        Positions in the English sentence: ``previous``, from each word but the first to the
        one before; ``subject``, from a verb or auxiliary back to the noun or pronoun that is
        its subject; ``verb``, from an article or adjective back to the verb whose object it
        begins; ``noun``, from a pronoun back to the noun that it stands for.

    >>> from attention_course.data.world.parser import parse
    >>> text = "the girl sees the old cat and it is beautiful .".split()
    >>> found = linked_words(Pair(parse(text, "english")[0]))
    >>> [[(text[i], text[j]) for i, j in found[kind].items()] for kind in LINKS[2:]]
    [[('the', 'sees'), ('old', 'sees')], [('it', 'cat')]]
    """
    return _Links(pair.tree).found


class _Links:
    def __init__(self, tree: Tree):
        self.at: dict[int, list[int]] = {}
        for position, (_, part) in enumerate(tree.words("english")):
            self.at.setdefault(id(part), []).append(position)
        self.found: dict[str, dict[int, int]] = {kind: {} for kind in LINKS}
        self.found["previous"] = {i: i - 1 for i in range(1, len(tree.sentence("english")))}
        self.visit(tree, None)

    def own(self, tree: Tree) -> list[int]:
        return self.at.get(id(tree), [])

    def words(self, tree: Tree) -> Iterator[int]:
        yield from self.own(tree)
        for child in tree.children:
            yield from self.words(child)

    def head(self, tree: Tree) -> int | None:
        """Return where the noun or pronoun stands, or the object of a verb."""
        if tree.rule.category in ("Noun", "He", "Him"):
            return self.own(tree)[-1]
        things = [child for child in tree.children if child.rule.category in _THINGS]
        heads = (self.head(child) for child in things or tree.children)
        return next((head for head in heads if head is not None), None)

    def visit(self, tree: Tree, subject: int | None) -> None:
        """Link the words of a tree; the subject is that of what is around it."""
        verb: int | None = None
        children = [n for n in tree.rule.sides["english"] if isinstance(n, int)]
        for place, n in enumerate(children):
            child, category = tree.children[n], tree.children[n].rule.category
            if category in _THINGS:
                if category in ("He", "Him"):
                    self.link("noun", child, self.agreeing(tree, n, children[:place], "n"))
                elif verb is not None:
                    noun = self.head(child) or 0
                    self.found["verb"] |= {i: verb for i in self.words(child) if i < noun}
                verb = None
                self.visit(child, None)
                continue
            feature = "n" if category in _ABOUT else "m"
            known = self.agreeing(tree, n, children[:place], feature, things=True)
            known = subject if known is None else known
            if ROLES.get(category) == "verb" or category in _FINITE:
                self.link("subject", child, known)
            if ROLES.get(category) == "verb" and self.own(child):
                verb = self.own(child)[-1]
            self.visit(child, known)

    def link(self, kind: str, tree: Tree, to: int | None) -> None:
        if to is not None:
            self.found[kind] |= dict.fromkeys(self.own(tree), to)

    def agreeing(
        self, tree: Tree, n: int, earlier: list[int], feature: str, things: bool = False
    ) -> int | None:
        """Return the last noun before a child that has its number; a verb has its object's."""
        number = tree.rule.children[n].features.get(feature, "")
        heads = [
            self.head(tree.children[other])
            for other in earlier
            if variable(number)
            and tree.rule.children[other].features.get("n") == number
            and (tree.children[other].rule.category in _THINGS or not things)
        ]
        return heads[-1] if heads else None
