"""The small world's grammar: its forms, what it writes, and that it reads all of it."""

import random
from collections import Counter

import pytest

from attention_course.data.world import Pair, parse, small_world, vocabulary, write
from attention_course.data.world.grammar import _entry, variable

LANGUAGES = ("french", "english")
SOURCES = [  # sentences of the papers, and the course's own
    ("the red dress is beautiful .", "la robe rouge est belle ."),
    (
        "the animal did not cross the street because it was too tired .",
        "l' animal n' a pas traversé la rue parce qu' il était trop fatigué .",
    ),
    (
        "the animal did not cross the street because it was too wide .",
        "l' animal n' a pas traversé la rue parce qu' elle était trop large .",
    ),
    ("the cat sat on the mat .", "le chat était assis sur le tapis ."),
    (
        "the quick brown fox jumps over the lazy dog .",
        "le renard brun rapide saute par-dessus le chien paresseux .",
    ),
    ("the man brings the money to the bank .", "l' homme apporte l' argent à la banque ."),
    ("the boy sleeps on the river bank .", "le garçon dort sur la rive du fleuve ."),
    (
        "the woman crosses the european economic area .",
        "la femme traverse la zone économique européenne .",
    ),
    (
        "the queen wears the dress and it is beautiful .",
        "la reine porte la robe et elle est belle .",
    ),
    ("the boy loves his sister .", None),
    ("the girl loses her book .", "la fille perd son livre ."),
    ("some small hens sleep .", "de petites poules dorment ."),
    ("does the child eat an orange ?", "est-ce que l' enfant mange une orange ?"),
]  # fmt: skip


@pytest.mark.parametrize(("english", "french"), SOURCES)
def test_sentences_of_the_sources_are_read_in_both_directions(english, french):
    found = {" ".join(tree.sentence("french")) for tree in parse(english.split(), "english")}
    assert found == ({french} if french else set())
    if french:
        back = {" ".join(tree.sentence("english")) for tree in parse(french.split(), "french")}
        assert english in back


def test_what_is_written_is_read_in_both_languages_with_the_same_words():
    rng = random.Random(46)
    lengths, openings = [], Counter()
    for _ in range(250):
        tree = write(rng)
        lengths.append(len(tree.sentence("french")))
        openings[tree.sentence("english")[0]] += 1
        for language, other in zip(LANGUAGES, LANGUAGES[::-1], strict=True):
            read = {t.sentence(other) for t in parse(tree.sentence(language), language)}
            assert tree.sentence(other) in read
    assert max(lengths) > 25
    assert len(openings) > 6


@pytest.mark.parametrize(
    ("natural", "not_so"),
    [
        ("the boy sleeps when the girl runs .", "the boy sleeps when the girl ran ."),
        ("the yellow ball is small .", "the yellow ball is blue ."),
        ("the ball is blue .", "the ball is too blue ."),
        ("the queen buys the trousers and they are old .",
         "the queen buys the trousers and they is old ."),
        ("the fox drinks the water .", "the fox drinks the tea ."),
        ("the man loses his hat .", "the man loses his woman ."),
        ("the handsome king sings .", "the beautiful king sings ."),
        ("the friend is small .", "the small friend sings ."),
        ("the girl often sleeps .", "the girl often slept ."),
        ("the hen sleeps on the river bank .", "the hen sleeps on the river big bank ."),
    ],
)  # fmt: skip
def test_what_a_reader_winced_at_is_no_longer_said(natural, not_so):
    assert parse(natural.split(), "english")
    assert parse(not_so.split(), "english") == []


def test_a_word_in_the_wrong_form_is_not_read():
    right = ["la", "robe", "rouge", "est", "belle", "."]
    assert parse(right, "french")
    for position, wrong in [(0, "le"), (3, "sont"), (4, "beau"), (1, "robes"), (5, "?")]:
        assert parse([*right[:position], wrong, *right[position + 1 :]], "french") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_two_to_four_hundred_words(language):
    assert 200 <= len(vocabulary(language)) <= 400


def test_articles_hear_the_word_that_follows():
    """By rule, over all words: elision, a and an, and the forms before a vowel."""
    for category, language, vowels in [("Noun", "french", "v"), ("Noun", "english", "e")]:
        for rule in small_world().rules[category]:
            word = rule.sides[language][0]
            written = "aeiouéèêâîôœh" if language == "french" else "aeiou"
            assert (rule.known[vowels] == "vowel") == (word[0] in written), word


def test_every_rule_can_be_fed():
    """Whatever a category is given can be known before it is written."""
    world = small_world()
    for category, rules in world.rules.items():
        for rule in rules:
            known, todo = {*world.given[category], *rule.known}, set(range(len(rule.children)))
            while todo:
                children = {n: rule.children[n] for n in todo}
                fed = {
                    n for n, child in children.items()
                    if all(e in known for f, e in child.features.items()
                           if variable(e) and f in world.given[child.category])
                }  # fmt: skip
                assert fed, (category, rule.sides)
                for n in fed:
                    assert set(world.given[children[n].category]) <= set(children[n].features)
                    known |= {e for e in children[n].features.values() if variable(e)}
                todo -= fed


def test_words_of_a_pair_come_from_each_other():
    sentence = "the girl did not lose her black hats ."
    (tree,) = parse(sentence.split(), "english")
    pair = Pair(tree)
    assert " ".join(pair.french) == "la fille n' a pas perdu ses chapeaux noirs ."
    from_words = [sorted(pair.english[i] for i in own) for own in pair.alignment("english")]
    assert from_words == [
        ["the"], ["girl"], *[["did", "not"]] * 3, ["lose"], ["her"], ["hats"], ["black"], ["."]
    ]  # fmt: skip


def test_an_unknown_entry_of_the_lexicon_is_refused():
    with pytest.raises(ValueError, match="noun, adjective, adverb or verb, got 'nuon'"):
        list(_entry("nuon who feminine | femme femmes | woman women"))


def test_a_word_that_is_added_is_written_and_a_line_that_is_no_entry_is_refused():
    world = small_world(None, ("noun beast feminine | loutre loutres | otter otters",))
    nouns = {rule.sides["french"][0] for rule in world.rules["Noun"]}
    assert nouns - {rule.sides["french"][0] for rule in small_world().rules["Noun"]} == {
        "loutre", "loutres"
    }  # fmt: skip
    for line in (
        "noun beast | loutre loutres | otter otters",
        "noun beast feminine | loutre",
        "adjective before beast | joli jolie | pretty",
        "animal | loutre | otter",
    ):
        with pytest.raises(ValueError, match="an entry must have all its forms"):
            small_world(None, (line,))
