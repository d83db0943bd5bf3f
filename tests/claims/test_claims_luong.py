"""Every conclusion of ``recurrent/luong`` can come out otherwise: made-up runs that do it."""

from itertools import combinations

import pytest

from attention_course.claims import verdict

PAPER = [0.57, 0.61, 0.66]


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([0.70, 0.75, 0.80], "better"),
        ([0.10, 0.00, 0.30], "worse"),
        ([0.70, 0.65, 0.80], "open"),
        ([0.10, 0.00, 0.60], "open"),
        (PAPER, "open"),
        ([0.66, 0.70, 0.80], "open"),
    ],
)
def test_one_run_on_the_wrong_side_leaves_it_open(runs, says):
    assert verdict(runs, PAPER) == says


def test_the_verdict_turns_round_with_its_arguments():
    assert verdict([0.1, 0.2], [0.3, 0.4]) == "worse"
    assert verdict([0.3, 0.4], [0.1, 0.2]) == "better"


def test_of_runs_that_are_alike_one_in_twenty_groupings_is_wholly_above():
    ranks = range(6)
    above = [
        verdict(ours, [r for r in ranks if r not in ours]) == "better"
        for ours in combinations(ranks, 3)
    ]
    assert sum(above) == 1
    assert len(above) == 20


def test_no_runs_no_verdict():
    with pytest.raises(ValueError, match="verdict: ours and theirs must hold at least one run"):
        verdict([], PAPER)
