import csv
import io

import pytest

from course_grader.safe_text import CUT, cell, one_line, printable


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31mab\x1b[0m", "\x1b]0;a title\x07ab",
        "\x1b]8;;http://a.example\x1b\\ab\x1b]8;;\x1b\\", "a\x1bPdevice\x1b\\b", "\x9b2Jab",
        "a\x00b\x08\x7f", "\u202eab\u2066\u2069\u200e\u061c", "a\ufeffb\u00ad\u200b",
        "a\U000e0041b", "\x1bcab",
    ],
)  # fmt: skip
def test_what_acts_or_cannot_be_seen_is_taken_out(text):
    assert printable(text) == "ab"


def test_an_unended_escape_sequence_leaves_no_escape_character():
    assert "\x1b" not in printable("a\x1b[31")
    assert "\x1b" not in printable("a\x1b]0;never ended")
    assert "\x1b" not in printable("\x1b\x1b\x1b")


def test_two_halves_of_an_escape_sequence_do_not_join():
    assert "\x1b" not in printable("\x1b\x1b[0m[31m")


def test_letters_of_every_script_and_joined_emoji_stay():
    for text in ["αβγ", "متن\u200cفارسی", "👩\u200d🔬", "Zoë\tπ\n∑", "한국어"]:
        assert printable(text) == text


def test_all_kinds_of_line_ends_become_one():
    assert printable("a\r\nb\rc\u2028d\x85e") == "a\nb\nc\nd\ne"


def test_half_a_surrogate_pair_is_replaced_and_can_be_written():
    assert printable("a\ud800b").encode() == "a\ufffdb".encode()


def test_a_tower_of_accents_is_cut_to_four():
    assert printable("e" + "\u0301" * 500) == "e" + "\u0301" * 4


def test_a_long_text_is_cut_and_says_so():
    came = printable("é" * 30_000)
    assert came.endswith(CUT)
    assert len(came.encode()) <= 20 * 1024 + len(CUT)
    assert "\ufffd" not in came


def test_a_text_of_removed_characters_only_says_that_it_was_cut():
    assert printable("\x00" * 1_000_000, 100) == CUT


def test_a_text_at_the_limit_is_not_cut():
    assert printable("a" * 100, 100) == "a" * 100
    assert printable("a" * 101, 100) == "a" * 100 + CUT


def test_one_line_is_one_line_of_at_most_its_length():
    assert one_line("a\nb\t c") == "a b c"
    assert len(one_line("word " * 100, 50)) == 50


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " =", "\x00=", "\u202e=", "＝"])
def test_a_cell_that_begins_like_a_formula_is_quoted(start):
    assert cell(start + "cmd|'/c calc'!A1").startswith("'")


def test_a_number_stays_a_number_in_a_cell():
    assert cell(-2.5) == "-2.5"
    assert cell(3) == "3"
    assert cell(0.1 + 0.2) == "0.3"


def test_a_cell_survives_a_round_through_csv():
    file = io.StringIO()
    csv.writer(file).writerow([cell('a "b", c\nd'), cell("=1")])
    assert next(csv.reader(io.StringIO(file.getvalue()))) == ['a "b", c\nd', "'=1"]
