"""Three words that are added to the small world, and what its grammar then writes with them."""

import random
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from attention_course.data.world.grammar import small_world
from attention_course.data.world.truth import translates
from attention_course.data.world.writer import write
from attention_course.exercises.probing import Call, Probe

# The part of the world to which a word is added: few words, so that the new one is frequent.
WORDS = "king queen cat cow bird dress coat milk tea letter red tired beautiful see read"
DRAWS, LONGEST = 400, 8  # so many clauses are written; the longest one, in English words


class Twin(NamedTuple):
    """A word that the world knows and that behaves as the new one does.

    Attributes:
        words: for each form of the new word that of the other.
        needed: patterns in French of what must be spoken of.
    """

    words: dict[str, str]
    needed: dict[str, str]


def forms(new, old):
    return dict(zip(new.split(), old.split(), strict=True))


TWINS = {
    "squirrel": Twin(
        forms("écureuil écureuils squirrel squirrels", "oiseau oiseaux bird birds"),
        {
            "a squirrel that does something": r"écureuil (voit|saute|a )",
            "several squirrels": r"écureuils",
            "a beautiful squirrel": r"bel écureuil",
        },
    ),
    "pretty": Twin(
        forms("joli jolie jolis jolies pretty", "petit petite petits petites small"),
        {
            "pretty animals": r"jolie?s? (chat|vache|oiseau)",
            "pretty clothes": r"jolie?s? (robe|manteau)",
            "somebody who is pretty": r"(est|sont|était|étaient) joli",
            "a pretty bird": r"joli oiseau",
        },
    ),
    "pour": Twin(
        forms("verse versent versé pour pours poured", "boit boivent bu drink drinks drank"),
        {
            "somebody who pours milk": r"vers.* lait",
            "somebody who pours tea": r"vers.* thé",
            "several who pour": r"versent",
            "somebody who poured": r"versé",
        },
    ),
}


def clauses(line):
    """Yield what the grammar writes with one more entry: its French and its English words."""
    rng, world = random.Random(0), small_world(frozenset(WORDS.split()), (line,))
    for n in range(DRAWS):
        try:
            tree = write(rng, "Clause", (("t", ("now", "then")[n % 2]),), world)
        except IndexError:  # a part of the world has beginnings that cannot be ended
            continue
        french, english = tree.sentence("french"), tree.sentence("english")
        if len(english) <= LONGEST:
            yield (*french, "."), (*english, ".")


@cache
def known_words():
    rules = [rule for made in small_world().rules.values() for rule in made]
    return {item for rule in rules for side in rule.sides.values() for item in side}


@cache
def said_of(word, line):
    """Return what is wrong with an entry, or that nothing is."""
    twin, seen = TWINS[word], set()
    missing = dict(twin.needed)
    try:
        for french, english in clauses(line):
            pairs = {*pairwise(french), *pairwise(("", *english))}
            new = {pair for pair in pairs if pair[1] not in known_words()}
            other, source = ([twin.words.get(w, w) for w in side] for side in (french, english))
            now = [what for what, said in missing.items() if re.search(said, " ".join(french))]
            if not (now or new - seen):
                continue
            seen |= new
            if not translates(other, source, "english"):
                return f"{' '.join(english)} becomes {' '.join(french)}"
            for what in now:
                del missing[what]
    except ValueError:
        return "this is no entry: a part of it is missing, is one too many or is misspelt"
    if missing:
        return f"no sentence speaks of {', '.join(missing)}"
    return f"every sentence with {word} is right"


def written_with(calls, values):
    (call,), (line,) = calls, values
    parts = [" ".join(part.split()) for part in line.split("|")]
    if len(parts) != 3:
        return "this is no entry: it must have two bars"
    convention = call.returns[0]
    if "head last" in convention:
        parts = [parts[2], *parts[:2]]
    if "English first" in convention:
        parts = [parts[0], parts[2], parts[1]]
    return said_of(call.args[0], " | ".join(parts))


def ask(word):
    return lambda rng: [Call("entry_of", (word,), returns=("line",))]


def english_first(call):
    """Return the call that asks for the English to the left of the French."""
    return replace(call, returns=(f"{call.returns[0]}, English first",))


def head_last(call):
    """Return the call that asks for the head behind both languages."""
    return replace(call, returns=(f"{call.returns[0]}, head last",))


PROBES = (
    Probe("squirrels, written by the grammar", "noun", ask("squirrel"),
        "Look at the words around it: which gender, which number, what may it do?",
        read=written_with, texts=True),
    Probe("what is pretty, written by the grammar", "adjective", ask("pretty"),
        "Look at its noun, and at the side on which it stands.",
        read=written_with, texts=True),
    Probe("who pours what, written by the grammar", "verb", ask("pour"),
        "Look at who does it, to what, and when.",
        read=written_with, texts=True),
)  # fmt: skip
