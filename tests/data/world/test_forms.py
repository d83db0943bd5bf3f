"""The French of the lexicon against a dictionary of forms (``forms.txt`` says whose)."""

from collections import defaultdict
from pathlib import Path

import pytest

from attention_course.data.world.grammar import lexicon_lines

OTHERWISE = {"t-shirt": "tee-shirt", "t-shirts": "tee-shirts"}  # the dictionary's spelling
ANOTHER = ("bel", "nouvel", "vieil")  # before a vowel; the dictionary has them as lemmas
NUMBERED = {"masculine": "ms mp", "feminine": "fs fp"}


def _dictionary() -> dict[tuple[str, str], set[tuple[str, str]]]:
    """Return for each form and part of speech its lemmas, each with one feature."""
    found = defaultdict(set)
    for line in Path(__file__).with_name("forms.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            form, lemma, part, *features = line.split()
            for feature in "".join(features).split(":"):
                found[form, part].add((lemma, feature))
    return found


FORMS = _dictionary()


def unlike(entry: str) -> list[str]:
    """Return the forms of a lexicon's entry that the dictionary does not have so."""
    head, french, _ = ([*part.split()] for part in entry.split("|"))
    if head[0] == "adverb":
        return [] if (french[0], "ADV") in FORMS else french
    if head[0] == "noun":
        part, features = "N", NUMBERED[head[2]].split()
    elif head[0] == "adjective":
        part, features = "A", ["ms", "fs", "mp", "fp", "ms"]
    else:
        part, features = "V", ["P3s", "P3p", "Kms"]
    written = [
        (OTHERWISE.get(form, form).replace("œ", "oe"), feature)
        for form, feature in zip(french, features, strict=True)
        if form != "-"
    ]
    wrong = [
        form
        for form, feature in written
        if feature not in {had for _, had in FORMS.get((form, part), ())}
    ]
    lemmas = [
        {lemma for lemma, had in FORMS.get((form, part), ()) if had == feature}
        for form, feature in written
        if form not in ANOTHER
    ]
    return wrong or ([] if set.intersection(*lemmas) else [form for form, _ in written])


@pytest.mark.parametrize("entry", lexicon_lines())
def test_forms_are_the_dictionarys(entry):
    assert unlike(entry) == []
