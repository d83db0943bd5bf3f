"""Every conclusion of ``recurrent/score-functions`` can come out False: made-up runs."""

import pytest

from attention_course.claims import dates_verdicts, lookup_verdicts, slower

STEADY = ("scaled dot", "additive", "concat", "cosine")
NARROW = dict.fromkeys(STEADY, 0.99) | {"dot": 0.95, "general": 0.97, "location": 0.22}
WIDE = NARROW | {"dot": 0.6, "general": 0.5}


def verdicts(live=None, narrow=None, wide=None, spread=0.01):
    """Return the four statements of the look-up, for runs that differ a little."""
    runs = {16: NARROW | (narrow or {}), 256: WIDE | (wide or {})}
    seeds = {(s, d): [x, x - spread] for d, shares in runs.items() for s, x in shares.items()}
    return list(lookup_verdicts(NARROW | (live or {}), seeds).values())


def test_runs_as_they_should_be_hold_every_statement():
    assert verdicts() == [True] * 4


@pytest.mark.parametrize(
    ("which", "changes"),
    [
        (0, {"live": {"cosine": 0.5}}),
        (0, {"live": {"concat": 0.9}}),
        (1, {"live": {"location": 0.9}}),
        (2, {"wide": {"additive": 0.5}}),
        (2, {"narrow": {"scaled dot": 0.905}}),
        (3, {"wide": {"dot": 0.94}}),
        (3, {"wide": {"general": 0.78}}),
        (3, {"narrow": {"dot": 0.7}}),
    ],
)
def test_one_run_that_does_otherwise_turns_its_statement_and_no_other(which, changes):
    assert verdicts(**changes) == [i != which for i in range(4)]


def test_seeds_that_disagree_spoil_what_is_said_of_every_seed():
    assert verdicts(spread=0.2) == [True, True, False, False]


def test_a_missing_score_is_named():
    shares = {("dot", 16): [1.0], ("dot", 256): [1.0]}
    with pytest.raises(ValueError, match=r"recorded must hold .*scaled dot"):
        lookup_verdicts(NARROW, shares)


DATES = {
    "dot": [1.0, 0.99],
    "general": [0.97, 1.0],
    "additive": [0.99, 0.98],
    "scaled dot": [0.9, 0.7],
    "location": [0.3, 0.4],
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [True, True]),
        ({"location": [0.3, 0.69]}, [False, True]),
        ({"general": [0.97, 0.65]}, [False, True]),
        ({"scaled dot": [0.7, 0.99]}, [True, False]),
        ({"dot": [1.0, 0.89]}, [True, False]),
    ],
)
def test_the_statements_on_dates_turn_with_one_seed(changes, expected):
    assert list(dates_verdicts(DATES | changes).values()) == expected


def test_dates_without_a_score_are_refused():
    with pytest.raises(ValueError, match=r"dates_verdicts: recorded must hold .*location"):
        dates_verdicts({"dot": [1.0]})


def test_one_fast_network_is_enough_to_spoil_slower():
    assert slower([30.0, 80.0], 2)
    assert not slower([30.0, 1.9], 2)
    assert not slower([2.0], 2)


def test_without_times_nothing_can_be_said():
    with pytest.raises(ValueError, match="slower: multiples must hold at least one"):
        slower([], 2)
