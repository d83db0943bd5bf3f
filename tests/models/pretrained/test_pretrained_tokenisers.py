"""The three tokenisers on small vocabularies."""

import pytest

from attention_course.models.pretrained.byte_pairs import BytePairs, byte_signs
from attention_course.models.pretrained.smiles import Smiles, element
from attention_course.models.pretrained.wordpiece import WordPiece, split_words


def test_the_longest_piece_comes_first_and_a_word_is_unknown_as_a_whole():
    cut = WordPiece(["[CLS]", "[SEP]", "[UNK]", "un", "una", "##ff", "##affable", "##able"])
    assert cut.pieces("Unffable")[1:-1] == ["un", "##ff", "##able"]
    assert cut.pieces("unaffable")[1:-1] == ["una", "##ff", "##able"]
    assert cut.pieces("unax unff")[1:-1] == ["[UNK]", "un", "##ff"]
    assert cut("unff") == [0, 3, 5, 1]


def test_words_are_split_at_spaces_and_marks_and_lose_their_accents():
    assert split_words("  Zürich—2,000 (déjà)") == [
        "zurich",
        "—",
        "2",
        ",",
        "000",
        "(",
        "deja",
        ")",
    ]
    assert split_words("日本a") == ["日", "本", "a"]


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_words_is_refused(text):
    with pytest.raises(ValueError, match="WordPiece: text must hold at least one word"):
        WordPiece(["[CLS]", "[SEP]"]).pieces(text)


def test_the_pair_that_was_learned_first_is_joined_first():
    letters = [*byte_signs().values()]
    pairs = BytePairs([*letters, "ab", "bc", "abc"], ["b c", "a b", "a bc"])
    assert pairs.tokens("abcab") == ["abc", "ab"]
    assert pairs.text(pairs("abcab é")) == "abcab é"


def test_every_digit_is_a_token_and_nothing_is_joined_across_words():
    letters = [*byte_signs().values()]
    pairs = BytePairs([*letters, "12", "ba", "Ġb"], ["1 2", "Ġ b", "a Ġ", "b a"])
    assert pairs.tokens("12 ba b") == ["1", "2", "Ġb", "a", "Ġb"]
    assert sorted(byte_signs()) == list(range(256))
    assert len(set(letters)) == 256


def test_molecules_are_cut_into_atoms_and_bonds():
    cut = Smiles(["[CLS]", "[SEP]", "[UNK]", "C", "Cl", "[NH3+]", ">>", "%10"])
    assert cut.pieces("C[NH3+]Cl>>C%10")[1:-1] == ["C", "[NH3+]", "Cl", ">>", "C", "%10"]
    assert cut("CBr") == [0, 3, 2, 1]
    told = {"c": "C", "[nH]": "N", "[O-]": "O", "Br": "Br", "[13C]": "C", "(": "", "1": ""}
    assert {token: element(token) for token in told} == told
    for empty in (cut.pieces, BytePairs([], []).tokens):
        with pytest.raises(ValueError, match="text must not be empty"):
            empty("")
